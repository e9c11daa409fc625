import CSettleSystem
import SettleCore
import SettleFiles
import Synchronization

/// State that threads wait on, each for a limited time.
// @unchecked: `state` is touched only between lock and unlock of `mutex`, which the condition
// variable needs as a raw pthread mutex (Synchronization.Mutex cannot be waited on).
final class Monitor<State: Sendable>: @unchecked Sendable {
  /// How a wait ended.
  enum Ending<Value: Sendable>: Sendable {
    case met(Value)
    case timedOut
    case cancelled
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(change, nil)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(mutex)
    change.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the state; whoever waits looks at it again.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let result = body(&state)
    pthread_cond_broadcast(change)
    return result
  }

  /// Blocks this thread until `condition` gives a value; nil when the time is over.
  ///
  /// `condition` may change the state when it gives a value, and only then.
  func wait<Value>(
    atMost limit: Duration, until condition: (inout State) -> Value?
  ) -> Value? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    // The monotonic clock: a wall clock that is set must neither end a wait nor prolong it.
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
      if let value = condition(&state) {
        pthread_cond_broadcast(change)
        return value
      }
      let left = clock.now.duration(to: deadline)
      guard left > .zero else { return nil }
      let milliseconds = min(left / .milliseconds(1), 60_000)
      settle_wait_briefly(change, mutex, Int32(milliseconds) + 1)
    }
  }

  /// Waits without blocking a task's thread: the waiting is done on a thread of its own, so that a
  /// starved task pool cannot keep the limit from being noticed.
  func waitAside<Value: Sendable>(
    atMost limit: Duration, until condition: @escaping @Sendable (inout State) -> Value?
  ) async throws(SettleError) -> Ending<Value> {
    let mark = CancelMark()
    do {
      return try await withTaskCancellationHandler {
        try await WorkerThread.run { () throws(SettleError) -> Ending<Value> in
          let ending: Ending<Value>? = self.wait(atMost: limit) { state in
            if let value = condition(&state) { return .met(value) }
            return mark.isSet ? .cancelled : nil
          }
          return ending ?? .timedOut
        }
      } onCancel: {
        mark.set()
        self.withLock { _ in }
      }
    } catch let error as SettleError {
      throw error
    } catch {
      throw SettleError(.unexpected, detail: "\(error)")
    }
  }
}

/// Whether a waiting task was cancelled.
private final class CancelMark: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
