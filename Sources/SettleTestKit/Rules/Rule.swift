/// One rule: a pure function from a trace to what breaks it.
public struct Rule: Sendable {
  /// Its name, as violations cite it.
  public let name: String
  /// What it demands, in one sentence.
  public let summary: String
  private let examine: @Sendable (History) -> Finding

  /// A rule of your own.
  ///
  /// `examine` says how many events it looked at; a rule that saw none is reported as such.
  public init(
    _ name: String, _ summary: String, examine: @escaping @Sendable ([TraceEvent]) -> Finding
  ) {
    self.name = name
    self.summary = summary
    self.examine = { examine($0.events) }
  }

  init(own name: String, _ summary: String, _ examine: @escaping @Sendable (History) -> Finding) {
    self.name = name
    self.summary = summary
    self.examine = examine
  }

  /// What the rule finds in a trace.
  public func judge(_ events: [TraceEvent]) -> Finding { examine(History(events)) }

  func judge(_ history: History) -> Finding { examine(history) }
}

/// Rules that are asked together.
public struct RuleSet: Sendable {
  /// The rules, in the order in which they report.
  public var rules: [Rule]

  /// A set of rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// The rules of Settle's contract.
  public static let settle = RuleSet([
    .exactlyOneCompletion, .oneOutcome, .cancelXorCommit, .noEffectAfterCancel,
    .nothingAfterTerminal, .staleGenerationRefused, .progressMonotone, .fullOnlyWithOutcome,
    .errorIsNoSuccess, .outcomeSums, .dependenciesFirst, .leftoversGone, .targetOldOrNew,
    .durableOnceReported,
  ])

  /// The same rules without those of the given names.
  public func without(_ names: String...) -> RuleSet {
    RuleSet(rules.filter { !names.contains($0.name) })
  }

  /// Asks every rule.
  public func judge(_ events: [TraceEvent]) -> Judgement {
    let history = History(events)
    return Judgement(
      eventCount: events.count,
      results: rules.map { Judgement.Result(rule: $0.name, finding: $0.judge(history)) })
  }
}

/// What a set of rules found in a trace.
public struct Judgement: Sendable, CustomStringConvertible {
  /// What one rule found.
  public struct Result: Sendable {
    /// The rule's name.
    public var rule: String
    /// What it found.
    public var finding: Finding
  }

  /// Events in the trace.
  public var eventCount: Int
  /// One for each rule.
  public var results: [Result]

  /// All violations, rule by rule.
  public var violations: [Violation] { results.flatMap(\.finding.violations) }

  /// Rules that saw something and found nothing wrong.
  public var passed: [String] {
    results.filter { $0.finding.seenCount > 0 && $0.finding.violations.isEmpty }.map(\.rule)
  }

  /// Rules that saw none of their events. They have not passed: they said nothing.
  public var vacuous: [String] {
    results.filter { $0.finding.seenCount == 0 && $0.finding.violations.isEmpty }.map(\.rule)
  }

  /// True when no rule is broken. Look at ``vacuous``, too.
  public var isClean: Bool { violations.isEmpty }

  /// Violations first, then what passed and what saw nothing.
  public var description: String {
    var lines = violations.map(\.description)
    let failed = results.count { !$0.finding.violations.isEmpty }
    lines.append(
      "\(eventCount) events, \(results.count) rules: \(passed.count) passed, \(failed) broken, "
        + "\(vacuous.count) saw nothing")
    if !vacuous.isEmpty { lines.append("saw nothing: " + vacuous.joined(separator: ", ")) }
    return lines.joined(separator: "\n")
  }
}
