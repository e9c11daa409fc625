/// What has changed between two reports. Cells are known by their combination.
public struct ReportComparison: Sendable, Hashable {
  /// A value of the environment that differs; nil is unknown.
  public struct Change: Sendable, Hashable {
    /// What it is, such as `Kernel`.
    public var heading: String
    /// What it was.
    public var old: String?
    /// What it is now.
    public var new: String?
  }

  /// Cells that fail now and were as expected or skipped.
  public var newFailures: [ReportCell] = []
  /// Cells that are as expected now and failed.
  public var mended: [ReportCell] = []
  /// Cells that failed in both.
  public var stillFailing: [ReportCell] = []
  /// Cells that were as expected and are skipped now: nothing is known of them any more.
  public var nowSkipped: [ReportCell] = []
  /// Cells that there were none of.
  public var newCells: [ReportCell] = []
  /// Cells that there are none of any more, as they were.
  public var goneCells: [ReportCell] = []
  /// What differs in the environment. Free space and seed always do and are left out.
  public var environment: [Change] = []

  /// True when nothing got worse: no new failure, no new cell that fails, nothing gone or skipped.
  public var isNoWorse: Bool {
    newFailures.isEmpty && nowSkipped.isEmpty && goneCells.isEmpty
      && !newCells.contains(where: \.hasFailed)
  }

  /// `2 new failures, 1 mended, 3 new cells`, or that nothing has changed.
  public var summary: String {
    let parts: [(Int, String, String)] = [
      (newFailures.count, "new failure", "new failures"), (mended.count, "mended", "mended"),
      (stillFailing.count, "still failing", "still failing"),
      (nowSkipped.count, "now skipped", "now skipped"),
      (newCells.count, "new cell", "new cells"), (goneCells.count, "cell gone", "cells gone"),
      (
        environment.count, "change of the environment", "changes of the environment"
      ),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    return told.isEmpty ? "no change" : told.joined(separator: ", ")
  }
}

extension ReportCell {
  /// True for all that is neither as expected nor skipped.
  var hasFailed: Bool { verdict != .asExpected && verdict != .skipped }
}

extension AcceptanceReport {
  /// What has changed since an older report. Complexity: linear in the cells of both.
  public func compared(to old: AcceptanceReport) -> ReportComparison {
    var result = ReportComparison()
    let before = Dictionary(
      old.cells.map { ($0.combination, $0) }, uniquingKeysWith: { first, _ in first })
    for cell in cells {
      guard let earlier = before[cell.combination] else {
        result.newCells.append(cell)
        continue
      }
      switch (earlier.hasFailed, cell.hasFailed) {
      case (false, true): result.newFailures.append(cell)
      case (true, true): result.stillFailing.append(cell)
      case (true, false) where cell.verdict == .asExpected: result.mended.append(cell)
      case (true, false): result.nowSkipped.append(cell)
      case (false, false):
        if earlier.verdict == .asExpected, cell.verdict == .skipped {
          result.nowSkipped.append(cell)
        }
      }
    }
    let now = Set(cells.map(\.combination))
    result.goneCells = old.cells.filter { !now.contains($0.combination) }
    let changing: Set<String> = ["freeBytes", "seed"]
    for (earlier, later) in zip(old.environment.facts, environment.facts)
    where earlier.value != later.value && !changing.contains(later.key) {
      result.environment.append(
        .init(heading: later.heading, old: earlier.value, new: later.value))
    }
    return result
  }
}
