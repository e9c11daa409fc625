import SettleCore
import SettleTestSupport
import Synchronization
import Testing

@testable import SettleTestKit

/// Combining dimensions, judging cells, running them.
@Suite struct MatrixTests {
  private static func dimensions() -> FailureMatrix.Dimensions {
    var dimensions = FailureMatrix.Dimensions(
      action: "import", fileTypes: ["PDF", "text", "empty"], sources: ["file", "link"])
    dimensions.faults = [MatrixCombination.noFault, "disk full", "I/O error"]
    dimensions.cancelPoints = [MatrixCombination.neverCancelled, "before commit"]
    return dimensions
  }

  // TST-6: the full matrix is the product, in order, without what cannot be.
  @Test func theFullMatrixIsTheProductOfWhatCanBe() {
    let all = FailureMatrix(Self.dimensions()) { _ in .succeeded }
    #expect(all.cells.count == 36)
    #expect(Set(all.map(\.combination)).count == 36)
    #expect(all.cells.first?.description == "import: PDF, file")
    #expect(
      all.cells.last?.description == "import: empty, link, fault: I/O error, cancel: before commit")
    let some = FailureMatrix(Self.dimensions()) { $0.source == "link" ? nil : .succeeded }
    #expect(some.cells.count == 18)
  }

  // TST-6: every pair that any possible row has is in a chosen row; no impossible row is chosen.
  @Test(arguments: 0..<60 as Range<UInt64>) func everyPossiblePairOccurs(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let sizes = (0..<Int.random(in: 2...5, using: &random)).map { _ in
      Int.random(in: 1...6, using: &random)
    }
    let isSparse = seed.isMultiple(of: 3)
    var allowed: [[Int]: Bool] = [:]
    for code in AllPairs.product(sizes) {
      allowed[AllPairs.row(code, sizes)] =
        Int.random(in: 0..<4, using: &random) > (isSparse ? 2 : 0)
    }
    func pairs(_ rows: [[Int]]) -> Set<[Int]> {
      var pairs: Set<[Int]> = []
      for row in rows {
        for left in row.indices {
          for right in row.indices where left < right {
            pairs.insert([left, row[left], right, row[right]])
          }
        }
      }
      return pairs
    }
    let possible = allowed.filter(\.value).map(\.key)
    let rows = AllPairs.rows(sizes) { allowed[$0] == true }
    #expect(rows.allSatisfy { allowed[$0] == true }, "seed \(seed)")
    #expect(pairs(rows) == pairs(possible), "seed \(seed), sizes \(sizes)")
    #expect(Set(rows).count == rows.count && rows.count <= possible.count, "seed \(seed)")
  }

  // TST-6: few rows are enough: the lower bound is the product of the two largest dimensions.
  @Test func pairwiseIsMuchSmallerThanTheProduct() {
    let rows = AllPairs.rows([10, 10, 10, 10]) { _ in true }
    #expect((100...160).contains(rows.count), "\(rows.count)")
    let matrix = FailureMatrix(Self.dimensions(), coverage: .pairwise) { _ in .succeeded }
    #expect((9...12).contains(matrix.cells.count), "\(matrix.cells.count)")
  }

  struct Judged: Sendable, CustomStringConvertible {
    var name: String
    var fault = MatrixCombination.noFault
    var seen: CellObservation
    var verdict: CellVerdict
    var reason: String
    var description: String { name }
  }

  private static func seen(
    _ actual: CellEnding?, _ change: (inout CellObservation) -> Void = { _ in }
  ) -> CellObservation {
    var seen = CellObservation(actual)
    change(&seen)
    return seen
  }

  static let judged: [Judged] = [
    Judged(name: "right", seen: seen(.succeeded), verdict: .asExpected, reason: ""),
    Judged(
      name: "another outcome", seen: seen(.failed("ioError")), verdict: .notAsExpected,
      reason: "expected succeeded, ended as failed(ioError)"),
    Judged(
      name: "no outcome", seen: seen(nil), verdict: .notAsExpected,
      reason: "expected succeeded, has no ending"),
    Judged(
      name: "leftover", seen: seen(.succeeded) { $0.leftovers = ["a.tmp"] },
      verdict: .notAsExpected, reason: "left behind: a.tmp"),
    Judged(
      name: "problem", seen: seen(.succeeded) { $0.problems = ["told twice"] },
      verdict: .notAsExpected, reason: "told twice"),
    Judged(
      name: "fault fired", fault: "disk full", seen: seen(.succeeded) { $0.fired = true },
      verdict: .asExpected, reason: ""),
    Judged(
      name: "fault did not fire", fault: "disk full", seen: seen(.succeeded) { $0.fired = false },
      verdict: .inconclusive, reason: "the planned fault never happened: disk full"),
    Judged(
      name: "nobody looked at the fault", fault: "disk full", seen: seen(.succeeded),
      verdict: .inconclusive, reason: "the planned fault never happened: disk full"),
    Judged(
      name: "no fault and wrong", fault: "disk full", seen: seen(.cancelled),
      verdict: .notAsExpected,
      reason: "expected succeeded, ended as cancelled; "
        + "the planned fault never happened: disk full"),
    Judged(name: "skipped", seen: .skipped("no such"), verdict: .skipped, reason: "no such"),
    Judged(
      name: "crashed", seen: seen(.succeeded) { $0.standing = .crashed("signal 11") },
      verdict: .crashed, reason: "signal 11"),
  ]

  // TST-4, TST-6: only what ended right, left nothing and had its fault is passed.
  @Test(arguments: judged) func onlyWhatIsProvenIsPassed(_ row: Judged) throws {
    let cell = MatrixCell(
      MatrixCombination("import", fileType: "PDF", source: "file", fault: row.fault),
      expected: .succeeded)
    let (verdict, reason) = cell.verdict(of: row.seen)
    #expect(verdict == row.verdict && reason == row.reason)
    guard verdict != .asExpected else { return try cell.require(row.seen) }
    let error = #expect(throws: CellFailure.self) { try cell.require(row.seen) }
    #expect(error?.reason == row.reason)
  }

  // TST-6: an ending is read back from its text, and nothing else is an ending.
  @Test func endingsAreReadBack() {
    for ending in [.succeeded, .cancelled, .failed("noSpace"), .skipped("a (b)")] as [CellEnding] {
      #expect(CellEnding(ending.description) == ending)
    }
    for text in ["", "failed(", "failed()", "failed(x", "done", "(x)", "failed(x)y"] {
      #expect(CellEnding(text) == nil, "\(text)")
    }
  }

  private struct Stuck: Error {}

  // TST-1, TST-6: a cell that hangs is told as such, and the next ones are run.
  @Test func aCellThatHangsIsNamedAndTheOthersAreRun() async {
    let kit = TestKit()
    let never = kit.gate("never")
    var options = FailureMatrix.RunOptions()
    options.cellLimit = .milliseconds(50)
    let told = Mutex<[CellVerdict]>([])
    options.onCell = { cell in told.withLock { $0.append(cell.verdict) } }
    let matrix = FailureMatrix(Self.dimensions()) { $0.source == "file" ? .succeeded : nil }
    let result = await matrix.run(options) { cell in
      if cell.combination.fileType == "text" { try await never.pass(within: .seconds(300)) }
      if cell.combination.fileType == "empty" { throw Stuck() }
      var seen = CellObservation(.succeeded)
      seen.fired = true
      return seen
    }
    #expect(result.interruption == nil)
    #expect(result.cells.map(\.verdict) == told.withLock { $0 })
    for cell in result.cells {
      switch cell.combination.fileType {
      case "PDF": #expect(cell.verdict == .asExpected, "\(cell.reason)")
      case "text":
        #expect(cell.verdict == .hung && cell.reason.contains("0.05 seconds"), "\(cell.reason)")
      default:
        #expect(cell.verdict == .notAsExpected && cell.reason.contains("threw Stuck"))
      }
    }
  }

  // TST-6: after a cancellation the cell at work ends, the others are skipped, and nothing that
  // was interrupted is accepted.
  @Test func cellsAfterACancellationAreSkipped() async {
    let kit = TestKit()
    let gate = kit.gate("second cell")
    let count = Mutex(0)
    let matrix = FailureMatrix(Self.dimensions()) { $0.hasFault ? nil : .succeeded }
    let task = Task {
      await matrix.run { _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 2 { try await gate.pass() }
        return CellObservation(.succeeded)
      }
    }
    let arrival = try? await gate.waitForArrival()
    task.cancel()
    if let arrival { gate.release(arrival) }
    let result = await task.value
    #expect(result.interruption == "cancelled")
    #expect(result.cells.prefix(2).allSatisfy { $0.verdict == .asExpected })
    #expect(result.cells.dropFirst(2).allSatisfy { $0.verdict == .skipped && $0.duration == nil })
    #expect(result.cells.count == matrix.cells.count && count.withLock { $0 } == 2)
    let report = AcceptanceReport(title: "t", environment: ReportEnvironment(), result: result)
    #expect(!report.isAccepted)
  }

  // TST-6: when the time for all is over nothing is accepted, although nothing failed.
  @Test func cellsAfterTheTotalLimitAreSkipped() async {
    var options = FailureMatrix.RunOptions()
    options.totalLimit = .zero
    let matrix = FailureMatrix(Self.dimensions()) { _ in .succeeded }
    let result = await matrix.run(options) { _ in CellObservation(.succeeded) }
    #expect(result.cells.allSatisfy { $0.verdict == .skipped })
    #expect(result.interruption?.contains("limit") == true)
  }
}
