/// The progress of one run (PRG-1): a tree of work, each piece counted in its own unit.
///
/// Write through ``root`` and the shares it hands out; read through ``snapshot()`` and
/// ``snapshots(every:clock:)``. Nothing else can be read, so every reader sees a consistent cut.
public final class ProgressTree: Sendable {
  /// The writer for the whole.
  public let root: WorkProgress
  let core: ProgressCore

  /// Makes a tree in which nothing is done.
  public init(total: WorkTotal = .unknown, unit: WorkUnit = .steps) {
    let counter = WorkCounter()
    let node = ProgressNode(
      counter: counter, total: total, unit: unit, span: ProgressSnapshot.fullWeight)
    core = ProgressCore(root: node)
    root = WorkProgress(core: core, id: ProgressNodes.root, counter: counter)
  }

  /// The progress at this moment. Reading changes nothing (PRG-11).
  ///
  /// The byte total is exact when every share was started and every total counted in bytes is
  /// exact; else it is a lower bound, or unknown while nothing is known. A settled piece of work
  /// without an exact total counts with what it had.
  ///
  /// - Complexity: O(unsettled work); settled work costs nothing (PRG-13).
  public func snapshot() -> ProgressSnapshot { core.snapshot() }

  /// Snapshots for an observer: the current one at once, then the newest after each `every` in
  /// which something changed, and last the settled one, as soon as there is one (PRG-12).
  ///
  /// Nothing is made or kept while the observer is busy. The sequence ends after the settled
  /// snapshot, or when the observing task is cancelled.
  public func snapshots<C: Clock>(every interval: C.Duration, clock: C) -> ProgressSnapshots
  where C.Duration == Duration {
    ProgressSnapshots(core: core) { try await clock.sleep(for: interval) }
  }
}
