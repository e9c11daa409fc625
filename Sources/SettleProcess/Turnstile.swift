import CSettleSystem

/// Lets a fixed number of callers in at a time; the others wait and can be cancelled (CAN-9).
// @unchecked: `free` is only touched while `mutex` is held, and the pointers never change.
package final class Turnstile: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var free: Int

  /// A turnstile with so many places, at least one.
  package init(places: Int) {
    free = max(1, places)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Takes a place; false when the cancellation was seen first.
  package func enter(isCancelled: () -> Bool) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while free == 0 {
      // The caller's closure never runs under the lock.
      pthread_mutex_unlock(mutex)
      let isOver = isCancelled()
      pthread_mutex_lock(mutex)
      if isOver { return false }
      if free == 0 { settle_wait_briefly(condition, mutex, 20) }
    }
    free -= 1
    return true
  }

  /// Gives the place back.
  package func leave() {
    pthread_mutex_lock(mutex)
    free += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}
