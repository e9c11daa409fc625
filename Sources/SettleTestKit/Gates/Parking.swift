import CSettleSystem
import SettleCore

extension Duration {
  /// How long a wait of the kit takes before it fails: 30 s, times `SETTLE_WAIT_SCALE`.
  ///
  /// Generous, because it costs nothing when the test is right.
  public static var waitLimit: Duration {
    let scale = getenv("SETTLE_WAIT_SCALE").flatMap { Double(String(cString: $0)) } ?? 1
    return .seconds(30) * (scale.isFinite && scale > 0 ? min(scale, 1_000) : 1)
  }
}

/// Somebody who waits, and where.
public struct ParkedWaiter: Sendable, Hashable, CustomStringConvertible {
  /// What it does there.
  public enum Role: String, Sendable, Hashable {
    /// Work that a gate holds.
    case held
    /// A test that waits for something.
    case waiting
    /// A task that sleeps on a test clock.
    case asleep
  }

  /// What it does.
  public var role: Role
  /// The gate or clock, and for what.
  public var place: String
  /// Who it is: an item, or the line of the test.
  public var who: String

  /// `held at gate "before-commit": item 3`.
  public var description: String { "\(role.rawValue) \(place): \(who)" }
}

/// A wait that was in vain: for what, how long, and who waits where.
public struct WaitFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was waited for.
  public var goal: String
  /// Who waited.
  public var who: String
  /// How long.
  public var limit: Duration
  /// Everybody who waited at that moment, the failed one among them.
  public var parked: [ParkedWaiter]

  /// The whole story, one waiter a line.
  public var description: String {
    "\(who) waited \(limit) for \(goal), in vain. Who waits where:\n" + Parking.text(of: parked)
  }
}

/// The table of who waits where, shared by the gates and clocks of one test.
///
/// There is no global one: tests run side by side.
public final class Parking: Sendable {
  struct State: Sendable {
    var gates: [String: GateState] = [:]
    var waiters: [Int: ParkedWaiter] = [:]
    var failures: [WaitFailure] = []
    private var lastNumber = 0

    mutating func park(_ waiter: ParkedWaiter) -> Int {
      lastNumber += 1
      waiters[lastNumber] = waiter
      return lastNumber
    }

    var table: [ParkedWaiter] { waiters.sorted { $0.key < $1.key }.map(\.value) }
  }

  let monitor = Monitor(State())

  /// A table in which nobody waits.
  public init() {}

  /// Who waits now, longest first.
  public var waiters: [ParkedWaiter] { monitor.withLock { $0.table } }

  /// Waits that were in vain, in order.
  public var failures: [WaitFailure] { monitor.withLock { $0.failures } }

  /// The table as text.
  public var table: String { Self.text(of: waiters) }

  static func text(of waiters: [ParkedWaiter]) -> String {
    if waiters.isEmpty { return "  nobody waits anywhere" }
    return waiters.map { "  \($0)" }.joined(separator: "\n")
  }

  /// Blocks this thread until the condition holds. The limit's failure is recorded and thrown.
  func wait<Value>(
    for goal: Goal, until condition: (inout State) -> Value?
  ) throws(WaitFailure) -> Value {
    Self.refuseTask(goal.text)
    let number = monitor.withLock { $0.park(goal.waiter) }
    let value = monitor.wait(atMost: goal.limit, until: condition)
    return try end(number, goal, value)
  }

  /// The same without blocking a task's thread.
  func waitAside<Value: Sendable>(
    for goal: Goal, until condition: @escaping @Sendable (inout State) -> Value?
  ) async throws -> Value {
    try await waitAside(for: goal, on: monitor, until: condition)
  }

  /// Waits for something that another lock guards; the waiter stands in this table.
  func waitAside<Other, Value: Sendable>(
    for goal: Goal, on other: Monitor<Other>,
    until condition: @escaping @Sendable (inout Other) -> Value?
  ) async throws -> Value {
    let number = monitor.withLock { $0.park(goal.waiter) }
    let ending: Monitor<Other>.Ending<Value>
    do {
      ending = try await other.waitAside(atMost: goal.limit, until: condition)
    } catch {
      leave(number)
      throw error
    }
    switch ending {
    case .met(let value): return try end(number, goal, value)
    case .timedOut: return try end(number, goal, nil)
    case .cancelled:
      leave(number)
      throw CancellationError()
    }
  }

  func leave(_ number: Int) { monitor.withLock { _ = $0.waiters.removeValue(forKey: number) } }

  private func end<Value>(
    _ number: Int, _ goal: Goal, _ value: Value?
  ) throws(WaitFailure) -> Value {
    let failure = monitor.withLock { state -> WaitFailure? in
      let table = state.table
      state.waiters.removeValue(forKey: number)
      guard value == nil else { return nil }
      let failure = WaitFailure(
        goal: goal.text, who: goal.waiter.who, limit: goal.limit, parked: table)
      state.failures.append(failure)
      return failure
    }
    if let failure { throw failure }
    guard let value else { preconditionFailure("a wait without a value has failed") }
    return value
  }

  /// Blocking a task's thread takes one of few away from all tasks, and may stop them all.
  private static func refuseTask(_ goal: String) {
    let isTask = withUnsafeCurrentTask { $0 != nil }
    precondition(
      !isTask || ThreadExecutor.isCurrent,
      "a blocking wait for \(goal) was called on a task's thread: use the async variant")
  }
}

/// What somebody waits for, who it is, and for how long.
struct Goal: Sendable {
  var text: String
  var waiter: ParkedWaiter
  var limit: Duration

  /// A test that waits.
  static func test(_ text: String, _ file: String, _ line: Int, _ limit: Duration) -> Goal {
    Goal(
      text: text,
      waiter: ParkedWaiter(
        role: .waiting, place: "for \(text)", who: "the test at \(file):\(line)"),
      limit: limit)
  }
}
