/// A picture of one run at one moment; terminal, page and app draw the same one (OBS-2).
public struct RunSnapshot: Sendable, Equatable {
  /// What the run is doing. A percentage speaks of one frozen phase (PRG-7).
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Inputs are still being found; totals are lower bounds and there is no percentage.
    case counting
    /// The batch is frozen and being worked on.
    case importing
    /// The run has its outcome.
    case ended
  }

  /// The run.
  public var run: RunID
  /// Where the run is.
  public var state: RunState = .waiting
  /// What it is doing.
  public var phase: Phase = .counting
  /// Items by outcome.
  public var counts = OutcomeCounts()
  /// How many items there are: a lower bound while counting, exact afterwards.
  public var items: WorkTotal = .unknown
  /// Weighted progress and bytes.
  public var progress = ProgressSnapshot()

  /// A run of which nothing is known yet.
  public init(run: RunID) { self.run = run }
}
