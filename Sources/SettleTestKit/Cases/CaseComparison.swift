import SettleCore

/// Compares an end with the expected one and says in prose what is wrong, with the events.
struct CaseComparison {
  let scenario: Scenario
  let events: [TraceEvent]

  /// What is wrong with the end state, the files and the completions.
  func violations(_ actual: CaseEnd) -> [Violation] {
    var found: [Violation] = []
    for (number, (right, item)) in zip(CaseEnd(scenario.outcomes).items, actual.items).enumerated()
    {
      found += endState(number, right, item) + files(number, right, item)
      found += completions(number, right, item)
    }
    if !actual.leftovers.isEmpty {
      let count = actual.leftovers.count
      found.append(
        violation(
          "files", "\(count == 1 ? "a file is" : "\(count) files are") left over",
          seeing: [.leftover], of: nil))
    }
    return found + answers()
  }

  private func endState(_ number: Int, _ right: CaseEnd.Item, _ item: CaseEnd.Item) -> [Violation] {
    var found: [Violation] = []
    if item.outcome != right.outcome {
      let wanted = right.outcome?.rawValue ?? "without an outcome"
      let isNow = item.outcome?.rawValue ?? "without an outcome"
      found.append(
        violation(
          "endState", "item \(number) must be \(wanted) and is \(isNow)",
          seeing: [.started, .left, .cancelAnswered, .outcome], of: number))
    }
    let mustNotRun = scenario.cancelPlace == .beforeStart || right.outcome == .skipped
    let traces: Set<TraceEvent.Kind> = [.entered, .work, .effect, .commit]
    if mustNotRun, events.contains(where: { $0.item == String(number) && traces.contains($0.kind) })
    {
      found.append(
        violation(
          "endState", "item \(number) must never run, and it did",
          seeing: traces.union([.cancelAnswered, .outcome]), of: number))
    }
    return found
  }

  private func files(_ number: Int, _ right: CaseEnd.Item, _ item: CaseEnd.Item) -> [Violation] {
    if item.result == right.result { return [] }
    let message: String
    switch (right.result, item.result) {
    case (_, .damaged): message = "the result of item \(number) is damaged"
    case (.absent, _): message = "item \(number) must have no result, and there is one"
    default: message = "item \(number) must have its result, and there is none"
    }
    return [violation("files", message, seeing: [.effect, .outcome, .target], of: number)]
  }

  private func completions(
    _ number: Int, _ right: CaseEnd.Item, _ item: CaseEnd.Item
  ) -> [Violation] {
    if item.completions == right.completions { return [] }
    let times = item.completions == 0 ? "never" : "\(item.completions) times"
    return [
      violation(
        "completions", "the end of item \(number) must be told once and was told \(times)",
        seeing: [.outcome, .completion], of: number)
    ]
  }

  /// The answer to the cancel is true: accepted before the commit, too late after it.
  private func answers() -> [Violation] {
    guard let place = scenario.cancelPlace,
      let answer = events.first(where: { $0.kind == .cancelAnswered })
    else { return [] }
    let right = place == .afterCommit ? CancelAnswer.tooLate : .accepted
    if answer.name == right.rawValue { return [] }
    return [
      violation(
        "endState", "the cancel must be answered with \(right.rawValue)",
        seeing: [.commit, .cancelAsked, .cancelAnswered], of: 0)
    ]
  }

  /// A violation whose witnesses are the events of some kinds about an item or the run.
  private func violation(
    _ rule: String, _ message: String, seeing kinds: Set<TraceEvent.Kind>, of number: Int?
  ) -> Violation {
    let item = number.map(String.init)
    let witnesses = events.enumerated().filter {
      kinds.contains($0.element.kind) && ($0.element.item == item || $0.element.item == nil)
    }
    return Violation(
      rule: rule, message: message,
      witnesses: witnesses.map { .init(number: $0.offset + 1, event: $0.element) })
  }
}
