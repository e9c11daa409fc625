import SettleCore

/// How a batch ended, item by item, and what is left over.
public struct CaseEnd: Sendable, Hashable {
  /// How an item ended.
  public struct Item: Sendable, Hashable {
    /// Its outcome; nil when it has none.
    public var outcome: OutcomeKind?
    /// What is there of its result.
    public var result: BatchResult
    /// How often its end was told.
    public var completions: Int

    /// How an item ended.
    public init(outcome: OutcomeKind?, result: BatchResult, completions: Int) {
      self.outcome = outcome
      self.result = result
      self.completions = completions
    }
  }

  /// By the items' numbers.
  public var items: [Item]
  /// Names of files that are no item's result.
  public var leftovers: [String]

  /// An end.
  public init(items: [Item], leftovers: [String] = []) {
    self.items = items
    self.leftovers = leftovers
  }

  /// The right end for these outcomes: a result for each success and nothing else, each end told
  /// once.
  init(_ outcomes: [OutcomeKind]) {
    self.init(
      items: outcomes.map {
        Item(outcome: $0, result: $0 == .succeeded ? .whole : .absent, completions: 1)
      })
  }
}

extension CaseEnd: CustomStringConvertible {
  /// `item 0 failed, result absent, told 1 time; item 1 …`.
  public var description: String {
    var parts = items.enumerated().map { number, item in
      let times = item.completions == 1 ? "1 time" : "\(item.completions) times"
      return "item \(number) \(item.outcome?.rawValue ?? "without outcome"), "
        + "result \(item.result.rawValue), told \(times)"
    }
    if !leftovers.isEmpty {
      parts.append("left over: " + leftovers.map { quoted(Array($0.utf8)) }.joined(separator: ", "))
    }
    return parts.joined(separator: "; ")
  }
}

/// Whether a case went as it must. Only ``asExpected`` has passed.
public enum CaseVerdict: Sendable, Hashable {
  /// End state, files and completions are right and no rule is broken.
  case asExpected
  /// Something is wrong; ``CaseResult/violations`` say what.
  case notAsExpected
  /// It was not run, for this reason.
  case skipped(String)
  /// It was run and nothing can be said, for this reason.
  case inconclusive(String)
  /// A wait was in vain: for what, and who waits where.
  case hung(String)
}

/// What one case expected and what it found.
public struct CaseResult: Sendable, Hashable {
  /// The case, in words.
  public var name: String
  /// How it had to end.
  public var expected: CaseEnd
  /// How it ended; nil when it did not come to an end.
  public var actual: CaseEnd?
  /// Whether that is right.
  public var verdict: CaseVerdict
  /// What is wrong, with the events that show it. The rule is one of the kit's, or `endState`,
  /// `files` or `completions`.
  public var violations: [Violation]
  /// All that happened.
  public var events: [TraceEvent]
  /// Where it was cancelled, in words; nil for a case without a cancel.
  public var cancelAt: String?

  init(_ scenario: Scenario, _ verdict: CaseVerdict, events: [TraceEvent] = []) {
    name = scenario.name
    self.verdict = verdict
    self.events = events
    expected = CaseEnd(scenario.outcomes)
    cancelAt = scenario.cancelPlace?.rawValue
    violations = []
  }

  /// The names of the rules that are broken, sorted.
  public var brokenRules: [String] { Set(violations.map(\.rule)).sorted() }

  /// Adds something that keeps the case from having passed.
  mutating func note(_ text: String) {
    if case .asExpected = verdict { verdict = .inconclusive(text) }
  }
}

extension CaseResult: CustomStringConvertible {
  /// The verdict, what was expected and found, then what is wrong with its events.
  public var description: String {
    switch verdict {
    case .asExpected: return "\(name): as expected: \(expected)"
    case .skipped(let reason): return "\(name): skipped, \(reason)"
    case .inconclusive(let reason): return "\(name): inconclusive, \(reason)"
    case .hung(let story): return "\(name): hung. \(story)"
    case .notAsExpected:
      let found = actual.map(\.description) ?? "no end"
      let lines = [
        "\(name): not as expected", "expected: \(expected)", "found:    \(found)",
      ]
      return (lines + violations.map(\.description)).joined(separator: "\n")
    }
  }
}

/// A case that has not passed.
public struct CaseFailure: Error, Sendable, CustomStringConvertible {
  /// What was found.
  public var result: CaseResult

  /// The whole story.
  public var description: String { result.description }
}
