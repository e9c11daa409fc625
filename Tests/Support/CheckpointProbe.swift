import SettleCore
import SettleFiles
import Synchronization

/// A probe that records what happens and runs an action when work arrives at a checkpoint.
///
/// The action runs on the thread that arrived, so what it does has happened before the work goes
/// on: no waiting, no timing.
package final class CheckpointProbe: Probe {
  private struct State {
    var events: [ProbeEvent] = []
    var reached: [Checkpoint] = []
    var actions: [String: @Sendable (Checkpoint) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// A probe without actions.
  package init() {}

  /// Runs an action at every arrival at a checkpoint of this name.
  package func at(_ name: String, _ action: @escaping @Sendable (Checkpoint) -> Void) {
    state.withLock { $0.actions[name] = action }
  }

  /// Where work has arrived, in order.
  package var reached: [Checkpoint] { state.withLock { $0.reached } }

  /// What has happened, in order.
  package var events: [ProbeEvent] { state.withLock { $0.events } }

  /// How often something happened.
  package func count(_ name: String) -> Int { events.filter { $0.name == name }.count }

  package func event(_ event: ProbeEvent) { state.withLock { $0.events.append(event) } }

  package func reach(_ checkpoint: Checkpoint) {
    let action = state.withLock { state in
      state.reached.append(checkpoint)
      return state.actions[checkpoint.name]
    }
    action?(checkpoint)
  }
}

/// A place where a thread waits until a test lets it go; waiting too long fails and goes on.
package final class Gate: Sendable {
  private let arrivals = Mailbox<Void>()
  private let openings = Mailbox<Void>()
  private let limit: Int32

  /// A closed gate. `limitMilliseconds` ends a test that would hang.
  package init(limitMilliseconds: Int32 = 200_000) { limit = limitMilliseconds }

  /// Arrives and waits for ``open()``. False when nobody opened in time.
  @discardableResult
  package func wait() -> Bool {
    arrivals.send(())
    return !openings.takeAll(waitingAtMost: limit).isEmpty
  }

  /// Lets one waiting thread go, now or when it arrives.
  package func open() { openings.send(()) }

  /// Waits until a thread has arrived. False when none did in time.
  package func waitForArrival() async -> Bool {
    let result = try? await WorkerThread.run { () throws(SettleError) in
      !self.arrivals.takeAll(waitingAtMost: self.limit).isEmpty
    }
    return result ?? false
  }
}

/// Collects values from any thread.
package final class Collector<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  /// Nothing collected.
  package init() {}

  /// Adds one.
  package func add(_ value: Value) { values.withLock { $0.append(value) } }

  /// What was collected, in order.
  package var all: [Value] { values.withLock { $0 } }
}
