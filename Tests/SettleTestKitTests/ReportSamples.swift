import SettleCore
import Testing

@testable import SettleTestKit

/// Reports for tests.
enum ReportSamples {
  /// Characters that end an element, a table, a line, or turn text round.
  static let evil = "a<&\">'|`*\u{1B}[31m\n\u{202E}fdp\u{0}\u{FFFE}]]>@x#1"

  static func environment() -> ReportEnvironment {
    var environment = ReportEnvironment()
    environment.os = "Linux \"1\""
    environment.architecture = "x86_64"
    environment.coreCount = 2
    environment.isCaseSensitive = true
    environment.freeByteCount = 78_791_041_024
    environment.package = "kit 1.0"
    environment.seed = 7
    return environment
  }

  static func cell(
    _ fileType: String, _ fault: String = MatrixCombination.noFault,
    expected: CellEnding = .succeeded, _ change: (inout CellObservation) -> Void
  ) -> ReportCell {
    var seen = CellObservation()
    change(&seen)
    return ReportCell(
      MatrixCell(
        MatrixCombination("import", fileType: fileType, source: "link", fault: fault),
        expected: expected), seen, duration: .microseconds(12_345))
  }

  /// One cell of each kind of verdict that matters to formats.
  static func small() -> AcceptanceReport {
    var counts = OutcomeCounts()
    counts.failed = 1
    let cells = [
      cell("PDF", "disk full", expected: .failed("noSpace")) {
        $0.actual = .failed("noSpace")
        $0.fired = true
        $0.counts = counts
        $0.byteCount = 0
        $0.completionCount = 1
      },
      cell(evil) {
        $0.actual = .failed("ioError")
        $0.leftovers = ["x<y"]
        $0.schedule = "v1:a>b"
        $0.trace = "t.jsonl"
      },
      cell("text") { $0.standing = .skipped("root may read every file") },
      cell("video") { $0.standing = .hung("it has not ended within 1.0 seconds") },
    ]
    return AcceptanceReport(
      title: "sample & co", environment: environment(), result: MatrixResult(cells))
  }
}
