/// Where a run is now.
///
/// Transitions are in `RunMachine`; the last three states absorb.
public enum RunState: String, Sendable, Hashable, CaseIterable {
  /// Nothing has started.
  case waiting
  /// At least one step may run.
  case running
  /// A cancellation was accepted and some body has not returned yet.
  case cancelling
  /// Ended by cancellation: every step is settled and at least one was cancelled.
  case cancelled
  /// Ended, and at least one step failed.
  case failed
  /// Ended, and every step succeeded or had nothing to do.
  case succeeded

  /// True for the three states in which nothing changes any more.
  public var isSettled: Bool {
    switch self {
    case .cancelled, .failed, .succeeded: true
    case .waiting, .running, .cancelling: false
    }
  }
}
