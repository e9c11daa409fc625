import Foundation
import SettleTestKit
import Testing

/// What the guide shows is what is tested here.
@Suite(.timeLimit(.minutes(2))) struct GuideTextTests {
  private static let root = #filePath.components(separatedBy: "/Tests/")[0]

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: root + "/" + name, encoding: .utf8)
  }

  private static func guide() throws -> String {
    try text("Documentation/Guides/TestYourOwnQueue.md")
  }

  /// The blocks of a language.
  private static func blocks(_ language: String) throws -> [String] {
    try guide().components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// Lines without the space around them.
  private static func flat(_ text: String) -> String {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  // TST-1, TST-7, TST-8: each block of code is compiled and run by a test of this target.
  @Test func theGuideShowsThisCode() throws {
    let folder = "Tests/TestKitGuideTests"
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.root + "/" + folder)
    let code = try files.map { Self.flat(try Self.text(folder + "/" + $0)) }
    let blocks = try Self.blocks("swift")
    #expect(blocks.count >= 6)
    for block in blocks.map(Self.flat) {
      #expect(code.contains { $0.contains(block) }, "\(block)")
    }
  }

  // TST-1: a first useful test takes at most ten lines.
  @Test func theFirstTestTakesTenLines() throws {
    let first = try #require(
      try Self.blocks("swift").first { $0.contains("func aCancelRightBeforePublishing") })
    let body = first.components(separatedBy: "\n").filter { !$0.isEmpty && !$0.hasPrefix("@Test") }
    #expect(body.count - 2 <= 10, "\(body)")
  }

  // TST-7, TST-8: what the guide says about the usual operation is so.
  @Test func theUsualOperationFailsAsTheGuideSays() async throws {
    let guide = try Self.guide()
    var failed: [StandardCase] = []
    for standardCase in StandardCase.allCases {
      let result = await standardCase.run(UsualResizeAdapter())
      if result.verdict == .asExpected { continue }
      failed.append(standardCase)
      if standardCase == .cancelBeforeStart { #expect(guide.contains("\(result)"), "\(result)") }
    }
    #expect(failed == [.predecessorFails, .cancelBeforeStart])
  }

  // TST-7: what the guide says about the proof is what it prints.
  @Test func theProofPrintsWhatTheGuideShows() async throws {
    let report = await Sabotage.report(ResizeAdapter())
    let shown = try #require(try Self.blocks("text").first { $0.contains("NOT APPLIED") })
    let lines = shown.components(separatedBy: "\n").filter { !$0.isEmpty && $0 != "…" }
    for line in lines { #expect("\(report)".contains(line), "\(line)\n\(report)") }
    #expect(lines.count >= 4)
  }

  // TST-3: the schedule in the guide is what the explorer finds in the usual operation.
  @Test func theExplorerFindsWhatTheGuideShows() async throws {
    let picture = URL(fileURLWithPath: #filePath)
    let target = FileManager.default.temporaryDirectory
      .appendingPathComponent("settle-guide-\(UUID()).png")
    let result = try await Explorer().explore("usual") { world in
      let resize = Resize(1, from: picture, to: target, probe: world.probe)
      world.spawnThread("worker") { resize.start() }
      world.spawn("cancel") {
        world.trace.cancelling(item: "1", answer: .accepted) { resize.cancel() }
      }
      world.atEnd { _ in try? FileManager.default.removeItem(at: target) }
    }
    let shown = try #require(try Self.blocks("text").first { $0.contains("SETTLE_SCHEDULE") })
    let lines = shown.components(separatedBy: "\n").filter { !$0.isEmpty && $0 != "…" }
    for line in lines { #expect("\(result)".contains(line), "\(line)\n\(result)") }
    #expect(result.failure != nil)
  }
}
