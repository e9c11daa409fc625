import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleVerify

/// The self test: a matrix, run on real files below a folder of its own.
struct Selftest: Sendable {
  /// What is run and by whom. The defaults are what users get; tests put something wrong in.
  struct Suite: Sendable {
    var matrix = SelftestPlan.matrix()
    /// Instead of the helper process.
    var verifier: (any DocumentVerifier)?
    /// How long one cell may take.
    var cellLimit: Duration = .seconds(10)
    /// After this no cell is begun, so that all is over within a minute.
    var totalLimit: Duration = .seconds(45)
    /// Runs a cell instead of the real one.
    var observe: (@Sendable (MatrixCell) async throws -> CellObservation)?
  }

  let suite: Suite
  let folder: DemoFolder
  let seed: UInt64

  /// Runs every cell and tells each.
  func run(_ onCell: @escaping @Sendable (ReportCell) -> Void) async -> MatrixResult {
    let own = suite.verifier == nil ? VerifierPool() : nil
    defer { own?.close() }
    let verifier: any DocumentVerifier = suite.verifier ?? own ?? VerifierPool()
    var options = FailureMatrix.RunOptions()
    options.cellLimit = suite.cellLimit
    options.totalLimit = suite.totalLimit
    // Cells wait for the disk most of the time, and each has its own library.
    options.cellsAtOnce = 4
    options.onCell = onCell
    let numbers = Dictionary(
      suite.matrix.cells.enumerated().map { ($0.element, $0.offset + 1) },
      uniquingKeysWith: { first, _ in first })
    return await suite.matrix.run(options) { cell in
      if let observe = suite.observe { return try await observe(cell) }
      do {
        return try await observe(cell, numbers[cell] ?? 0, verifier)
      } catch let skipped as CellSkipped {
        return .skipped(skipped.reason)
      }
    }
  }

  private func observe(
    _ cell: MatrixCell, _ number: Int, _ verifier: any DocumentVerifier
  ) async throws -> CellObservation {
    let combination = cell.combination
    if combination.action == SelftestPlan.standard {
      return try await StandardCell(combination, folder, "\(number)").observe()
    }
    guard let file = SelftestFile(rawValue: combination.fileType),
      let kind = SelftestSource(rawValue: combination.source)
    else { throw SettleError(.unexpected, detail: "no such cell: \(combination)") }
    let bytes = file.bytes(seed: seed &+ UInt64(number))
    let source = try SelftestSources(kind, bytes, in: folder, name: "\(number)")
    defer { source.close() }
    let library = folder.path.appending(Array("\(number)-library".utf8))
    return try await ImportCell(combination, source, library: library, verifier: verifier)
      .observe()
  }
}
