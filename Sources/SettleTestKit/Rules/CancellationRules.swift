import SettleCore

extension Rule {
  /// Cancel against commit is decided once, for one of them (CAN-5, CAN-6, CAN-7).
  public static let cancelXorCommit = Rule(
    own: "cancelXorCommit", "An item is cancelled or committed, never both."
  ) { history in
    var finding = Finding(
      seenCount: history.all(.commit).count
        + history.all(.cancelAnswered).count {
          $0.event.name == CancelAnswer.accepted.rawValue
        })
    for scope in history.scopes {
      let commits = history.indices(.commit, scope)
      guard let commit = commits.first else { continue }
      if commits.count > 1 {
        finding.violations.append(
          history.violation("cancelXorCommit", "it was committed more than once", commits))
      }
      if let fault = cancelFault(history, scope, commit: commit) {
        finding.violations.append(
          history.violation("cancelXorCommit", fault.message, fault.indices))
      }
    }
    return finding
  }

  private static func cancelFault(
    _ history: History, _ scope: Scope, commit: Int
  ) -> (message: String, indices: [Int])? {
    if let accepted = history.accepted(scope), history.beginning(ofCommit: commit) > accepted {
      return ("it was committed after its cancellation was accepted", [accepted, commit])
    }
    let late = history.indices(.cancelAnswered, scope).first { answer in
      guard history.events[answer].name == CancelAnswer.accepted.rawValue else { return false }
      let asked = history.indices(.cancelAsked, scope).last { $0 < answer } ?? answer
      return asked > commit
    }
    if let late, scope.item != nil {
      return ("a cancellation was accepted after the commit", [commit, late])
    }
    let cancelled = history.indices(.outcome, scope).first {
      $0 > commit && history.events[$0].name == OutcomeKind.cancelled.rawValue
    }
    if let cancelled, scope.item != nil {
      return ("it was committed and ends as cancelled", [commit, cancelled])
    }
    return nil
  }

  /// After an accepted cancellation nothing that others can see is done any more (CAN-1, CAN-5).
  ///
  /// What was committed before may still be made visible.
  public static let noEffectAfterCancel = Rule(
    own: "noEffectAfterCancel", "After an accepted cancellation nothing visible is done."
  ) { history in
    var finding = Finding()
    var committed: Set<Scope> = []
    for (index, event) in history.events.enumerated() {
      let scope = Scope(run: event.run, item: event.item)
      switch event.kind {
      case .commit: committed.formUnion([scope, scope.whole])
      case .effect:
        guard let accepted = history.accepted(scope), accepted < index,
          !history.isParted(accepted, index)
        else { continue }
        if committed.contains(scope) { continue }
        finding.violations.append(
          history.violation(
            "noEffectAfterCancel", "something was done after its cancellation was accepted",
            [accepted, index]))
      case .cancelAnswered:
        if event.name == CancelAnswer.accepted.rawValue { finding.seenCount += 1 }
      default: break
      }
    }
    return finding
  }

  /// What an older attempt says cannot change what the current one shows (RUN-10).
  public static let staleGenerationRefused = Rule(
    own: "staleGenerationRefused", "An older attempt changes nothing once a newer one has begun."
  ) { history in
    let changing: Set<TraceEvent.Kind> = [
      .entered, .work, .effect, .commitAsked, .commit, .outcome, .progress, .completion,
    ]
    var finding = Finding()
    var newest: [Scope: (attempt: Int, index: Int)] = [:]
    for (index, event) in history.events.enumerated() {
      if event.kind == .refused { finding.seenCount += 1 }
      guard let attempt = event.attempt else { continue }
      let scope = Scope(run: event.run, item: event.item)
      if let current = newest[scope], attempt < current.attempt, changing.contains(event.kind) {
        finding.seenCount += 1
        finding.violations.append(
          history.violation(
            "staleGenerationRefused", "attempt \(attempt) spoke after a newer one had begun",
            [current.index, index]))
      }
      guard event.kind == .entered, attempt > newest[scope]?.attempt ?? 0 else { continue }
      if newest[scope] != nil { finding.seenCount += 1 }
      newest[scope] = (attempt, index)
    }
    return finding
  }

  /// A dependent starts only when everything it needs succeeded (RUN-3).
  public static let dependenciesFirst = Rule(
    own: "dependenciesFirst", "A body is entered only after all it needs succeeded."
  ) { history in
    var finding = Finding()
    for scope in history.scopes {
      guard let started = history.first(.started, scope), !history.events[started].needs.isEmpty
      else { continue }
      finding.seenCount += 1
      guard let entered = history.first(.entered, scope) else { continue }
      for need in history.events[started].needs {
        let end = history.first(.outcome, Scope(run: scope.run, item: need))
        let isWell = end.map {
          $0 < entered && history.events[$0].name == OutcomeKind.succeeded.rawValue
        }
        if isWell == true { continue }
        finding.violations.append(
          history.violation(
            "dependenciesFirst", "its body was entered although what it needs had not succeeded",
            [started, entered] + (end.map { [$0] } ?? [])))
      }
    }
    return finding
  }
}
