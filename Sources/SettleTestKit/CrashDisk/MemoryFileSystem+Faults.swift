import SettleCore
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

// Short ways to plan what most tests want; ``MemoryFileSystem/plan`` takes everything else.
extension MemoryFileSystem {
  /// The error number of every call after a crash; no system uses it.
  package static let crashNumber = FaultyFileSystem.crashNumber

  /// Makes the n-th call from now of one kind fail, counted from 1; `forever` also all after it.
  package func fail(
    call: String, at index: Int = 1, with number: Int32, forever isForever: Bool = false
  ) {
    plan.add(.at(call, index, .error(number), forever: isForever))
  }

  /// Takes back every fault that was planned.
  package func stopFailing() { plan.lift() }

  /// Faults that have happened; a test whose fault never happened has proven nothing.
  package var firedFaultCount: Int { plan.fired.count }

  /// Lets `count` more operations happen; every later one fails.
  package func crash(after count: Int) { plan.add(.atAny(count + 1, .crash)) }

  /// True once an operation was refused or would be, because of a crash.
  package var hasCrashed: Bool { plan.isAtCrash }
}
