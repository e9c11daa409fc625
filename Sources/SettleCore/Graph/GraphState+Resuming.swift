/// Taking over from an earlier run, by name (RUN-13).
extension GraphState {
  /// Ends the steps that were done before, so that only the others are run.
  mutating func adopt(_ earlier: GraphReport?, _ finished: Set<String>, at now: Duration) {
    let places = graph.bodies.indices.map { step in
      graph.names.ownName(of: step).flatMap { earlier?.graph.names.step(named: $0) }
    }
    var results: [Int32: any Sendable] = [:]
    var isAdopted = graph.bodies.indices.map { step in
      if let earlier, let place = places[step] {
        if let result = earlier.outputs[Int32(place)] { results[Int32(step)] = result }
        if earlier.wasDone(place) { return true }
      }
      return graph.names.ownName(of: step).map { finished.contains($0) } ?? false
    }
    leaveOut(&isAdopted, results)
    var open = isAdopted.indices.reversed().filter { isAdopted[$0] }
    while let step = open.popLast() {
      // One whose dependencies are not adopted yet comes again behind the last of them.
      guard machine.state(of: step) == .waiting, let claim = apply(.claim(step), at: now)
      else { continue }
      if outputReaders[Int32(step)] != 0 { outputs[Int32(step)] = results[Int32(step)] }
      apply(.nothingToDo(claim), at: now)
      open += graph.links.dependents(of: step).map(Int.init).filter { isAdopted[$0] }
    }
  }

  /// A step that is run makes all that depends on it run, and so does one whose result somebody
  /// who is run needs and nobody has.
  private func leaveOut(_ isAdopted: inout [Bool], _ results: [Int32: any Sendable]) {
    var open = isAdopted.indices.filter { !isAdopted[$0] }
    while let step = open.popLast() {
      for dependent in graph.links.dependents(of: step) where isAdopted[Int(dependent)] {
        isAdopted[Int(dependent)] = false
        open.append(Int(dependent))
      }
      guard !graph.inputs.isEmpty else { continue }
      for input in graph.inputs[step].map(Int.init)
      where isAdopted[input] && graph.hasOutput(input) && results[Int32(input)] == nil {
        isAdopted[input] = false
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
