import CSettleSystem
import Synchronization

/// What a command has reported so far. Counting and printing are one step, so that the last line
/// agrees with the lines before it also when the process leaves in the middle.
final class Reported<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value
    var isClosed = false
  }

  private let state: Mutex<State>

  /// Nothing was reported yet.
  init(_ value: Value) { state = Mutex(State(value: value)) }

  /// Prints and counts one thing; nothing after the end.
  func add(_ body: (inout Value) -> Void) {
    state.withLock { state in
      if !state.isClosed { body(&state.value) }
    }
  }

  /// Prints the last line, unless the process is just leaving: then this is false.
  func finish(_ body: () -> Void) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.isClosed = true
      body()
      return true
    }
  }

  /// Ends the reporting and says what was reported; nil when the last line is printed already, or
  /// when a line is stuck at a reader that does not read.
  func abandon() -> Value? {
    for _ in 0..<OutputPipe.patience {
      let value = state.withLockIfAvailable { state -> Value? in
        if state.isClosed { return nil }
        state.isClosed = true
        return state.value
      }
      if let value { return value }
      poll(nil, 0, 1)
    }
    return nil
  }
}
