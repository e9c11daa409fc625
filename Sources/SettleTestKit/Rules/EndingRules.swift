import SettleCore

extension Rule {
  /// Whoever waits is told of each end exactly once (RUN-7). None and two are both violations.
  public static let exactlyOneCompletion = Rule(
    own: "exactlyOneCompletion", "Each end is notified exactly once."
  ) { history in
    let rule = "exactlyOneCompletion"
    let told = Set(history.all(.completion).map { $0.event.item != nil })
    let ends = history.scopes.filter { scope in
      history.first(.started, scope) != nil || history.first(.outcome, scope) != nil
        || history.first(.completion, scope) != nil
    }
    // Some programs tell of the run only, some of items only; one that tells of nothing at all owes
    // it for the whole, or for the items when there is no whole.
    let hasRuns = ends.contains { $0.item == nil }
    let levels = told.isEmpty ? [!hasRuns] : told
    var finding = Finding()
    for scope in ends where levels.contains(scope.item != nil) {
      let completions = history.indices(.completion, scope)
      finding.seenCount += 1
      let began = history.first(.started, scope) ?? history.first(.outcome, scope)
      if completions.count > 1 {
        finding.violations.append(
          history.violation(
            rule, "the end was notified \(completions.count) times", completions))
      } else if completions.isEmpty, let began,
        !history.isCutOff(began, scope, owing: .completion)
      {
        let end = history.indices(.outcome, scope)
        finding.violations.append(
          history.violation(rule, "nobody was told of the end", [began] + end))
      }
    }
    return finding
  }

  /// Each item and each run reaches exactly one outcome.
  public static let oneOutcome = Rule(
    own: "oneOutcome", "What has started reaches exactly one outcome."
  ) { history in
    var finding = Finding()
    for scope in history.scopes {
      let outcomes = history.indices(.outcome, scope)
      let began = history.first(.started, scope) ?? history.first(.entered, scope)
      if began == nil, outcomes.isEmpty { continue }
      finding.seenCount += 1
      if outcomes.count > 1 {
        finding.violations.append(
          history.violation(
            "oneOutcome", "there are \(outcomes.count) outcomes", outcomes))
      } else if outcomes.isEmpty, let began,
        !history.isCutOff(began, scope, owing: .outcome)
      {
        finding.violations.append(
          history.violation("oneOutcome", "it started and has no outcome", [began]))
      }
    }
    return finding
  }

  /// A step ends when its body has returned, and after its outcome it does nothing (RUN-4).
  public static let nothingAfterTerminal = Rule(
    own: "nothingAfterTerminal", "After an outcome nothing more happens."
  ) { history in
    let rule = "nothingAfterTerminal"
    let active: Set<TraceEvent.Kind> = [
      .started, .entered, .left, .work, .effect, .commitAsked, .commit,
    ]
    var finding = Finding()
    var ended: [Scope: Int] = [:]
    var told: [Scope: Int] = [:]
    for (index, event) in history.events.enumerated() {
      let scope = Scope(run: event.run, item: event.item)
      if event.kind == .restart {
        ended = [:]
        told = [:]
      }
      let end = ended[scope] ?? (scope.item == nil ? nil : ended[scope.whole])
      if active.contains(event.kind), let end {
        finding.violations.append(
          history.violation(rule, "something happened after the outcome", [end, index]))
      }
      if event.kind == .completion { told[scope] = told[scope] ?? index }
      guard event.kind == .outcome else { continue }
      finding.seenCount += 1
      if scope.item != nil, let end = ended[scope.whole] {
        finding.violations.append(
          history.violation(rule, "an item ended after its run had ended", [end, index]))
      }
      if let told = told[scope], ended[scope] == nil {
        finding.violations.append(
          history.violation(rule, "the end was notified before there was one", [told, index]))
      }
      ended[scope] = ended[scope] ?? index
    }
    return finding
  }

  /// A failure or a cancellation is never counted as a success.
  public static let errorIsNoSuccess = Rule(
    own: "errorIsNoSuccess", "Neither an error nor a cancellation counts as success."
  ) { history in
    var finding = Finding()
    for (index, event) in history.all(.outcome) where event.name == OutcomeKind.succeeded.rawValue {
      finding.seenCount += 1
      let scope = history.scope(index)
      let reasons =
        scope.item == nil
        ? runFaults(history, scope, at: index) : itemFaults(history, scope, at: index)
      finding.violations += reasons
    }
    return finding
  }

  private static func itemFaults(
    _ history: History, _ scope: Scope, at index: Int
  ) -> [Violation] {
    let rule = "errorIsNoSuccess"
    var found: [Violation] = []
    if let last = history.indices(.left, scope).last(where: { $0 < index }),
      history.events[last].name == "threw"
    {
      found.append(
        history.violation(rule, "the last attempt threw, and it counts as success", [last, index]))
    }
    // Without a commit of its own, an item's outcome is its commit.
    if history.first(.commit, scope) == nil, let accepted = history.accepted(scope),
      accepted < index, history.beginning(ofOutcome: index) > accepted
    {
      found.append(
        history.violation(
          rule, "its cancellation was accepted, and it counts as success", [accepted, index]))
    }
    return found
  }

  private static func runFaults(
    _ history: History, _ scope: Scope, at index: Int
  ) -> [Violation] {
    let rule = "errorIsNoSuccess"
    let bad = [OutcomeKind.failed, .cancelled].map(\.rawValue)
    let culprit = history.items(of: scope.run).lazy.compactMap { item in
      history.indices(.outcome, item).first { bad.contains(history.events[$0].name) }
    }.first
    if let culprit {
      return [
        history.violation(
          rule, "an item did not succeed, and the run counts as success", [culprit, index])
      ]
    }
    if history.first(.commit, scope) == nil, let accepted = history.accepted(scope),
      accepted < index
    {
      return [
        history.violation(
          rule, "its cancellation was accepted, and the run counts as success", [accepted, index])
      ]
    }
    return []
  }

  /// The numbers at the end are the numbers of what happened.
  public static let outcomeSums = Rule(
    own: "outcomeSums", "The counts of a run are those of its items, and add up to the batch."
  ) { history in
    var finding = Finding()
    for scope in history.scopes where scope.item == nil {
      let tally = history.tally(scope.run)
      if let end = history.first(.outcome, scope), let counts = history.events[end].counts {
        finding.seenCount += 1
        if counts != tally {
          finding.violations.append(
            history.violation(
              "outcomeSums", "the run says \(told(counts)); its items say \(told(tally))", [end]))
        }
      }
      guard let start = history.first(.started, scope), let size = history.events[start].items,
        let end = history.first(.outcome, scope)
      else { continue }
      finding.seenCount += 1
      if tally.settled != size {
        finding.violations.append(
          history.violation(
            "outcomeSums", "of \(size) items \(tally.settled) have an outcome", [start, end]))
      }
    }
    return finding
  }

  private static func told(_ counts: OutcomeCounts) -> String {
    OutcomeKind.allCases.map { "\(counts[$0]) \($0.rawValue)" }.joined(separator: ", ")
  }
}

extension History {
  /// The items of a run by their first outcome.
  fileprivate func tally(_ run: String) -> OutcomeCounts {
    var counts = OutcomeCounts()
    for scope in items(of: run) {
      guard let end = first(.outcome, scope), let kind = OutcomeKind(rawValue: events[end].name)
      else { continue }
      counts[kind] += 1
    }
    return counts
  }

  /// An outcome that is its own commit begins at the commit's question, when that was recorded.
  fileprivate func beginning(ofOutcome index: Int) -> Int {
    indices(.commitAsked, scope(index)).last { $0 < index } ?? index
  }
}
