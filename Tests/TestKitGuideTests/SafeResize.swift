import Foundation
import SettleCore
import Synchronization

// @unchecked: what changes in it is behind a lock.
final class SafeResize: Operation, @unchecked Sendable {
  private struct State {
    var (isCancelled, isCommitted) = (false, false)
    var outcome: OutcomeKind?
  }

  private let state = Mutex(State())
  let (item, source, target): (Int, URL, URL)
  let probe: any Probe

  init(_ item: Int, from source: URL, to target: URL, probe: any Probe = NoProbe()) {
    (self.item, self.source, self.target, self.probe) = (item, source, target, probe)
  }

  var outcome: OutcomeKind? { state.withLock { $0.outcome } }

  // Not cancel(): an operation that is cancelled so before it begins never comes to main().
  func askToCancel() -> CancelAnswer {
    state.withLock { state in
      if state.isCancelled { return .alreadyRequested }
      if state.isCommitted || state.outcome != nil { return .tooLate }
      state.isCancelled = true
      return .accepted
    }
  }

  override func main() {
    let needed = dependencies.compactMap { $0 as? SafeResize }
    if needed.contains(where: { $0.outcome != .succeeded }) { return end(.skipped) }
    if state.withLock({ $0.isCancelled }) { return end(.cancelled) }
    tell("entered")
    end(work())
  }

  private func work() -> OutcomeKind {
    do {
      let picture = try Data(contentsOf: source)
      probe.reach(Checkpoint("processing", item: item))
      probe.reach(Checkpoint("before-publish", item: item))
      tell("commitAsked")
      guard commits() else { return .cancelled }
      tell("commit")
      probe.reach(Checkpoint("publish", item: item))
      tell("effect.publish")
      try probe.fault(Checkpoint("write", item: item))
      try picture.write(to: target, options: .atomic)
      return .succeeded
    } catch {
      return .failed
    }
  }

  // Cancel and commit are decided here, under one lock.
  private func commits() -> Bool {
    state.withLock { state in
      state.isCommitted = !state.isCancelled
      return state.isCommitted
    }
  }

  private func end(_ outcome: OutcomeKind) {
    state.withLock { $0.outcome = outcome }
    tell("outcome." + outcome.rawValue)
    tell("completion")
  }

  private func tell(_ event: String) { probe.event(ProbeEvent(event, item: item)) }
}
