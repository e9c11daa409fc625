import Synchronization

/// A clock that stands still until a test moves it.
///
/// Moving first waits until the expected number of tasks sleeps, so no test has to guess whether
/// the code under test has come to its sleep. Give tests that wait a `.timeLimit`; every wait ends
/// when its task is cancelled.
package final class ManualClock: Clock, Sendable {
  /// A moment: the time since the clock was made.
  package struct Instant: InstantProtocol {
    /// Time since the clock was made.
    package var offset: Duration

    /// The moment some time later.
    package func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// The time from this moment to another.
    package func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Earlier moments come first.
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    var count: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextNumber = 0
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [Int: Watcher] = [:]

    mutating func makeNumber() -> Int {
      nextNumber += 1
      return nextNumber
    }

    mutating func takeSatisfiedWatchers() -> [Watcher] {
      let numbers = watchers.filter { $0.value.count <= sleepers.count }.keys
      return numbers.compactMap { watchers.removeValue(forKey: $0) }
    }
  }

  private let state = Mutex(State())

  /// A clock at zero.
  package init() {}

  /// The present moment.
  package var now: Instant { state.withLock { $0.now } }

  /// It is as fine as it gets.
  package var minimumResolution: Duration { .zero }

  /// Number of tasks that sleep on this clock.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock was moved to `deadline`, or throws when the task is cancelled.
  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { $0.makeNumber() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isDue, watchers) = state.withLock { state in
          guard state.now < deadline else { return (true, [Watcher]()) }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          return (false, state.takeSatisfiedWatchers())
        }
        if isDue { continuation.resume() }
        for watcher in watchers { watcher.continuation.resume() }
        if Task.isCancelled { cancelSleeper(number) }
      }
    } onCancel: {
      cancelSleeper(number)
    }
  }

  /// Waits until at least `count` tasks sleep, or until the task is cancelled.
  package func waitForSleepers(_ count: Int = 1) async {
    let number = state.withLock { $0.makeNumber() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.sleepers.count >= count { return true }
          state.watchers[number] = Watcher(count: count, continuation: continuation)
          return false
        }
        if isDone { continuation.resume() }
        if Task.isCancelled { cancelWatcher(number) }
      }
    } onCancel: {
      cancelWatcher(number)
    }
  }

  /// Waits until `count` tasks sleep, then moves time and wakes those whose time has come.
  package func advance(by duration: Duration, afterSleepers count: Int = 1) async {
    await waitForSleepers(count)
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let numbers = state.sleepers.filter { $0.value.deadline <= state.now }.keys
      return numbers.compactMap { state.sleepers.removeValue(forKey: $0) }
    }
    for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { sleeper.continuation.resume() }
  }

  /// Moves time to the moment at which the first sleeper wakes, and wakes those whose time has
  /// come. False when nobody sleeps.
  package func wakeNext() -> Bool {
    let due = state.withLock { state in
      guard let next = state.sleepers.values.map(\.deadline).min() else { return [Sleeper]() }
      state.now = max(state.now, next)
      let numbers = state.sleepers.filter { $0.value.deadline <= state.now }.keys.sorted()
      return numbers.compactMap { state.sleepers.removeValue(forKey: $0) }
    }
    for sleeper in due { sleeper.continuation.resume() }
    return !due.isEmpty
  }

  private func cancelSleeper(_ number: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  private func cancelWatcher(_ number: Int) {
    state.withLock { $0.watchers.removeValue(forKey: number) }?.continuation.resume()
  }
}
