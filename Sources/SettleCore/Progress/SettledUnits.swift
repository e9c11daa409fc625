/// Units of a root's total that settled without a node of their own, by ending.
///
/// Their owner collects them where it keeps its own state, so that a step that reports no inner
/// progress costs one addition.
struct SettledUnits: Sendable, Equatable {
  private var succeeded: Int64 = 0
  private var unneeded: Int64 = 0
  private var failed: Int64 = 0
  private var skipped: Int64 = 0
  private var cancelled: Int64 = 0

  /// True when nothing was collected.
  var isEmpty: Bool { self == SettledUnits() }

  /// Adds the units of one step.
  mutating func add(_ units: Int64, _ end: StepEnd) {
    switch end {
    case .succeeded: succeeded += units
    case .skippedBenignly: unneeded += units
    case .failed: failed += units
    case .skipped, .outOfTime: skipped += units
    case .cancelled: cancelled += units
    }
  }

  /// The counts with their endings, always in the same order, so that rounding repeats.
  var parts: [(count: Int64, ending: ProgressNodes.Ending)] {
    [
      (succeeded, .init(kind: .succeeded, fills: true)),
      (unneeded, .init(kind: .skipped, fills: true)),
      (failed, .init(kind: .failed, fills: false)),
      (skipped, .init(kind: .skipped, fills: false)),
      (cancelled, .init(kind: .cancelled, fills: false)),
    ]
  }
}
