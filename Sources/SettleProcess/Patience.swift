import CSettleSystem

/// How long a blocking call may wait, and who may end the wait early (CAN-9).
package struct Patience {
  /// Why a wait ended.
  package enum Ending: Sendable, Hashable {
    /// A descriptor is ready, or the time slice is over and the caller should look again.
    case look
    /// The deadline passed.
    case timedOut
    /// The caller's cancellation was seen.
    case cancelled
  }

  /// The longest time between two looks at the cancellation, in milliseconds.
  static let sliceMilliseconds: Int32 = 20

  /// When the wait ends; nil never.
  package let deadline: ContinuousClock.Instant?
  private let isCancelled: () -> Bool

  /// Patience until a deadline or a cancellation.
  package init(
    until deadline: ContinuousClock.Instant? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) {
    self.deadline = deadline
    self.isCancelled = isCancelled
  }

  /// Patience for a span of time from now.
  package init(for span: Duration?, isCancelled: @escaping () -> Bool = { false }) {
    self.init(until: span.map { ContinuousClock.now + $0 }, isCancelled: isCancelled)
  }

  /// Waits until a descriptor is ready, but no longer than one slice.
  ///
  /// Negative descriptors are ignored, so an empty wait is a bounded pause.
  func wait(for entries: inout [pollfd]) -> Ending {
    if isCancelled() { return .cancelled }
    var milliseconds = Self.sliceMilliseconds
    if let deadline {
      let left = deadline - ContinuousClock.now
      if left <= .zero { return .timedOut }
      let whole = left.components.seconds > 1 ? 1_000 : left / .milliseconds(1)
      milliseconds = min(milliseconds, Int32(whole.rounded(.up)))
    }
    // An interrupted poll is just a shorter slice.
    _ = poll(&entries, nfds_t(entries.count), milliseconds)
    return .look
  }
}
