import SettleCore

extension Rule {
  /// Within one phase progress never falls and stays between 0 and 1 (PRG-4, PRG-5).
  public static let progressMonotone = Rule(
    own: "progressMonotone", "Progress never falls within a phase, and stays between 0 and 1."
  ) { history in
    struct Phase: Hashable {
      var scope: Scope
      var name: String
    }
    var finding = Finding()
    var highest: [Phase: Int] = [:]
    var mostSettled: [Scope: Int] = [:]
    for (index, event) in history.all(.progress) {
      finding.seenCount += 1
      let scope = history.scope(index)
      let phase = Phase(scope: scope, name: event.name)
      if let fraction = event.fraction {
        if !(0...1).contains(fraction) {
          finding.violations.append(
            history.violation("progressMonotone", "a fraction is not between 0 and 1", [index]))
        } else if let top = highest[phase], let before = history.events[top].fraction,
          fraction < before
        {
          finding.violations.append(
            history.violation("progressMonotone", "the fraction fell", [top, index]))
        } else {
          highest[phase] = index
        }
      }
      guard let settled = event.items else { continue }
      if let top = mostSettled[scope], settled < history.events[top].items ?? 0 {
        finding.violations.append(
          history.violation("progressMonotone", "the number of settled items fell", [top, index]))
      } else {
        mostSettled[scope] = index
      }
    }
    return finding
  }

  /// 100 % appears only together with the outcome, and only with success (PRG-9, PRG-10).
  public static let fullOnlyWithOutcome = Rule(
    own: "fullOnlyWithOutcome", "100 % is shown only with the outcome, and only for success."
  ) { history in
    var finding = Finding()
    for (index, event) in history.all(.progress) {
      guard let fraction = event.fraction else { continue }
      finding.seenCount += 1
      guard fraction == 1 else { continue }
      let end = history.first(.outcome, history.scope(index))
      if let end, end < index {
        if history.events[end].name == OutcomeKind.succeeded.rawValue { continue }
        finding.violations.append(
          history.violation(
            "fullOnlyWithOutcome", "100 % was shown of what did not succeed", [end, index]))
      } else {
        finding.violations.append(
          history.violation(
            "fullOnlyWithOutcome", "100 % was shown before there was an outcome",
            [index] + (end.map { [$0] } ?? [])))
      }
    }
    return finding
  }
}
