import SettleCore

/// A place in a trace where a rule is broken, with the events that show it.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// An event that shows it.
  public struct Witness: Sendable, Hashable {
    /// Its place in the trace, from 1.
    public var number: Int
    /// The event.
    public var event: TraceEvent

    /// Names an event of a trace by its place, from 1.
    public init(number: Int, event: TraceEvent) {
      self.number = number
      self.event = event
    }
  }

  /// The rule's name.
  public var rule: String
  /// What is wrong, in one sentence without names from outside.
  public var message: String
  /// The events that show it, in the order of the trace.
  public var witnesses: [Witness]

  /// A violation of a rule.
  public init(rule: String, message: String, witnesses: [Witness]) {
    self.rule = rule
    self.message = message
    self.witnesses = witnesses
  }

  /// The sentence, and below it the events.
  public var description: String {
    let lines = witnesses.map { "  event \($0.number): \($0.event)" }
    return (["\(rule): \(message)"] + lines).joined(separator: "\n")
  }
}

/// What a rule found in a trace.
public struct Finding: Sendable, Hashable {
  /// How many events or ends the rule looked at. None: the rule says nothing about this trace.
  public var seenCount: Int
  /// Where it is broken.
  public var violations: [Violation]

  /// A finding.
  public init(seenCount: Int = 0, violations: [Violation] = []) {
    self.seenCount = seenCount
    self.violations = violations
  }
}
