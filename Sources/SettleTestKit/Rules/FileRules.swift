import SettleCore

extension Rule {
  /// Nothing of its own is left when it has ended (FIL-3, CAN-5).
  public static let leftoversGone = Rule(
    own: "leftoversGone", "At the end no temporary file is left."
  ) { history in
    let leftovers = history.all(.leftover)
    return Finding(
      seenCount: history.all(.examined).count + leftovers.count,
      violations: leftovers.map {
        history.violation("leftoversGone", "a file was left at the end", [$0.index])
      })
  }

  /// A target holds the old bytes or the new ones, as the outcome says (FIL-4).
  public static let targetOldOrNew = Rule(
    own: "targetOldOrNew", "A target is old or new, never missing or mixed, as its outcome says."
  ) { history in
    var finding = Finding()
    for (index, event) in history.all(.target) {
      finding.seenCount += 1
      let end = history.first(.outcome, history.scope(index))
      let outcome = end.map { history.events[$0].name }
      let message: String
      switch (event.name, outcome) {
      case ("missing", _): message = "the target is missing"
      case ("mixed", _): message = "the target holds neither the old nor the new content"
      case ("old", OutcomeKind.succeeded.rawValue?):
        message = "it succeeded and the target is the old one"
      case ("new", let outcome?) where outcome != OutcomeKind.succeeded.rawValue:
        message = "it did not succeed and the target is the new one"
      default: continue
      }
      finding.violations.append(
        history.violation("targetOldOrNew", message, [index] + (end.map { [$0] } ?? [])))
    }
    return finding
  }

  /// What was reported as durable is there after a crash, unchanged (IMP-1, IMP-2).
  public static let durableOnceReported = Rule(
    own: "durableOnceReported", "What was reported as durable is there after a restart."
  ) { history in
    let rule = "durableOnceReported"
    var finding = Finding()
    for (index, _) in history.all(.reported) {
      let scope = history.scope(index)
      if let commit = history.first(.commit, scope), commit > index {
        finding.seenCount += 1
        finding.violations.append(
          history.violation(rule, "it was reported before its commit", [index, commit]))
      }
      guard let restart = history.restarts.first(where: { $0 > index }) else { continue }
      finding.seenCount += 1
      let found = history.indices(.recovered, scope).filter { $0 > restart }
      if found.isEmpty {
        finding.violations.append(
          history.violation(rule, "after the restart nobody found it", [index, restart]))
      }
      for place in found where history.events[place].name != "present" {
        finding.violations.append(
          history.violation(
            rule, "after the restart it was \(history.events[place].name)",
            [index, restart, place]))
      }
    }
    return finding
  }
}
