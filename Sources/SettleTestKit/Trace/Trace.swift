import SettleCore

/// Records what happened, in the order in which it was recorded, from any thread.
///
/// Judge it with ``RuleSet/settle``, write it with ``lines()``, read it with ``TraceReader``.
public final class Trace: Sendable {
  let recorded = Monitor<[TraceEvent]>([])
  /// The run of events that are recorded without one.
  public let run: String

  /// An empty trace of one run.
  public init(run: String = "") {
    self.run = run
  }

  /// What was recorded so far.
  public var events: [TraceEvent] { recorded.withLock { $0 } }

  /// Records an event. One without a run gets the trace's.
  public func record(_ event: TraceEvent) {
    var event = event
    if event.run.isEmpty { event.run = run }
    recorded.withLock { $0.append(event) }
  }

  /// Records an event with the fields that most kinds have.
  public func record(
    _ kind: TraceEvent.Kind, item: String? = nil, name: String = "", detail: String = ""
  ) {
    record(TraceEvent(kind, item: item, name: name, detail: detail))
  }

  /// Records the question, asks, records the answer, and hands it on.
  ///
  /// Both ends are recorded, so that what happens while the cancel is under way is judged fairly.
  @discardableResult
  public func cancelling(item: String? = nil, _ cancel: () -> CancelAnswer) -> CancelAnswer {
    record(.cancelAsked, item: item)
    let answer = cancel()
    record(.cancelAnswered, item: item, name: answer.rawValue)
    return answer
  }

  /// The same for a cancel that says nothing, such as that of an `Operation`: what it promises is
  /// given here.
  public func cancelling(
    item: String? = nil, answer: CancelAnswer, _ cancel: () -> Void
  ) {
    cancelling(item: item) {
      cancel()
      return answer
    }
  }

  /// Judges the trace by a set of rules.
  public func judge(_ rules: RuleSet = .settle) -> Judgement { rules.judge(events) }

  /// The trace as JSON Lines, header first.
  public func lines() -> String { TraceWriter.text(events) }
}
