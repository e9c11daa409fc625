/// The unit in which a piece of work counts. Different units are never added (PRG-2).
public enum WorkUnit: String, Sendable, Hashable, CaseIterable {
  /// Whole documents or files.
  case items
  /// Bytes.
  case bytes
  /// Pages of a document.
  case pages
  /// Stages of work, or anything that has no better unit.
  case steps
}

/// What was counted in one unit.
public struct Tally: Sendable, Hashable {
  /// Units done.
  public var completedCount: Int64 = 0
  /// Units expected.
  public var total: WorkTotal = .unknown
  /// Units of work that has its outcome and were not done, such as the bytes of a document that was
  /// refused before it was copied. They take no time any more.
  public var abandonedCount: Int64 = 0

  /// Units that may still be done, with those that were: what a time left is computed to.
  public var attainableTotal: WorkTotal {
    guard case .exactly(let count) = total else { return total }
    return .exactly(max(completedCount, count - abandonedCount))
  }

  /// An empty tally of unknown total.
  public init() {}
}

/// Progress at one moment: one consistent cut through a tree. The only way to read one.
public struct ProgressSnapshot: Sendable, Equatable {
  /// The weight of the whole: outcome weights are parts of this.
  public static let fullWeight: Int64 = 1 << 60

  /// 0 to 1, or nil while no honest figure exists. Exactly 1 only when the tree has settled.
  public var fractionCompleted: Double?
  /// Weight whose outcome is known, out of ``fullWeight``; always the sum of the four below.
  public var settledWeight: Int64 = 0
  /// Weight that succeeded.
  public var succeededWeight: Int64 = 0
  /// Weight that failed.
  public var failedWeight: Int64 = 0
  /// Weight that was skipped.
  public var skippedWeight: Int64 = 0
  /// Weight that was cancelled.
  public var cancelledWeight: Int64 = 0
  /// Net bytes: each byte counts once, however many attempts it took.
  public var bytes = Tally()
  /// All bytes moved, those of failed attempts included.
  public var grossByteCount: Int64 = 0
  /// Units reported beyond an exact total (PRG-4).
  public var overrun: Int64 = 0
  /// Updates that were negative or came after the end, and were ignored (PRG-4, PRG-12).
  public var ignoredUpdates: Int64 = 0
  /// Shares that were dropped without ever being started.
  public var unclaimedShares: Int64 = 0
  /// True when the whole has its outcome and nothing but ``ignoredUpdates`` can change.
  public var isSettled = false

  /// Nothing done, nothing known.
  public init() {}

  /// True when no percentage may be shown: the work is still being counted.
  public var isIndeterminate: Bool { fractionCompleted == nil }
}
