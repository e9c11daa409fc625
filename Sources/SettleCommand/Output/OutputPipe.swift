import CSettleSystem
import Synchronization

/// A standard stream, written whole or not at all, from any thread.
///
/// A reader that went away is a quiet end of the output and nothing else: the work goes on. Any
/// other failure is remembered, so that a full disk behind `>` is not taken for success.
final class OutputPipe: Sendable {
  private let descriptor: Int32
  private let state = Mutex<State>(.open)

  private enum State: Sendable {
    case open
    /// The last line is written.
    case finished
    case ended
    case failed(Int32)
  }

  /// A stream on an open descriptor.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The error number of a failed write, a closed pipe not included.
  var failure: Int32? {
    state.withLock { if case .failed(let number) = $0 { number } else { nil } }
  }

  /// True when nobody reads any more.
  var isEnded: Bool {
    state.withLock { if case .open = $0 { false } else { true } }
  }

  /// Writes text.
  func write(_ text: String) {
    state.withLock { state in
      guard case .open = state else { return }
      let end = Self.write(Array(text.utf8), to: descriptor)
      if let end { state = end == EPIPE ? .ended : .failed(end) }
    }
  }

  /// Writes the last text and closes the stream to everything after.
  func finish(with text: String) {
    state.withLock { state in
      guard case .open = state else { return }
      let end = Self.write(Array(text.utf8), to: descriptor)
      state = end.map { $0 == EPIPE ? .ended : .failed($0) } ?? .finished
    }
  }

  /// Writes a last text if that is possible now, and closes the stream to everything after. False
  /// when the last text was written before, by ``finish(with:)``.
  ///
  /// For a process that must leave within a second: it waits a moment for a thread that is just
  /// writing, and neither for a slow reader nor for a thread that is stuck.
  @discardableResult
  func endNow(with text: String) -> Bool {
    for _ in 0..<Self.patience {
      let isOurs = state.withLockIfAvailable { state in
        if case .finished = state { return false }
        if case .open = state, Self.isReady(descriptor) {
          _ = Self.write(Array(text.utf8), to: descriptor)
        }
        state = .ended
        return true
      }
      if let isOurs { return isOurs }
      poll(nil, 0, 1)
    }
    return true
  }

  /// Milliseconds that a process which leaves waits for the lock of a stream.
  static let patience = 200

  private static func isReady(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLOUT) != 0
  }

  /// nil when all was written, else the error number.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        CSettleSystem.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch settle_errno() {
      case EINTR: break
      case EAGAIN:
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 1_000)
      case let number: return number
      }
    }
    return nil
  }
}
