/// Taking over from an earlier run, by name and content, never by position (RUN-13).
extension GraphState {
  /// Ends the steps that were done before, so that only the others are run.
  mutating func adopt(
    _ earlier: GraphReport?, _ finished: [String: ContentIdentity], at now: Duration
  ) {
    var results: [Int32: any Sendable] = [:]
    var reasons = graph.bodies.indices.map { step -> RerunReason? in
      guard let name = graph.names.ownName(of: step) else { return .notFound }
      guard let earlier, let place = earlier.graph.names.step(named: name) else {
        guard let known = finished[name] else { return .notFound }
        return rerunReason(of: step, known)
      }
      let reason = rerunReason(of: step, earlier, place)
      if reason == nil { results[Int32(step)] = earlier.outputs[Int32(place)] }
      return reason
    }
    leaveOut(&reasons, results)
    records.reruns = reasons
    var open = reasons.indices.reversed().filter { reasons[$0] == nil }
    while let step = open.popLast() {
      // One whose dependencies are not adopted yet comes again behind the last of them.
      guard machine.state(of: step) == .waiting, let claim = apply(.claim(step), at: now)
      else { continue }
      if outputReaders[Int32(step)] != 0 { outputs[Int32(step)] = results[Int32(step)] }
      apply(.nothingToDo(claim), at: now)
      open += graph.links.dependents(of: step).map(Int.init).filter { reasons[$0] == nil }
    }
  }

  /// Why a step cannot be taken over from one of an earlier run; nil when it can be.
  private func rerunReason(of step: Int, _ earlier: GraphReport, _ place: Int) -> RerunReason? {
    guard earlier.wasDone(place) else { return .notFinished }
    if earlier.graph === graph { return nil }
    return rerunReason(of: step, earlier.graph.identity(of: place))
  }

  private func rerunReason(of step: Int, _ known: ContentIdentity?) -> RerunReason? {
    guard let known, let identity = graph.identity(of: step) else { return .noIdentity }
    return identity == known ? nil : .contentChanged
  }

  /// A step that is run makes all that depends on it run, and so does one whose result somebody
  /// who is run needs and nobody has.
  private func leaveOut(_ reasons: inout [RerunReason?], _ results: [Int32: any Sendable]) {
    var open = reasons.indices.filter { reasons[$0] != nil }
    while let step = open.popLast() {
      for dependent in graph.links.dependents(of: step) where reasons[Int(dependent)] == nil {
        reasons[Int(dependent)] = .dependencyRuns
        open.append(Int(dependent))
      }
      guard !graph.inputs.isEmpty else { continue }
      for input in graph.inputs[step].map(Int.init)
      where reasons[input] == nil && graph.hasOutput(input) && results[Int32(input)] == nil {
        reasons[input] = .resultNotKept
        open.append(input)
      }
    }
  }
}

extension GraphReport {
  /// True when a step succeeded, or had succeeded in a run before that one.
  func wasDone(_ step: Int) -> Bool {
    switch machine.state(of: step) {
    case .succeeded: true
    case .skipped:
      records.report(on: step, .skipped, graph.names).outcome == .skipped(.unchanged)
    case .waiting, .running, .committing, .failed, .cancelled: false
    }
  }
}
