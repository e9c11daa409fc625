/// What an exploration found.
public struct Exploration: Sendable, CustomStringConvertible {
  /// A run that broke a rule.
  public struct Failure: Sendable {
    /// The rules that it broke.
    public var violations: [Violation]
    /// The order in which it did.
    public var schedule: Schedule
    /// An order with fewer changes of turn that breaks the same rule.
    public var minimal: Schedule
    /// What happened in that order.
    public var events: [TraceEvent]
  }

  /// How it ended.
  public enum Verdict: Sendable {
    /// Every order of the steps was tried, apart from those that differ in independent steps only.
    case proved
    /// No rule was broken, but not all orders were tried; the text says how far it went.
    case bounded(String)
    /// A rule was broken.
    case failed(Failure)
    /// Something was not under control, so nothing is shown; the text says what.
    case uncontrolled(String)
    /// No rule was broken, but what should happen sometimes never did.
    case vacuous([String])
    /// One given order was run, and broke no rule.
    case replayed
  }

  /// The name by which its schedules are known.
  public var name: String
  /// How it ended.
  public var verdict: Verdict
  /// Runs that were made.
  public var runCount = 0
  /// Those of them that turned out to be covered by others.
  public var redundantCount = 0
  /// Steps in all runs.
  public var stepCount = 0
  /// The different ends that were seen.
  public var ends: Set<String> = []

  /// True when every order was tried and none breaks a rule.
  public var isProved: Bool { if case .proved = verdict { true } else { false } }

  /// The run that broke a rule, if one did.
  public var failure: Failure? { if case .failed(let failure) = verdict { failure } else { nil } }

  /// Throws ``ExplorationError`` unless every order was tried and none breaks a rule.
  public func requireProved() throws(ExplorationError) {
    guard isProved else { throw ExplorationError(exploration: self) }
  }

  /// The verdict in words, with the witness and the line that replays it.
  public var description: String {
    let size = "\(runCount) runs (\(redundantCount) redundant), \(ends.count) different ends"
    switch verdict {
    case .proved: return "\(name): proved in \(size)"
    case .bounded(let how): return "\(name): nothing wrong in \(size), but not all: \(how)"
    case .uncontrolled(let who): return "\(name): shows nothing after \(size): \(who)"
    case .replayed: return "\(name): the given schedule broke no rule; nothing else was run"
    case .vacuous(let missing):
      return "\(name): shows nothing in \(size): never happened: "
        + missing.joined(separator: ", ")
    case .failed(let failure): return text(of: failure, size)
    }
  }

  private func text(of failure: Failure, _ size: String) -> String {
    let events = failure.events.enumerated().map { "  event \($0.offset + 1): \($0.element)" }
    return
      (["\(name): a rule is broken after \(size)"] + failure.violations.map(\.description)
      + ["everything that happened:"] + events
      + ["run exactly this order again:", "  " + failure.minimal.replayLine(for: name)])
      .joined(separator: "\n")
  }
}

/// An exploration that is no proof.
public struct ExplorationError: Error, Sendable, CustomStringConvertible {
  /// What it found.
  public var exploration: Exploration

  /// The verdict in words.
  public var description: String { exploration.description }
}
