import SettleCore
import Synchronization

/// What sabotage does to what the code tells, and whether it has come to it.
final class SabotagedReports: Sendable {
  private struct State {
    var isApplied = false
    /// Events that are changed once were.
    var isDone = false
  }

  private let sabotage: Sabotage
  private let state = Mutex(State())

  init(_ sabotage: Sabotage) {
    self.sabotage = sabotage
  }

  /// True once something was really disturbed.
  var isApplied: Bool { state.withLock { $0.isApplied } }

  /// Something was disturbed.
  func apply() { state.withLock { $0.isApplied = true } }

  /// What is told instead of an event.
  func changed(_ event: TraceEvent) -> [TraceEvent] {
    state.withLock { state in
      let told = change(event, &state)
      if told != [event] { state.isApplied = true }
      return told
    }
  }

  private func change(_ event: TraceEvent, _ state: inout State) -> [TraceEvent] {
    switch event.kind {
    case .progress: return progress(event, &state)
    case _ where event.item != "0": return [event]
    case .outcome: return outcome(event, &state)
    case .completion: return completion(event, &state)
    default: return sabotage == .staleAttempt ? attempt(event, &state) : [event]
    }
  }

  private func outcome(_ event: TraceEvent, _ state: inout State) -> [TraceEvent] {
    var other = event
    switch sabotage {
    case .secondOutcome:
      other.name = OutcomeKind.failed.rawValue
      return [event, other]
    case .earlySuccess: return []
    case .lateWork: return [event, TraceEvent(.work, item: event.item, name: "late")]
    case .errorAsSuccess:
      other.name = OutcomeKind.succeeded.rawValue
      return [other]
    case .staleAttempt:
      other.attempt = 1
      return attempt(other, &state).dropLast() + [other]
    case .publicationAfterCancel:
      return [TraceEvent(.effect, item: event.item, name: "publish"), event]
    default: return [event]
    }
  }

  private func completion(_ event: TraceEvent, _ state: inout State) -> [TraceEvent] {
    switch sabotage {
    case .doubleCompletion: return [event, event]
    case .lostCompletion, .earlySuccess: return []
    default: return [event]
    }
  }

  /// The first thing that is heard of the item is that its second attempt has begun.
  private func attempt(_ event: TraceEvent, _ state: inout State) -> [TraceEvent] {
    var second = event
    second.attempt = 2
    if state.isDone { return [second] }
    state.isDone = true
    let attempts = [1, 2].map { number in
      var entered = TraceEvent(.entered, item: event.item)
      entered.attempt = number
      return entered
    }
    let left = TraceEvent(.left, item: event.item, name: "threw")
    let told = [attempts[0], left, attempts[1]]
    return event.kind == .entered ? told : told + [second]
  }

  private func progress(_ event: TraceEvent, _ state: inout State) -> [TraceEvent] {
    guard let fraction = event.fraction else { return [event] }
    var other = event
    switch sabotage {
    case .progressAboveOne:
      other.fraction = fraction + 1
      return fraction > 0 ? [other] : [event]
    case .fallingProgress:
      other.fraction = fraction / 2
      return fraction > 0 ? [event, other] : [event]
    case .earlyFullProgress:
      guard !state.isDone, fraction < 1 else { return [event] }
      state.isDone = true
      other.fraction = 1
      return [other]
    default: return [event]
    }
  }
}

/// Tells what sabotage makes of what the code tells.
struct SabotagedProbe: Probe {
  let base: any Probe
  let trace: Trace
  let reports: SabotagedReports

  func event(_ event: ProbeEvent) {
    for told in reports.changed(TraceProbe.translated(event)) { trace.record(told) }
  }

  func reach(_ checkpoint: Checkpoint) { base.reach(checkpoint) }

  func fault(_ point: Checkpoint) throws { try base.fault(point) }
}
