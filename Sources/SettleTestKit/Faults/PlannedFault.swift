import CSettleSystem
import SettleCore

/// An operation that may be made to fail: a call to the disk, or a named point in anybody's code.
public struct FaultPoint: Sendable, Hashable, CustomStringConvertible {
  /// What is done, such as `write` or `upload`.
  public var kind: String
  /// The name or path that it is about; empty when there is none.
  public var subject: [UInt8]
  /// The item that it is about, or -1.
  public var item: Int
  /// How many bytes it is about to write or read; nil when it does neither.
  public var byteCount: Int?
  /// True when it takes room on a disk, so that a full one refuses it.
  public var needsSpace: Bool

  /// An operation about something.
  public init(
    _ kind: String, subject: [UInt8] = [], item: Int = -1, byteCount: Int? = nil,
    needsSpace: Bool = false
  ) {
    self.kind = kind
    self.subject = subject
    self.item = item
    self.byteCount = byteCount
    self.needsSpace = needsSpace
  }

  /// `write "a.pdf", item 3`, in a form that is safe to print.
  public var description: String {
    var text = shown(Array(kind.utf8))
    if !subject.isEmpty { text += " " + quoted(subject) }
    if item >= 0 { text += ", item \(item)" }
    return text
  }
}

/// What happens in an operation's place.
public enum FaultEffect: Sendable, CustomStringConvertible {
  /// It fails with a system's error number.
  case error(Int32)
  /// It fails with an error of the code under test. Only at named points of a `Probe`.
  case throwing(any Error)
  /// A write or read takes only so many bytes, at least one.
  case short(byteCount: Int)
  /// It waits at a gate until the test lets it go, and is then done.
  case held(Gate)
  /// It waits until a test clock was moved so far, and is then done.
  case delayed(Duration, on: TestClock)
  /// The process ends here: neither this nor any later operation is done.
  case crash

  /// It fails because the disk is full.
  public static var noSpace: FaultEffect { .error(ENOSPC) }

  /// `fails with error 28 (No space left on device)`.
  public var description: String {
    switch self {
    case .error(let number): "fails with error \(number) (\(String(cString: strerror(number))))"
    case .throwing(let error): "throws " + shown(Array("\(error)".utf8))
    case .short(let count): "takes only \(count) bytes"
    case .held(let gate): "is held at gate \(quoted(Array(gate.name.utf8)))"
    case .delayed(let duration, _): "is delayed by \(duration) of the test clock"
    case .crash: "crashes the process"
    }
  }
}

/// Which operation gets which effect.
public struct PlannedFault: Sendable, CustomStringConvertible {
  enum Occasion: Sendable {
    /// The n-th of a kind, or of all kinds; `isForever`: and all after it.
    case number(Int, kind: String?, isForever: Bool)
    /// The first for which so many bytes are too few, and all after it that need room.
    case full(afterByteCount: Int)
  }

  let occasion: Occasion
  /// What happens.
  public let effect: FaultEffect

  private init(_ occasion: Occasion, _ effect: FaultEffect) {
    self.occasion = occasion
    self.effect = effect
  }

  /// The n-th operation of a kind, counted from 1 when the fault joins its plan; `forever` also all
  /// of this kind after it. Traps when `number` or a short count is less than 1.
  public static func at(
    _ kind: String, _ number: Int, _ effect: FaultEffect, forever: Bool = false
  ) -> PlannedFault {
    make(number, kind, effect, forever)
  }

  /// The first operation of a kind; `forever` also all of this kind after it.
  public static func at(
    _ kind: String, _ effect: FaultEffect, forever: Bool = false
  ) -> PlannedFault {
    make(1, kind, effect, forever)
  }

  /// The n-th operation, whatever its kind; `forever` also all after it.
  public static func atAny(
    _ number: Int, _ effect: FaultEffect, forever: Bool = false
  ) -> PlannedFault {
    make(number, nil, effect, forever)
  }

  /// A disk that takes so many more bytes: the write that reaches the end is short, and what needs
  /// room after it fails with ENOSPC. Removing gives nothing back.
  public static func diskFull(after byteCount: Int = 0) -> PlannedFault {
    precondition(byteCount >= 0, "a disk has no negative room")
    return PlannedFault(.full(afterByteCount: byteCount), .noSpace)
  }

  private static func make(
    _ number: Int, _ kind: String?, _ effect: FaultEffect, _ isForever: Bool
  ) -> PlannedFault {
    precondition(number >= 1, "operations are counted from 1")
    if case .short(let count) = effect {
      precondition(count >= 1, "a short write takes at least one byte")
    }
    return PlannedFault(.number(number, kind: kind, isForever: isForever), effect)
  }

  /// `write #3 fails with error 5 (Input/output error)`.
  public var description: String {
    switch occasion {
    case .number(let number, let kind, let isForever):
      let what = kind.map { shown(Array($0.utf8)) } ?? "operation"
      return "\(what) #\(number)\(isForever ? " and all after it" : "") \(effect)"
    case .full(let byteCount): return "the disk is full after \(byteCount) bytes"
    }
  }
}

/// A fault that has happened.
public struct FiredFault: Sendable, CustomStringConvertible {
  /// What was planned.
  public var fault: PlannedFault
  /// The first operation that it hit.
  public var point: FaultPoint
  /// That operation's place among all that asked the plan, from 1.
  public var number: Int

  /// The fault and what it hit.
  public var description: String { "\(fault): operation \(number), \(point)" }
}

/// A fault that was planned and has not happened, and why.
public struct UnfiredFault: Sendable, CustomStringConvertible {
  /// What was planned.
  public var fault: PlannedFault
  /// Why it did not happen.
  public var reason: String
  /// True when its operation came and could not have this effect.
  public var isImpossible: Bool

  /// The fault and why it did not happen.
  public var description: String { "\(fault): \(reason)" }
}

/// Faults that were planned and never happened: the scenario has proven nothing about them.
public struct UnfiredFaults: Error, Sendable, CustomStringConvertible {
  /// Each of them.
  public var faults: [UnfiredFault]

  /// One a line.
  public var description: String {
    (["planned faults that never happened:"] + faults.map { "  \($0)" }).joined(separator: "\n")
  }
}
