import SettleTestSupport
import Testing

@testable import SettleTestKit

/// What has changed between two reports, and what is known of the machine.
@Suite struct ReportComparisonTests {
  private func report(
    _ cells: [(String, CellObservation)], _ kernel: String? = nil
  ) -> AcceptanceReport {
    var environment = ReportEnvironment()
    environment.kernel = kernel
    environment.seed = UInt64(cells.count)
    let all = cells.map { name, seen in
      ReportCell(
        MatrixCell(
          MatrixCombination("import", fileType: name, source: "file"), expected: .succeeded), seen)
    }
    return AcceptanceReport(title: "t", environment: environment, result: MatrixResult(all))
  }

  private let good = CellObservation(.succeeded)
  private let bad = CellObservation(.cancelled)
  private let skipped = CellObservation.skipped("no such")

  private func names(_ cells: [ReportCell]) -> [String] { cells.map(\.combination.fileType) }

  // TST-6: each cell is in the list of what became of it, and only there.
  @Test func eachChangeIsNamed() {
    let old = report(
      [
        ("stays", good), ("breaks", good), ("mends", bad), ("still", bad), ("lost", good),
        ("hidden", bad), ("gone", good), ("was skipped", skipped),
      ], "Linux 1")
    let new = report(
      [
        ("stays", good), ("breaks", bad), ("mends", good), ("still", bad), ("lost", skipped),
        ("hidden", skipped), ("was skipped", bad), ("new", good),
      ], nil)
    let comparison = new.compared(to: old)
    #expect(names(comparison.newFailures) == ["breaks", "was skipped"])
    #expect(names(comparison.mended) == ["mends"])
    #expect(names(comparison.stillFailing) == ["still"])
    #expect(names(comparison.nowSkipped) == ["lost", "hidden"])
    #expect(names(comparison.newCells) == ["new"])
    #expect(names(comparison.goneCells) == ["gone"])
    #expect(
      comparison.environment == [.init(heading: "Kernel", old: "Linux 1", new: nil)])
    #expect(
      comparison.summary == "2 new failures, 1 mended, 1 still failing, 2 now skipped, "
        + "1 new cell, 1 cell gone, 1 change of the environment")
    #expect(!comparison.isNoWorse)
    let text = new.markdown(comparedTo: old)
    #expect(text.contains("### New failures (2)\n\n- **import: breaks, file**: not as expected"))
    #expect(text.contains("### Mended (1)"))
    #expect(text.contains("- Kernel: Linux 1 → unknown"))
  }

  // TST-6: a report does not differ from itself.
  @Test func theSameReportHasNoChange() {
    let same = report([("a", good), ("b", bad), ("c", skipped)])
    let comparison = same.compared(to: same)
    #expect(comparison.isNoWorse)
    #expect(comparison.summary == "1 still failing")
    #expect(report([("a", good)]).compared(to: report([("a", good)])).summary == "no change")
  }

  // TST-6: a new cell that fails is worse; a new one that is right is not.
  @Test func aNewCellThatFailsIsWorse() {
    #expect(report([("a", good)]).compared(to: report([])).isNoWorse)
    #expect(!report([("a", bad)]).compared(to: report([])).isNoWorse)
    #expect(!report([]).compared(to: report([("a", good)])).isNoWorse)
  }

  // TST-6: facts of the machine are read; what is no commit id is unknown.
  @Test func theMachineIsDescribed() throws {
    try withTemporaryFolder { folder in
      let here = ReportEnvironment.current(in: folder)
      #expect(here.os?.isEmpty == false && here.kernel?.isEmpty == false)
      #expect(here.architecture?.isEmpty == false && (here.coreCount ?? 0) > 0)
      #expect(here.swift?.hasPrefix("6.") == true)
      #expect(here.fileSystem != nil && here.isCaseSensitive != nil)
      #expect((here.freeByteCount ?? 0) > 0)
    }
    #expect(ReportEnvironment.current().fileSystem == nil)
    let id = "0123456789abcdef0123456789abcdef01234567"
    #expect(ReportEnvironment.commit(id) == id)
    #expect(ReportEnvironment.commit(id + "-dirty") == id + "-dirty")
    for text in ["", "abc", "unknown", id + " ", id + "-x", "０123456789", "main"] {
      #expect(ReportEnvironment.commit(text) == nil, "\(text)")
    }
  }

  // TST-6: the release is read from the files of both kinds of systems.
  @Test func theReleaseIsRead() {
    let linux = SystemRelease.linux("NAME=x\nPRETTY_NAME=\"Debian 12\"\nBUILD_ID='7'\nbad\n=\n")
    #expect(linux.os == "Debian 12" && linux.build == "7")
    #expect(SystemRelease.linux("PRETTY_NAME=\"").os == "\"")
    let apple = SystemRelease.apple(
      """
      <dict><key>ProductBuildVersion</key>
      <string>25A1</string><key>ProductName</key><string>macOS</string>
      <key>ProductVersion</key><string>26.0</string></dict>
      """)
    #expect(apple.os == "macOS 26.0" && apple.build == "25A1")
    #expect(SystemRelease.apple("").os == nil)
  }
}
