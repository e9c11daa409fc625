/// What bodies and the owner of the run ask for.
extension GraphEngine {
  // MARK: From a body

  /// True when the attempt cannot commit any more.
  func isStopped(_ claim: StepClaim, _ worker: Int) -> Bool {
    state.withLock { $0.slots[worker].claim != claim || $0.slots[worker].stop != nil }
  }

  /// The number of an attempt.
  func attempt(of claim: StepClaim) -> Int {
    state.withLock { Int($0.records.attempts[claim.step]) }
  }

  /// See ``StepContext/commit(_:)``.
  func beginCommit(_ claim: StepClaim, _ worker: Int) throws {
    options.probe?.reach(Checkpoint("graph.beforeCommit", item: claim.step))
    let refusal = transition { state, now in state.beginCommit(claim, worker, at: now) }
    if let refusal { throw refusal }
  }

  /// Notes how a publication ended; the step ends when its body returns (RUN-4).
  func endCommit(_ claim: StepClaim, _ worker: Int, _ error: (any Error)?) {
    state.withLock { state in
      guard state.slots[worker].claim == claim, state.slots[worker].isPublishing else { return }
      state.slots[worker].extras?.commit = error.map { .failed($0) } ?? .published
    }
  }

  /// Keeps a result until its step has ended.
  func keep(_ output: any Sendable, of claim: StepClaim, _ worker: Int) {
    state.withLock { state in
      guard state.slots[worker].claim == claim else { return }
      state.slots[worker].makeExtras().output = output
    }
  }

  /// The result of a step.
  func output(of step: Int) -> (any Sendable)? {
    state.withLock { $0.outputs[Int32(step)] }
  }

  /// See ``StepContext/progress(total:unit:)``.
  func progress(of claim: StepClaim, _ total: WorkTotal, _ unit: WorkUnit) -> WorkProgress {
    state.withLock { $0.progress(of: claim, total, unit) }
  }

  // MARK: From the owner

  /// One consistent cut.
  func snapshot() -> GraphSnapshot {
    state.withLock { state in
      GraphSnapshot(
        run: id, state: state.machine.state, isPaused: state.machine.isPaused,
        counts: state.machine.counts, stepCount: graph.bodies.count,
        progress: state.tree.core.snapshot(adding: state.units), isOver: state.isOver)
    }
  }

  /// What became of everything.
  func report() -> GraphReport {
    state.withLock { state in
      GraphReport(
        run: id, duration: state.duration, graph: graph, machine: state.machine,
        records: state.records, outputs: state.outputs)
    }
  }
}
