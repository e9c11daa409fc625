import CSettleSystem

/// A queue on which worker threads wait. Any number of senders and takers.
// @unchecked: `messages` and `isClosed` are touched only between lock and unlock of `mutex`, which
// the condition variable needs as a raw pthread mutex (Synchronization.Mutex cannot be waited on).
package final class Mailbox<Message: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var messages: [Message] = []
  private var head = 0
  private var isClosed = false

  /// An empty queue.
  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// Adds a message and wakes one taker. After ``close()`` the message is dropped: false.
  @discardableResult
  package func send(_ message: Message) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed else { return false }
    messages.append(message)
    pthread_cond_signal(arrival)
    return true
  }

  /// The oldest message; waits for one. nil once the queue is closed and empty.
  package func take() -> Message? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while head == messages.count {
      if isClosed { return nil }
      pthread_cond_wait(arrival, mutex)
    }
    let message = messages[head]
    head += 1
    if head == messages.count {
      messages.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > messages.count {
      messages.removeFirst(head)
      head = 0
    }
    return message
  }

  /// All messages; waits for one, for a limited time if `milliseconds` is given. Empty when the time
  /// has passed, or when the queue is closed and empty.
  package func takeAll(waitingAtMost milliseconds: Int32?) -> [Message] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    // The monotonic clock: a wall clock that is set back must not make anybody wait.
    let clock = ContinuousClock()
    let deadline = milliseconds.map { clock.now + .milliseconds($0) }
    while head == messages.count, !isClosed {
      guard let deadline else {
        pthread_cond_wait(arrival, mutex)
        continue
      }
      let left = clock.now.duration(to: deadline)
      guard left > .zero else { break }
      settle_wait_briefly(arrival, mutex, Int32(left / .milliseconds(1)) + 1)
    }
    let all = Array(messages[head...])
    messages.removeAll(keepingCapacity: true)
    head = 0
    return all
  }

  /// No more messages: takers get what is left and then nil.
  package func close() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    isClosed = true
    pthread_cond_broadcast(arrival)
  }
}
