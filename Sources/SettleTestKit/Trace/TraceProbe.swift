import SettleCore

/// A probe that records what the code under test tells, and holds it at gates.
///
/// An event's name is a kind of ``TraceEvent``, a dot, and the event's name, such as
/// `effect.publish` or `outcome.succeeded`; `#2` at the end names the attempt. The fraction of
/// `progress` stands in the detail. The names that Settle's own importer uses are known, too.
/// Everything else becomes a note.
public struct TraceProbe: Probe {
  private let trace: Trace
  private let hold: @Sendable (Checkpoint) -> Void

  /// A probe that writes into a trace. Checkpoints named like a gate of the table wait there.
  public init(_ trace: Trace, gates: Parking? = nil) {
    self.init(trace) { checkpoint in
      guard let gates, gates.monitor.withLock({ $0.gates[checkpoint.name] != nil }) else { return }
      // The failure stands in the table, where the end of the test finds it.
      try? Gate(checkpoint.name, in: gates).passBlocking(item: checkpoint.item)
    }
  }

  /// A probe that writes into a trace and does something else at checkpoints.
  init(_ trace: Trace, hold: @escaping @Sendable (Checkpoint) -> Void) {
    self.trace = trace
    self.hold = hold
  }

  /// Records the event.
  public func event(_ event: ProbeEvent) { trace.record(Self.translated(event)) }

  /// The event of a trace that a probe's event means.
  static func translated(_ event: ProbeEvent) -> TraceEvent {
    var translated = importEvent(event) ?? Self.event(named: event)
    translated.item = event.item < 0 ? nil : String(event.item)
    return translated
  }

  /// Records what a checkpoint of the importer means, and waits at the gate of its name, if any.
  ///
  /// A wait that is in vain is recorded in the table, and the work goes on.
  public func reach(_ checkpoint: Checkpoint) {
    let item = checkpoint.item < 0 ? nil : String(checkpoint.item)
    if checkpoint.name == "import.afterRename" {
      trace.record(.effect, item: item, name: "publish")
    }
    hold(checkpoint)
    // After the gate: a cancel that is answered while work is held there came before the question.
    if checkpoint.name == "import.beforeCommit" { trace.record(.commitAsked, item: item) }
  }

  /// The event of a name that is made as described above.
  private static func event(named event: ProbeEvent) -> TraceEvent {
    let (name, attempt) = splitAttempt(event.name)
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let kind = parts.first.flatMap(TraceEvent.Kind.init(rawValue:))
    let rest = parts.count > 1 ? parts[1] : ""
    guard let kind, TraceEvent.words(for: kind)?.contains(rest) ?? true else {
      return TraceEvent(.note, name: event.name, detail: event.detail)
    }
    var result = TraceEvent(kind, name: rest, detail: event.detail)
    result.attempt = attempt
    if kind == .progress { result.fraction = Double(event.detail) }
    if kind == .started { result.items = Int(event.detail) }
    return result
  }

  private static func splitAttempt(_ name: String) -> (String, Int?) {
    guard let mark = name.lastIndex(of: "#"), let attempt = Int(name[name.index(after: mark)...])
    else { return (name, nil) }
    return (String(name[..<mark]), attempt)
  }

  /// The importer's own names.
  private static func importEvent(_ event: ProbeEvent) -> TraceEvent? {
    switch event.name {
    case "run.started":
      var started = TraceEvent(.started)
      started.items = Int(event.detail)
      return started
    case "run.rejected": return TraceEvent(.refused)
    case "run.settled": return ended(event.detail)
    case "item.began":
      var entered = TraceEvent(.entered)
      entered.attempt = Int(event.detail)
      return entered
    case "item.returned": return TraceEvent(.left)
    case "item.committing": return TraceEvent(.commit)
    case "item.settled": return TraceEvent(.outcome, name: event.detail)
    default: return nil
    }
  }

  /// `cancelled succeeded=3 failed=0 skipped=0 cancelled=1`.
  private static func ended(_ detail: String) -> TraceEvent {
    let words = detail.split(separator: " ")
    var outcome = TraceEvent(.outcome, name: words.first.map(String.init) ?? "")
    var counts = OutcomeCounts()
    for word in words.dropFirst() {
      let pair = word.split(separator: "=")
      guard pair.count == 2, let kind = OutcomeKind(rawValue: String(pair[0])),
        let count = Int(pair[1])
      else { continue }
      counts[kind] = count
    }
    outcome.counts = counts
    return outcome
  }
}
