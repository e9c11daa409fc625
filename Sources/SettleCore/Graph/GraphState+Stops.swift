/// Transitions that come from outside the bodies.
extension GraphState {
  /// Cancels the run: one transition decides it for every step (CAN-7).
  mutating func cancel(at now: Duration) -> CancelAnswer {
    var answer = CancelAnswer.tooLate
    let (wasCancelled, wasOver) = (machine.isCancelled, isOver)
    apply(.cancel, at: now)
    if wasCancelled {
      answer = .alreadyRequested
    } else if machine.isCancelled {
      answer = .accepted
    }
    #if DEBUG
      if sabotage.alwaysAccepts { answer = .accepted }
    #endif
    guard answer == .accepted, !wasOver else { return answer }
    stopBodies(.cancelled)
    if !timers.isEmpty {
      chores.filled.timers += timers.values
      timers = [:]
    }
    return answer
  }

  /// The deadline of the run has come.
  mutating func expire(at now: Duration) {
    apply(.expire, at: now)
    if machine.isExpired { stopBodies(.outOfTime) }
  }

  /// The process is ending.
  mutating func shutDown(at now: Duration) {
    guard !isOver else { return }
    apply(.shutDown, at: now)
    stopBodies(.shutDown)
  }

  /// The time limit of one attempt has come.
  mutating func timeOut(_ claim: StepClaim, _ worker: Int) {
    timers[claim.fence] = nil
    if slots[worker].claim == claim { stop(worker, .timedOut) }
  }

  /// The delay of a retry is over.
  mutating func makeDue(_ claim: StepClaim, at now: Duration) {
    guard timers.removeValue(forKey: claim.fence) != nil else { return }
    apply(.due(claim), at: now)
    wakeOne()
  }

  /// Stops or lets on the beginning of steps.
  mutating func setPaused(_ isPaused: Bool, at now: Duration) {
    apply(isPaused ? .pause : .resume, at: now)
    wakeOne()
  }

  private mutating func wakeOne() {
    if !idle.isEmpty, machine.mayClaim { chores.filled.wakes.append(idle.removeLast()) }
  }

  private mutating func stopBodies(_ cause: StopCause) {
    for worker in slots.indices where slots[worker].claim != nil { stop(worker, cause) }
  }

  /// Marks a body that is not past its commit point; the mark is what its commit will find.
  private mutating func stop(_ worker: Int, _ cause: StopCause) {
    guard !slots[worker].isPublishing else { return }
    if slots[worker].stop == nil || cause == .cancelled { slots[worker].stop = cause }
    if let body = slots[worker].extras?.body {
      chores.filled.stops.append(.body(body))
    } else if let task = slots[worker].task {
      chores.filled.stops.append(.worker(task))
    }
  }

  /// Passes the commit point of a body, or says why not.
  mutating func beginCommit(_ claim: StepClaim, _ worker: Int, at now: Duration) -> (any Error)? {
    guard slots[worker].claim == claim else {
      return SettleError(
        .commitRefused, subject: Array(graph.names[claim.step].utf8),
        detail: "its body has returned")
    }
    #if DEBUG
      if sabotage.ignoresStops { return nil }
    #endif
    switch slots[worker].stop {
    case .cancelled, .shutDown: return CancellationError()
    case .timedOut, .outOfTime:
      return SettleError(.timeout, subject: Array(graph.names[claim.step].utf8))
    case nil: break
    }
    guard !slots[worker].isPublishing else {
      return SettleError(
        .commitRefused, subject: Array(graph.names[claim.step].utf8), detail: "it committed before")
    }
    apply(.commitAsked(claim), at: now)
    guard machine.state(of: claim.step) == .committing else { return CancellationError() }
    slots[worker].makeExtras().commit = .publishing
    return nil
  }

  /// The progress of a step, made when it is first asked for.
  mutating func progress(
    of claim: StepClaim, _ total: WorkTotal, _ unit: WorkUnit
  ) -> WorkProgress {
    let step = Int32(claim.step)
    if let known = inner[step] {
      if known.fence < claim.fence {
        known.work.beginAttempt()
        known.work.setTotal(total)
        inner[step]?.fence = claim.fence
      }
      return known.work
    }
    let isRunning = slots.contains { $0.claim == claim }
    let weight = isRunning ? graph.weight(of: claim.step) : 0
    tree.core.nodes.withLock { $0.settle(units) }
    units = SettledUnits()
    let work: WorkProgress
    do {
      work = try tree.root.share(weight: weight).start(total: total, unit: unit)
    } catch {
      preconditionFailure("all weights together are the total, and each is handed out once")
    }
    if isRunning {
      inner[step] = InnerProgress(work: work, fence: claim.fence)
    } else {
      work.settle(.cancelled)
    }
    return work
  }
}
