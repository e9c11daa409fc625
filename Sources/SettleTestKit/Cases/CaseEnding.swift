import SettleCore
import Synchronization

/// Whether a batch has ended. It stands in the same table as the gates, so that a wait can be for
/// either.
final class Ending: Sendable {
  /// The name of the gate at which the end arrives.
  let gate = "settle: the batch has ended"
  private let parking: Parking
  private let error = Mutex<(any Error)?>(nil)

  init(_ parking: Parking) {
    self.parking = parking
  }

  /// It has ended, or could not be run.
  func come(_ error: (any Error)?) {
    self.error.withLock { $0 = error }
    parking.monitor.withLock { state in
      state.gates[gate, default: GateState()].arrivals.append(
        GateArrival(gate: gate, number: 1, generation: 1))
    }
  }

  /// Waits for the end. Throws what kept the batch from being run.
  func wait(_ goal: Goal) async throws {
    let gate = gate
    try await parking.waitAside(for: goal) { state -> Void? in
      state.gates[gate]?.arrivals.isEmpty == false ? () : nil
    }
    if let error = error.withLock({ $0 }) { throw BatchNotRun(cause: error) }
  }
}

/// A batch that could not be run at all.
struct BatchNotRun: Error, CustomStringConvertible {
  let cause: any Error

  var description: String { "the batch could not be run, the adapter threw: \(cause)" }
}

extension Parking {
  /// Lets go whoever is held at a gate, now and later.
  func openAll() {
    monitor.withLock { state in
      for name in state.gates.keys { state.gates[name]?.isOpen = true }
    }
  }
}

extension BatchFiles {
  /// What is there of an item's result.
  func result(_ item: Int) -> BatchResult { results[item] ?? .absent }
}

extension CaseEnd {
  /// What the events and the files say about the end.
  init(_ files: BatchFiles, _ events: [TraceEvent], itemCount: Int) {
    let items = (0..<itemCount).map { number in
      let own = events.filter { $0.item == String(number) }
      let outcome = own.first { $0.kind == .outcome }
      return Item(
        outcome: outcome.flatMap { OutcomeKind(rawValue: $0.name) },
        result: files.result(number), completions: own.count { $0.kind == .completion })
    }
    self.init(items: items, leftovers: files.leftovers)
  }
}
