import SettleFiles

/// One call of a ``MemoryFileSystem``.
package struct MemoryOperation: Sendable, Hashable, CustomStringConvertible {
  /// The seam's name of the call, such as `createFile`.
  package var call: String
  /// The name or path that it was about; empty for calls on a handle.
  package var subject: [UInt8]

  /// The call and its subject in a form that is safe to print.
  package var description: String { "\(call) \(BytePath(subject))" }
}

/// Which operations fail.
struct MemoryFaults: Sendable {
  struct Planned: Sendable {
    var call: String
    var remaining: Int
    var number: Int32
    var isForever: Bool
    var hasFired = false
  }

  var planned: [Planned] = []
  /// Operations until everything fails; nil for never.
  var untilCrash: Int?

  /// Counts an operation and throws when it is to fail.
  mutating func begin(_ operation: MemoryOperation) throws(FileError) {
    if let left = untilCrash {
      if left == 0 { throw FileError("crash", MemoryFileSystem.crashNumber) }
      untilCrash = left - 1
    }
    for index in planned.indices where planned[index].call == operation.call {
      if planned[index].remaining > 0 { planned[index].remaining -= 1 }
      guard planned[index].remaining == 0 else { continue }
      if planned[index].hasFired && !planned[index].isForever { continue }
      planned[index].hasFired = true
      throw FileError(operation.call, planned[index].number)
    }
  }
}

extension MemoryFileSystem {
  /// The error number of every call after a crash; no system uses it.
  package static let crashNumber: Int32 = 9999

  /// Makes the n-th call from now of one kind fail, counted from 1; `forever` also all after it.
  package func fail(
    call: String, at index: Int = 1, with number: Int32, forever isForever: Bool = false
  ) {
    precondition(index >= 1, "calls are counted from 1")
    let planned = MemoryFaults.Planned(
      call: call, remaining: index, number: number, isForever: isForever)
    state.withLock { $0.faults.planned.append(planned) }
  }

  /// Takes back every fault that was planned.
  package func stopFailing() { state.withLock { $0.faults = MemoryFaults() } }

  /// Faults that have happened; a test whose fault never happened has proven nothing.
  package var firedFaultCount: Int {
    state.withLock { $0.faults.planned.filter(\.hasFired).count }
  }

  /// Lets `count` more operations happen; every later one fails.
  package func crash(after count: Int) { state.withLock { $0.faults.untilCrash = count } }

  /// True once an operation was refused or would be, because of a crash.
  package var hasCrashed: Bool { state.withLock { $0.faults.untilCrash == 0 } }
}
