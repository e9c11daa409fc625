import CSettleSystem
import SettleCore

extension Command {
  /// Runs the command to its end and returns what it left.
  ///
  /// Blocks. `isCancelled` is asked at least every 50 ms; then, as after the time limit, the
  /// whole group is asked to end, given the grace and killed. Nothing of the group outlives the
  /// call. Throws `toolMissing` or `toolFailed` when the program cannot be started or its end
  /// cannot be learnt.
  package func run(
    input bytes: [UInt8] = [], limits: CommandLimits = CommandLimits(),
    isCancelled: () -> Bool = { false }
  ) throws(SettleError) -> CommandResult {
    var command = self
    if !bytes.isEmpty { command.input = .pipe }
    let child = try ChildProcess(command)
    // Nothing keeps the closure beyond this call.
    let conversation = withoutActuallyEscaping(isCancelled) { isCancelled in
      var conversation = Conversation(child: child, input: bytes[...], limits: limits)
      conversation.hold(Patience(for: limits.duration, isCancelled: isCancelled))
      return conversation
    }
    guard let ending = conversation.ending else {
      throw SettleError(
        .toolFailed, subject: executable, cause: .init(call: "waitpid", number: ECHILD))
    }
    return CommandResult(
      ending: ending, output: conversation.output, errors: conversation.errors)
  }
}

/// Feeds a child and collects what it says, until it ends.
private struct Conversation {
  let child: ChildProcess
  var input: ArraySlice<UInt8>
  let limits: CommandLimits
  var output = CommandResult.Capture()
  var errors = CommandResult.Capture()
  /// nil until the child has ended, and when nobody can learn how it did.
  private(set) var ending: CommandResult.Ending?
  private var isOutputOpen: Bool
  private var areErrorsOpen: Bool

  init(child: ChildProcess, input: ArraySlice<UInt8>, limits: CommandLimits) {
    self.child = child
    self.input = input
    self.limits = limits
    isOutputOpen = child.output >= 0
    areErrorsOpen = child.errors >= 0
  }

  /// Talks until the child has ended; then `ending` tells how.
  mutating func hold(_ patience: Patience) {
    while true {
      if let status = child.poll() {
        ending = Self.ending(status)
        return drain()
      }
      var entries = entriesToWatch()
      switch patience.wait(for: &entries) {
      case .look: move(entries)
      case .timedOut: return end(as: .timedOut)
      case .cancelled: return end(as: .cancelled)
      }
    }
  }

  private static func ending(_ status: ChildProcess.ExitStatus) -> CommandResult.Ending? {
    switch status {
    case .exited(let code): .exited(code)
    case .signalled(let number): .signalled(number)
    case .lost: nil
    }
  }

  private mutating func end(as ending: CommandResult.Ending) {
    self.ending = ending
    child.signalGroup(SIGTERM)
    let patience = Patience(for: limits.grace)
    // The child may need its output read in order to finish.
    while child.poll() == nil {
      var entries = entriesToWatch()
      guard patience.wait(for: &entries) == .look else { break }
      move(entries)
    }
    child.kill()
    drain()
  }

  private func entriesToWatch() -> [pollfd] {
    let wanted = input.isEmpty ? -1 : child.inputDescriptor
    return [
      pollfd(fd: wanted, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: isOutputOpen ? child.output : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: areErrorsOpen ? child.errors : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0),
    ]
  }

  private mutating func move(_ entries: [pollfd]) {
    if entries[0].revents != 0 {
      // A child that reads no more is fine: its exit tells whether it had enough.
      if let count = child.writeNow(input) { input = input.dropFirst(count) } else { input = [] }
      if input.isEmpty { child.closeInput() }
    }
    if entries[1].revents != 0, let bytes = child.readNow(child.output, upTo: 65_536) {
      isOutputOpen = !bytes.isEmpty
      output.append(bytes, limit: limits.capturedByteCount)
    }
    if entries[2].revents != 0, let bytes = child.readNow(child.errors, upTo: 65_536) {
      areErrorsOpen = !bytes.isEmpty
      errors.append(bytes, limit: limits.capturedByteCount)
    }
  }

  /// Takes what the pipes still hold, without waiting: a stranger that left the group may keep
  /// them open for ever.
  private mutating func drain() {
    input = []
    while isOutputOpen || areErrorsOpen {
      var entries = entriesToWatch()
      entries[3].fd = -1
      guard CSettleSystem.poll(&entries, nfds_t(entries.count), 0) > 0 else { return }
      move(entries)
    }
  }
}
