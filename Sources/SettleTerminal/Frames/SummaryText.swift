import SettleCore

/// What the end of a run is told from.
package struct SummaryFacts: Sendable, Equatable {
  /// How the run ended.
  package var state: RunState
  /// Items by outcome.
  package var counts: OutcomeCounts
  /// Bytes that were imported.
  package var byteCount: Int64 = 0
  /// How long it took.
  package var duration: Duration = .zero
  /// Why items were not imported.
  package var reasons = ReasonTally()
  /// True when nothing was stored, only tried.
  package var isDryRun = false
  /// True when somebody asked to cancel after the last commit.
  package var cancelCameTooLate = false

  /// Facts of a run that ended so.
  package init(state: RunState, counts: OutcomeCounts) {
    self.state = state
    self.counts = counts
  }
}

/// The text at the end of a run: counts that add up, grouped reasons, the next step.
package enum SummaryText {
  /// The whole text, one element a line.
  package static func lines(_ facts: SummaryFacts) -> [String] {
    var lines = [headline(facts)]
    guard facts.counts.settled > 0 else { return lines }
    lines.append(sum(facts.counts))
    if facts.cancelCameTooLate {
      lines.append("The cancellation came after the last commit, so nothing was cancelled.")
    }
    for group in facts.reasons.groups { lines += Self.lines(group) }
    if let next = nextStep(facts) { lines.append("Next: " + next) }
    return lines
  }

  private static func headline(_ facts: SummaryFacts) -> String {
    let counts = facts.counts
    if counts.settled == 0 {
      return facts.state == .cancelled
        ? "Cancelled before anything was imported." : "Nothing to do: no documents were found."
    }
    let done = "\(Quantity.count(counts.succeeded)) of "
    let all = Quantity.count(counts.settled, "item", "items")
    let cost = "(\(Quantity.bytes(facts.byteCount))) in \(Quantity.duration(facts.duration))."
    if facts.isDryRun { return "Would import \(done)\(all) \(cost) Nothing was stored." }
    switch facts.state {
    case .cancelled: return "Cancelled: imported \(done)\(all) \(cost)"
    default: return "Imported \(done)\(all) \(cost)"
    }
  }

  private static func sum(_ counts: OutcomeCounts) -> String {
    let parts = OutcomeKind.allCases.map { "\(Quantity.count(counts[$0])) \($0.rawValue)" }
    return "  " + parts.joined(separator: " + ") + " = \(Quantity.count(counts.settled))"
  }

  private static func lines(_ group: ReasonTally.Group) -> [String] {
    let more = group.count - group.examples.count
    var names = group.examples.joined(separator: ", ")
    if more > 0 { names += " and \(Quantity.count(more)) more" }
    return [
      "  \(group.kind.rawValue), \(group.code.rawValue): \(Quantity.count(group.count))",
      "    \(names)",
      "    \(ErrorWording.of(group.code, isOfItem: true, stage: group.stage).next)",
    ]
  }

  private static func nextStep(_ facts: SummaryFacts) -> String? {
    if facts.isDryRun { return nil }
    if facts.counts.cancelled > 0 {
      return "import the same paths again; what is in the library already is skipped."
    }
    if facts.counts.failed > 0 {
      return "mend what is named above and import the same paths again; "
        + "what is in the library already is skipped."
    }
    return facts.counts.succeeded > 0 ? "settle ls shows the library." : nil
  }
}
