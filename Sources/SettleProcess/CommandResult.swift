/// What a one-shot command left.
package struct CommandResult: Sendable, Hashable {
  /// How a one-shot command ended. The cause comes from who asked, not from an exit signal.
  package enum Ending: Sendable, Hashable {
    /// It left with this code.
    case exited(Int32)
    /// A signal ended it that this process did not send.
    case signalled(Int32)
    /// It was ended because its time was over.
    case timedOut
    /// It was ended because the caller cancelled.
    case cancelled
  }

  /// Output up to a limit.
  package struct Capture: Sendable, Hashable {
    /// The first bytes of the output.
    package var bytes: [UInt8] = []
    /// How many more there were.
    package var droppedByteCount = 0

    mutating func append(_ more: [UInt8], limit: Int) {
      let kept = min(more.count, max(0, limit - bytes.count))
      bytes += more[..<kept]
      droppedByteCount += more.count - kept
    }
  }

  /// How it ended.
  package var ending: Ending
  /// What it wrote to standard output.
  package var output: Capture
  /// What it wrote to standard error.
  package var errors: Capture
}

/// Bounds of a one-shot command.
package struct CommandLimits: Sendable {
  /// How long it may take; nil for ever.
  package var duration: Duration?
  /// How long it may take to end after being asked to.
  package var grace: Duration
  /// How many bytes of each output are kept.
  package var capturedByteCount: Int

  /// Bounds that suit a tool that answers a question.
  package init(
    duration: Duration? = .seconds(30), grace: Duration = .seconds(2),
    capturedByteCount: Int = 65_536
  ) {
    self.duration = duration
    self.grace = grace
    self.capturedByteCount = capturedByteCount
  }
}
