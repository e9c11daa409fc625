/// Taking over from an earlier run, by name (RUN-13).
extension GraphState {
  /// Ends the steps that succeeded in an earlier run, so that only the others are run.
  mutating func adopt(_ earlier: GraphReport, at now: Duration) {
    var open: [Int] = []
    for step in 0..<graph.bodies.count where canAdopt(step, from: earlier) { open.append(step) }
    let adoptable = Set(open)
    // From the front, and again what a finished dependency has made ready.
    open.reverse()
    while let step = open.popLast() {
      guard machine.state(of: step) == .waiting,
        let claim = apply(.claim(step), at: now)
      else { continue }
      if let output = output(of: step, in: earlier), outputReaders[Int32(step)] != 0 {
        outputs[Int32(step)] = output
      }
      apply(.nothingToDo(claim), at: now)
      for dependent in graph.links.dependents(of: step) where adoptable.contains(Int(dependent)) {
        open.append(Int(dependent))
      }
    }
  }

  private func place(of step: Int, in earlier: GraphReport) -> Int? {
    earlier.graph.names.step(named: graph.names[step])
  }

  private func output(of step: Int, in earlier: GraphReport) -> (any Sendable)? {
    place(of: step, in: earlier).flatMap { earlier.outputs[Int32($0)] }
  }

  /// True when the step succeeded earlier and nobody who is yet to run lacks its result.
  private func canAdopt(_ step: Int, from earlier: GraphReport) -> Bool {
    guard let place = place(of: step, in: earlier), earlier.wasDone(place) else { return false }
    guard outputReaders[Int32(step), default: 0] > 0 else { return true }
    if !earlier.keepsNothing(of: place) { return true }
    return graph.links.dependents(of: step).allSatisfy { dependent in
      self.place(of: Int(dependent), in: earlier).map(earlier.wasDone) ?? false
    }
  }
}

extension GraphReport {
  /// True when a step succeeded, or had succeeded in a run before that one.
  func wasDone(_ step: Int) -> Bool {
    machine.state(of: step) == .succeeded
      || records.report(on: step, machine.state(of: step), graph.names).outcome
        == .skipped(.unchanged)
  }

  /// True when a step has a result and it was let go.
  func keepsNothing(of step: Int) -> Bool {
    outputs[Int32(step)] == nil && graph.hasOutput(step)
  }
}
