import Synchronization

/// A door that opens once: tasks wait until it does or until they are cancelled.
package final class SettledSignal: Sendable {
  private struct State {
    var isOpen = false
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// A closed door.
  package init() {}

  /// Lets everybody go, now and later.
  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Returns when the door is open or the task is cancelled.
  package func wait() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiters[number] = continuation }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
        // A cancellation before the line above found nobody to wake.
        if Task.isCancelled { wake(number) }
      }
    } onCancel: {
      wake(number)
    }
  }

  /// Returns when the door is open, whatever happens to the task.
  package func waitUninterrupted() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen {
          state.nextWaiter += 1
          state.waiters[state.nextWaiter] = continuation
        }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Lets one waiter go.
  private func wake(_ number: Int) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
  }
}
