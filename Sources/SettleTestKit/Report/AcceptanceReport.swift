import SettleCore

/// A cell with what was seen of it.
public struct ReportCell: Sendable, Hashable {
  /// What was run.
  public var cell: MatrixCell
  /// What was seen.
  public var observation: CellObservation
  /// How long it took, in whole microseconds; nil when it was not run.
  public var duration: Duration?
  /// What it has shown.
  public var verdict: CellVerdict
  /// Why; empty when all is as expected.
  public var reason: String

  /// Judges what was seen of a cell.
  public init(_ cell: MatrixCell, _ observation: CellObservation, duration: Duration? = nil) {
    self.cell = cell
    self.observation = observation
    self.duration = duration.map { .microseconds($0.wholeMicroseconds) }
    (verdict, reason) = cell.verdict(of: observation)
  }

  /// The combination: what two reports know a cell by.
  public var combination: MatrixCombination { cell.combination }
}

/// What was tested where, and what came out: a value, from which every format is made.
///
/// ```swift
/// let result = await matrix.run { cell in try await observe(cell) }
/// let report = AcceptanceReport(title: "my importer", result: result)
/// try write(report.html())
/// ```
public struct AcceptanceReport: Sendable, Hashable {
  /// What was tested.
  public var title: String
  /// The machine and the versions.
  public var environment: ReportEnvironment
  /// Every cell, whether it was run or not.
  public var cells: [ReportCell]
  /// Why not every cell was run; nil when each was.
  public var interruption: String?

  /// A report of cells; of this machine unless another environment is given.
  public init(
    title: String, environment: ReportEnvironment = .current(),
    result: MatrixResult = MatrixResult()
  ) {
    self.title = title
    self.environment = environment
    cells = result.cells
    interruption = result.interruption
  }

  /// How many cells have a verdict. They add up to the number of cells.
  public func count(_ verdict: CellVerdict) -> Int { cells.count { $0.verdict == verdict } }

  /// Cells whose planned fault happened, of all cells that had one and were run.
  public var faults: (fired: Int, planned: Int) {
    let planned = cells.filter { $0.combination.hasFault && $0.verdict != .skipped }
    return (planned.count { $0.observation.fired == true }, planned.count)
  }

  /// True when nothing was interrupted, at least one cell is as expected, and every other was
  /// skipped. A skipped cell is not passed; it is counted and named apart.
  public var isAccepted: Bool {
    interruption == nil && failures.isEmpty && count(.asExpected) > 0
  }

  /// Cells that have failed: all that are neither as expected nor skipped.
  public var failures: [ReportCell] {
    cells.filter(\.hasFailed)
  }

  /// `118 cells: 116 as expected, 1 not as expected, 1 skipped`: kinds that occur.
  public var totalsText: String {
    let parts = CellVerdict.allCases.compactMap { verdict in
      let count = count(verdict)
      return count > 0 ? "\(count) \(verdict.words)" : nil
    }
    let text = "\(cells.count) cells" + (parts.isEmpty ? "" : ": ")
    let end = interruption.map { " (interrupted: \($0))" } ?? ""
    return text + parts.joined(separator: ", ") + ReportText.visible(end)
  }
}
