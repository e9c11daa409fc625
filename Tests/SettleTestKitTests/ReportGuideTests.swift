import Foundation
import SettleTestSupport
import Testing

@testable import SettleTestKit

/// `Documentation/Guides/AcceptanceReport.md` says what the code does.
@Suite struct ReportGuideTests {
  private static func guide() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = root.appending(path: "Documentation/Guides/AcceptanceReport.md")
    return try String(contentsOf: path, encoding: .utf8)
  }

  // TST-6: each member of the schema and each verdict stands in the guide.
  @Test func theGuideNamesEveryMember() throws {
    let guide = try Self.guide()
    let text = ReportSamples.small().json()
    let whole = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    var names = Set(try #require(whole).keys)
    for key in ["environment", "totals"] {
      names.formUnion(try #require(whole?[key] as? [String: Any]).keys)
    }
    for cell in try #require(whole?["cells"] as? [[String: Any]]) { names.formUnion(cell.keys) }
    #expect(names.count > 40)
    for name in names { #expect(guide.contains("`\(name)`"), "\(name)") }
  }

  // TST-6: the guide's example, which is this code.
  @Test func theExampleOfTheGuideWorks() async throws {
    @Sendable func upload(_ combination: MatrixCombination) async throws -> CellEnding {
      combination.hasFault
        ? .failed("noSpace") : combination.isCancelled ? .cancelled : .succeeded
    }
    // guide:
    var dimensions = FailureMatrix.Dimensions(
      action: "upload", fileTypes: ["PDF", "empty file"], sources: ["file", "link"])
    dimensions.faults = [MatrixCombination.noFault, "disk full"]
    dimensions.cancelPoints = [MatrixCombination.neverCancelled, "before commit"]
    let matrix = FailureMatrix(dimensions, coverage: .pairwise) { combination in
      // nil: this combination cannot be, such as a fault after the cancel that ended it.
      if combination.hasFault { return combination.isCancelled ? nil : .failed("noSpace") }
      return combination.isCancelled ? .cancelled : .succeeded
    }

    let result = await matrix.run { cell in
      var seen = CellObservation(try await upload(cell.combination))
      seen.fired = cell.combination.hasFault ? true : nil  // what your FaultPlan says
      return seen
    }
    let page = AcceptanceReport(title: "upload", result: result).html()
    // end
    #expect(page.contains("Accepted"))
    #expect(Set(matrix.cells.map(\.expected)).count == 3)
    let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let start = try #require(own.range(of: "// guide:\n")).upperBound
    let end = try #require(own.range(of: "    // end\n")).lowerBound
    let code = own[start..<end].split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }.joined(separator: "\n")
    let guide = try Self.guide()
    #expect(guide.contains(code))
  }
}
