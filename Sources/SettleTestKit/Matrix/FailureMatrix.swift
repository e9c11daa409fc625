/// File types × kinds of source × faults × cancel points, as cells that each say how they must end.
///
/// ```swift
/// let matrix = FailureMatrix(dimensions, coverage: .pairwise) { combination in
///   combination.fault == "disk full" ? .failed("noSpace") : .succeeded
/// }
/// @Test(arguments: matrix.cells) func endsAsExpected(_ cell: MatrixCell) async throws {
///   try cell.require(try await observe(cell))
/// }
/// ```
///
/// A matrix is a sequence of its cells, so a loop in an XCTest works as well, and
/// ``run(_:observing:)`` runs them for an ``AcceptanceReport``.
public struct FailureMatrix: Sendable {
  /// What is combined.
  public struct Dimensions: Sendable, Hashable {
    /// What is done in each cell.
    public var action: String
    /// Types of files.
    public var fileTypes: [String]
    /// Kinds of sources.
    public var sources: [String]
    /// Faults.
    public var faults = [MatrixCombination.noFault]
    /// Points at which it is cancelled.
    public var cancelPoints = [MatrixCombination.neverCancelled]

    /// Dimensions; without faults and cancellations until they are set.
    public init(action: String, fileTypes: [String], sources: [String]) {
      self.action = action
      self.fileTypes = fileTypes
      self.sources = sources
    }
  }

  /// Which combinations get a cell.
  public enum Coverage: Sendable, Hashable {
    /// Every possible one.
    case full
    /// So many that every possible pair of two values occurs.
    case pairwise
  }

  /// The cells, in the order of their dimensions.
  public var cells: [MatrixCell]

  /// A matrix of cells that were made elsewhere.
  public init(_ cells: [MatrixCell]) { self.cells = cells }

  /// Combines dimensions. `expecting` says how a combination must end, or nil for one that cannot
  /// be: a pair that occurs in no possible combination is not asked for.
  ///
  /// - Complexity: linear in the product of the dimensions' sizes.
  public init(
    _ dimensions: Dimensions, coverage: Coverage = .full,
    expecting: (MatrixCombination) -> CellEnding?
  ) {
    let sizes = dimensions.sizes
    let rows =
      switch coverage {
      case .full: AllPairs.product(sizes).map { AllPairs.row($0, sizes) }
      case .pairwise:
        AllPairs.rows(sizes) { expecting(dimensions.combination($0)) != nil }
      }
    cells = rows.compactMap { row in
      let combination = dimensions.combination(row)
      return expecting(combination).map { MatrixCell(combination, expected: $0) }
    }
  }
}

extension FailureMatrix: Sequence {
  /// Goes through the cells.
  public func makeIterator() -> [MatrixCell].Iterator { cells.makeIterator() }
}

extension FailureMatrix.Dimensions {
  fileprivate var sizes: [Int] {
    [fileTypes.count, sources.count, faults.count, cancelPoints.count]
  }

  fileprivate func combination(_ row: [Int]) -> MatrixCombination {
    MatrixCombination(
      action, fileType: fileTypes[row[0]], source: sources[row[1]], fault: faults[row[2]],
      cancelAt: cancelPoints[row[3]])
  }
}
