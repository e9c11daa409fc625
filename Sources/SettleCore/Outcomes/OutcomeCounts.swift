/// How many items ended in which way.
public struct OutcomeCounts: Sendable, Hashable {
  /// Items that succeeded.
  public var succeeded = 0
  /// Items that failed.
  public var failed = 0
  /// Items that were skipped.
  public var skipped = 0
  /// Items that were cancelled.
  public var cancelled = 0

  /// No item has ended.
  public init() {}

  /// Items that have an outcome.
  public var settled: Int { succeeded + failed + skipped + cancelled }

  /// The count of one kind.
  public subscript(kind: OutcomeKind) -> Int {
    get {
      switch kind {
      case .succeeded: succeeded
      case .failed: failed
      case .skipped: skipped
      case .cancelled: cancelled
      }
    }
    set {
      switch kind {
      case .succeeded: succeeded = newValue
      case .failed: failed = newValue
      case .skipped: skipped = newValue
      case .cancelled: cancelled = newValue
      }
    }
  }
}
