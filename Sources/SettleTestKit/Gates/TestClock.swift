import Synchronization

/// A clock that stands still until a test moves it.
///
/// Moving first waits until the expected number of tasks sleeps, so no test has to guess whether
/// the code under test has come to its sleep. Every wait has a limit; a cancelled sleep ends.
public final class TestClock: Clock, Sendable {
  /// A moment: the time since the clock was made.
  public struct Instant: InstantProtocol {
    /// Time since the clock was made.
    public var offset: Duration

    /// The moment so long after the clock was made.
    public init(offset: Duration) { self.offset = offset }

    /// The moment some time later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// The time from this moment to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Earlier moments come first.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var parked: Int
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextNumber = 0
    var sleepers: [Int: Sleeper] = [:]

    mutating func makeNumber() -> Int {
      nextNumber += 1
      return nextNumber
    }
  }

  private let state = Mutex(State())
  private let name: String
  /// The table of who waits where.
  public let parking: Parking

  /// A clock at zero. The name tells clocks of one table apart.
  public init(_ name: String = "test clock", in parking: Parking = Parking()) {
    self.name = name
    self.parking = parking
  }

  /// The present moment.
  public var now: Instant { state.withLock { $0.now } }

  /// It is as fine as it gets.
  public var minimumResolution: Duration { .zero }

  /// Number of tasks that sleep on this clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock was moved to `deadline`, or throws when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { $0.makeNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isAsleep = state.withLock { state in
          guard state.now < deadline else { return false }
          let waiter = ParkedWaiter(
            role: .asleep, place: "on \(name)", who: "a task, until \(deadline.offset)")
          let parked = parking.monitor.withLock { $0.park(waiter) }
          state.sleepers[number] = Sleeper(
            deadline: deadline, parked: parked, continuation: continuation)
          return true
        }
        if !isAsleep { continuation.resume() }
        if Task.isCancelled { cancelSleeper(number) }
      }
    } onCancel: {
      cancelSleeper(number)
    }
  }

  /// Waits until at least `count` tasks sleep.
  public func waitForSleepers(
    _ count: Int = 1, within limit: Duration = .waitLimit, file: String = #fileID,
    line: Int = #line
  ) async throws {
    let place = "on \(name)"
    let goal = Goal.test("\(count) asleep \(place)", file, line, limit)
    try await parking.waitAside(for: goal) { state in
      let asleep = state.waiters.values.count { $0.role == .asleep && $0.place == place }
      return asleep >= count ? () : nil
    }
  }

  /// Waits until `count` tasks sleep, then moves time and wakes those whose time has come.
  public func advance(
    by duration: Duration, afterSleepers count: Int = 1, file: String = #fileID, line: Int = #line
  ) async throws {
    precondition(duration >= .zero, "time does not go back")
    try await waitForSleepers(count, file: file, line: line)
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let numbers = state.sleepers.filter { $0.value.deadline <= state.now }.keys.sorted()
      return numbers.compactMap { state.sleepers.removeValue(forKey: $0) }
    }
    for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { wake(sleeper, nil) }
  }

  /// Moves time to the moment at which the first sleeper wakes, and wakes those whose time has
  /// come; at once. False when nobody sleeps.
  @discardableResult
  public func wakeNext() -> Bool {
    let due = state.withLock { state in
      guard let next = state.sleepers.values.map(\.deadline).min() else { return [Sleeper]() }
      state.now = max(state.now, next)
      let numbers = state.sleepers.filter { $0.value.deadline <= state.now }.keys.sorted()
      return numbers.compactMap { state.sleepers.removeValue(forKey: $0) }
    }
    for sleeper in due { wake(sleeper, nil) }
    return !due.isEmpty
  }

  private func cancelSleeper(_ number: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    if let sleeper { wake(sleeper, CancellationError()) }
  }

  private func wake(_ sleeper: Sleeper, _ error: (any Error)?) {
    parking.leave(sleeper.parked)
    if let error {
      sleeper.continuation.resume(throwing: error)
    } else {
      sleeper.continuation.resume()
    }
  }
}
