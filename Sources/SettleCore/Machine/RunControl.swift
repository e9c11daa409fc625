import Synchronization

/// One run's machine behind one lock: the one place that decides cancel against commit (CAN-7).
///
/// Effects are returned and performed by the caller outside the lock, so nothing here can wait for
/// work. Every call may come from any thread.
package final class RunControl: Sendable {
  private let machine: Mutex<RunMachine>

  /// A run that has not started.
  package init(_ links: StepLinks, permits: Int = .max) {
    machine = Mutex(RunMachine(links, permits: permits))
  }

  /// Applies one event; perform what it returns, in order.
  package func apply(_ event: RunEvent) -> [RunEffect] {
    machine.withLock { $0.apply(event) }
  }

  /// The next step that may run, if any.
  package func claimNext() -> StepClaim? {
    for case .began(let claim) in apply(.claimNext) { return claim }
    return nil
  }

  /// Where the run is, its steps by outcome, and whether a cancellation was accepted.
  package var status: (state: RunState, counts: OutcomeCounts, isCancelled: Bool) {
    machine.withLock { ($0.state, $0.counts, $0.isCancelled) }
  }

  /// True once a cancellation was accepted. Bodies ask before each unit of work (CAN-1).
  package var isCancelled: Bool { machine.withLock { $0.isCancelled } }

  /// Events that were refused.
  package var rejectedEvents: Int { machine.withLock { $0.rejectedEvents } }
}
