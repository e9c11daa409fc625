import SettleTestKit

/// What the self test runs, and how each cell must end.
enum SelftestPlan {
  /// The name of the import's matrix.
  static let importing = "import"
  /// The name of the standard cases.
  static let standard = "step after a predecessor"
  /// The fault of the standard case whose predecessor fails.
  static let failingPredecessor = "predecessor fails"

  /// Every cell: the standard cases, then the import.
  static func matrix() -> FailureMatrix {
    FailureMatrix(standardCells + undisturbed.cells + disturbed.cells)
  }

  /// TST-8: the predecessor succeeds and fails, and four moments of a cancellation.
  private static var standardCells: [MatrixCell] {
    func cell(
      fault: String = MatrixCombination.noFault, _ cancel: SelftestCancel, _ end: CellEnding
    )
      -> MatrixCell
    {
      MatrixCell(
        MatrixCombination(
          standard, fileType: SelftestFile.small.rawValue,
          source: SelftestSource.regular.rawValue, fault: fault, cancelAt: cancel.rawValue),
        expected: end)
    }
    return [
      cell(.never, .succeeded),
      cell(fault: failingPredecessor, .never, .skipped("dependencyFailed")),
      cell(.beforeStart, .cancelled), cell(.whileCopying, .cancelled),
      cell(.beforeCommit, .cancelled), cell(.afterCommit, .succeeded),
    ]
  }

  /// Every file type from every kind of source, with nothing in its way.
  private static var undisturbed: FailureMatrix {
    FailureMatrix(dimensions, coverage: .full) { combination in
      combination.hasFault || combination.isCancelled ? nil : expected(combination)
    }
  }

  /// Faults and cancellations: each with each kind of source and file type with which it can be.
  private static var disturbed: FailureMatrix {
    FailureMatrix(dimensions, coverage: .pairwise) { combination in
      combination.hasFault || combination.isCancelled ? expected(combination) : nil
    }
  }

  private static var dimensions: FailureMatrix.Dimensions {
    var dimensions = FailureMatrix.Dimensions(
      action: importing, fileTypes: SelftestFile.allCases.map(\.rawValue),
      sources: SelftestSource.allCases.map(\.rawValue))
    dimensions.faults = SelftestFault.allCases.map(\.rawValue)
    dimensions.cancelPoints = SelftestCancel.allCases.map(\.rawValue)
    return dimensions
  }

  /// How an import must end: by the first thing that ends it. A combination in which something
  /// comes after that cannot be: it would never happen.
  static func expected(_ combination: MatrixCombination) -> CellEnding? {
    guard let file = SelftestFile(rawValue: combination.fileType),
      let source = SelftestSource(rawValue: combination.source),
      let fault = SelftestFault(rawValue: combination.fault),
      let cancel = SelftestCancel(rawValue: combination.cancelAt),
      source.hasFile == (file != .none), file.isSound || !source.changes
    else { return nil }
    let events = [file.event, source.event, fault.event, cancel.event].compactMap(\.self)
      .sorted { $0.place < $1.place }
    guard let end = events.firstIndex(where: { $0.ending != nil }) else { return .succeeded }
    return end == events.count - 1 ? events[end].ending : nil
  }
}
