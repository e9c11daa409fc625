import CSettleSystem
import SettleCore
import Synchronization

/// A child process with a process group of its own (CAN-8, PIP-2).
///
/// - The child and everything that it started in its group end with this object at the latest:
///   the last reference kills the group and collects the child.
/// - The group is only ever signalled while its leader is uncollected, so the number cannot
///   belong to a stranger.
/// - Calls block; use them from worker threads. One thread talks to the child, any thread may
///   end it.
package final class ChildProcess: Sendable {
  /// How a child ended.
  package enum ExitStatus: Sendable, Hashable {
    /// It left with this code.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
    /// Other code of this process collected it; how it ended is not known.
    case lost
  }

  /// The answer to a read.
  package enum ReadAnswer: Sendable, Hashable {
    /// Some bytes, at least one.
    case bytes([UInt8])
    /// The child closed the stream.
    case end
    /// The deadline passed.
    case timedOut
    /// The caller's cancellation was seen.
    case cancelled
  }

  /// The answer to a write.
  package enum WriteAnswer: Sendable, Hashable {
    /// All bytes are on their way.
    case written
    /// The child reads no more.
    case closed
    /// The deadline passed.
    case timedOut
    /// The caller's cancellation was seen.
    case cancelled
  }

  /// The number of the process and of its group.
  package let processIdentifier: pid_t
  let output: Int32
  let errors: Int32
  /// Readable once the child has ended; -1 where the kernel has no such thing.
  let exitDescriptor: Int32
  private let input: Mutex<Int32>
  private let status = Mutex<ExitStatus?>(nil)

  /// Starts the command. Throws `toolMissing` when there is no such program, else `toolFailed`.
  package init(_ command: Command) throws(SettleError) {
    let started = try spawn(command)
    processIdentifier = started.process
    input = Mutex(started.ends.input)
    output = started.ends.output
    errors = started.ends.errors
    exitDescriptor = settle_process_descriptor(started.process)
  }

  deinit {
    _ = kill()
    closeInput()
    for descriptor in [output, errors, exitDescriptor] where descriptor >= 0 { close(descriptor) }
  }

  /// Writes all bytes to the child's input.
  package func write(_ bytes: [UInt8], patience: Patience) -> WriteAnswer {
    var sent = 0
    while sent < bytes.count {
      switch writeNow(bytes[sent...]) {
      case .some(let count) where count > 0: sent += count
      case .some:
        var entries = [pollfd(fd: inputDescriptor, events: Int16(POLLOUT), revents: 0)]
        switch patience.wait(for: &entries) {
        case .look: break
        case .timedOut: return .timedOut
        case .cancelled: return .cancelled
        }
      case nil: return .closed
      }
    }
    return .written
  }

  /// Reads what the child's output holds, waiting for the first byte.
  package func read(upTo count: Int, patience: Patience) -> ReadAnswer {
    while true {
      var entries = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      switch patience.wait(for: &entries) {
      case .look: break
      case .timedOut: return .timedOut
      case .cancelled: return .cancelled
      }
      guard entries[0].revents != 0 else { continue }
      guard let bytes = readNow(output, upTo: count) else { continue }
      return bytes.isEmpty ? .end : .bytes(bytes)
    }
  }

  /// Closes the child's input, which tells a well-behaved child to finish.
  package func closeInput() {
    input.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  /// How the child ended; nil while it runs. Collects a child that has ended, and kills what is
  /// left of its group first.
  package func poll() -> ExitStatus? {
    status.withLock { status in
      if status == nil {
        switch settle_child_has_ended(processIdentifier) {
        case 0: break
        case 1: status = killAndCollect()
        default: status = .lost
        }
      }
      return status
    }
  }

  /// Waits for the child to end by itself; nil when the patience ended first.
  package func wait(patience: Patience) -> ExitStatus? {
    while true {
      if let status = poll() { return status }
      var entries = [pollfd(fd: exitDescriptor, events: Int16(POLLIN), revents: 0)]
      guard patience.wait(for: &entries) == .look else { return poll() }
    }
  }

  /// Asks the group to end, gives it time, then kills it. Returns when the child is collected.
  @discardableResult
  package func terminate(grace: Duration) -> ExitStatus {
    signalGroup(SIGTERM)
    return wait(patience: Patience(for: grace)) ?? kill()
  }

  /// Kills the group and collects the child. May be called at any time, any number of times.
  @discardableResult
  package func kill() -> ExitStatus {
    status.withLock { status in
      if let status { return status }
      let isOurs = settle_child_has_ended(processIdentifier) >= 0
      let final = isOurs ? killAndCollect() : .lost
      status = final
      return final
    }
  }

  /// Sends a signal to the whole group, unless the child was collected already.
  package func signalGroup(_ number: Int32) {
    status.withLock { status in
      guard status == nil, settle_child_has_ended(processIdentifier) >= 0 else { return }
      _ = CSettleSystem.kill(-processIdentifier, number)
    }
  }

  /// The caller holds the lock of `status` and knows that the child is uncollected, which keeps
  /// the group's number ours until waitpid.
  private func killAndCollect() -> ExitStatus {
    _ = CSettleSystem.kill(-processIdentifier, SIGKILL)
    return collect()
  }

  /// Waits for a child that has ended or was killed.
  private func collect() -> ExitStatus {
    var raw: Int32 = 0
    while waitpid(processIdentifier, &raw, 0) != processIdentifier {
      guard settle_errno() == EINTR else { return .lost }
    }
    if settle_was_signalled(raw) != 0 { return .signalled(settle_signal_number(raw)) }
    return .exited(settle_exit_status(raw))
  }
}

extension ChildProcess {
  var inputDescriptor: Int32 { input.withLock { $0 } }

  /// Sends what fits now: the count, 0 when nothing fits, nil when the child reads no more.
  func writeNow(_ bytes: ArraySlice<UInt8>) -> Int? {
    // The lock keeps the descriptor open during the call, which never waits.
    input.withLock { descriptor in
      guard descriptor >= 0 else { return nil }
      let sent = bytes.withUnsafeBytes { settle_send_now(descriptor, $0.baseAddress, $0.count) }
      if sent >= 0 { return sent }
      let isFull = [EAGAIN, EWOULDBLOCK, EINTR, ENOBUFS].contains(settle_errno())
      return isFull ? 0 : nil
    }
  }

  /// Reads from a descriptor that poll found ready: empty at the end, nil to try again.
  func readNow(_ descriptor: Int32, upTo count: Int) -> [UInt8]? {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      result = CSettleSystem.read(descriptor, buffer.baseAddress!, count)
      used = max(result, 0)
    }
    if result < 0, settle_errno() == EINTR || settle_errno() == EAGAIN { return nil }
    return bytes
  }
}
