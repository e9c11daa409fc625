import CSettleSystem
import Foundation
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

@testable import SettleCommand

/// `settle selftest` as a process, on this machine's disk.
@Suite(.serialized) struct SelftestTests {
  // TST-4, TST-6, TST-8: every cell as expected on real files, with all facts, and nothing left.
  @Test func everyCellIsAsExpected() throws {
    try ToolRun.lend { tool in
      let result = try tool.run("selftest --json --report json -o @/report.json")
      #expect(result.code == 0, "\(result.output.suffix(3_000)) \(result.talk)")
      let cells = result.objects("cell")
      #expect(cells.count >= 60)
      let text = try PosixFileSystem().contents(at: tool.folder.appending("report.json".utf8))
      let report = try AcceptanceReport(json: text)
      #expect(report.isAccepted && report.cells.count == cells.count)
      #expect(report.faults.planned >= 60 && report.faults.fired == report.faults.planned)
      #expect(
        report.cells.map { AcceptanceReport.line($0) }
          == result.output.split(separator: "\n")
          .dropFirst().dropLast().map(String.init))
      let environment = try #require(result.objects("environment").first?["environment"])
      let facts = try #require(environment as? [String: Any])
      for key in ["os", "kernel", "architecture", "swift", "fileSystem", "package", "seed"] {
        #expect(facts[key] is NSNull == false && facts[key] != nil, "\(key)")
      }
      #expect(facts.keys.contains("commit") && facts["cores"] is Int)
      Self.expectEveryKind(report)
      let skipped = report.cells.filter { $0.verdict == .skipped }
      #expect(skipped.allSatisfy { $0.combination.source == "may not be read" && getuid() == 0 })
      #expect(result.objects("summary").first?["exit_code"] as? Int == 0)
      #expect(try tool.shell("ls -A").output == "report.json\n", "nothing of it is left")
    }
  }

  /// Each kind of source, fault and cancel point was run and not only listed.
  private static func expectEveryKind(_ report: AcceptanceReport) {
    let run = report.cells.filter { $0.verdict == .asExpected }.map(\.combination)
    let sources = Set(run.map(\.source))
    for source in SelftestSource.allCases where source != .unreadable {
      #expect(sources.contains(source.rawValue), "\(source)")
    }
    for fault in SelftestFault.allCases {
      #expect(run.contains { $0.fault == fault.rawValue }, "\(fault)")
    }
    for cancel in SelftestCancel.allCases {
      for action in [SelftestPlan.importing, SelftestPlan.standard] {
        #expect(
          run.contains { $0.cancelAt == cancel.rawValue && $0.action == action }, "\(cancel)")
      }
    }
    #expect(run.contains { $0.fault == SelftestPlan.failingPredecessor })
  }

  // CAN-8, TST-6: the report is whole, says what was not run, and the folder is gone.
  @Test func anInterruptedSelftestClosesItsReport() throws {
    try ToolRun.lend { tool in
      let held = try HeldTool(tool, "selftest --json --report junit -o @/report.xml")
      held.waitForOutput()
      held.child.signalGroup(SIGINT)
      try held.waitForTalk("Stopping after the cell")
      let result = try held.finish()
      #expect(result.ending == .signalled(SIGINT))
      #expect(result.objects?.last?["exit_code"] as? Int == 130)
      #expect(result.objects?.last?["interruption"] as? String == "cancelled")
      #expect((result.objects?.last?["skipped"] as? Int ?? 0) > 0)
      let bytes = try PosixFileSystem().contents(at: tool.folder.appending("report.xml".utf8))
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.hasSuffix("</testsuites>\n"))
      #expect(text.contains("<skipped message=\"not run: cancelled\"/>"))
      #expect(try tool.shell("ls -A").output == "output-pipe\nreport.xml\n", "nothing else is left")
    }
  }

  // TST-6: what is asked for wrongly is refused before anything is run.
  @Test func wrongRequestsAreRefused() throws {
    try ToolRun.lend { tool in
      try tool.write(Array("mine".utf8), to: Array("report.md".utf8))
      try tool.write(Array("{}".utf8), to: Array("old.json".utf8))
      for (line, code, said) in [
        ("selftest -o @/x", 2, "needs --report"),
        ("selftest --report pdf", 2, "html, json, junit, md"),
        ("selftest --report md -o @/in/report.md", 2, "is there already"),
        ("selftest --report md -o @/in", 4, "/in"),
        ("selftest --report md -o /dev/null --yes", 4, "/dev/null"),
        ("selftest --report md -o @/none/x.md", 2, "none"),
        ("selftest --compare @/in/old.json", 2, "schema"),
        ("selftest --compare @/in", 2, "folder"),
        ("selftest --compare @/none", 2, "none"),
        ("selftest extra", 2, "no argument"),
      ] {
        let result = try tool.run(line)
        #expect(result.code == Int32(code), "\(line): \(result.talk)")
        #expect(result.talk.contains(said), "\(line): \(result.talk)")
      }
      let kept = try PosixFileSystem().contents(at: tool.folder.appending("in/report.md".utf8))
      #expect(kept == Array("mine".utf8))
      #expect(try tool.shell("ls -A").output == "in\n")
    }
  }
}
