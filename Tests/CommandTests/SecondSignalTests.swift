import CSettleSystem
import Foundation
import SettleProcess
import SettleTestSupport
import Testing

/// The last JSON lines of commands that a signal ends: there, true and agreeing with those before.
@Suite struct SecondSignalTests {
  // CAN-2, OBS-2: however fast the second signal follows, the last line counts what was told.
  @Test func theLastLineOfAnImportAlwaysAddsUp() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(30)
      for round in 0..<50 {
        _ = try tool.shell("rm -rf library")
        let held = try HeldTool(tool, "import --json @/in")
        if round.isMultiple(of: 2) { held.waitForOutput() }
        held.child.signalGroup(SIGINT)
        poll(nil, 0, 2)
        held.child.signalGroup(SIGINT)
        let result = try held.finish()
        // A signal that comes before there is a handler ends the process without a line.
        if result.output.isEmpty { continue }
        let last = try #require(result.objects?.last, "round \(round): \(result.output)")
        #expect(last["type"] as? String == "run_finished", "round \(round): \(result.output)")
        let counts = try #require(last["counts"] as? [String: Int])
        for (kind, count) in counts {
          let told = result.objects("item").count { $0["outcome"] as? String == kind }
          #expect(told == count, "round \(round), \(kind): \(result.output.suffix(300))")
        }
        guard let started = result.objects("run_started").first?["items"] as? Int else { continue }
        let unknown = last["unknown"] as? Int ?? 0
        #expect(counts.values.reduce(0, +) + unknown == started, "round \(round)")
      }
      #expect(try tool.run("import -q @/in").code == 0)
      #expect(try tool.run("check --deep").code == 0)
    }
  }

  // CAN-1, CAN-2, OBS-2
  @Test(arguments: [1, 2]) func anExportEndsItsLinesWithWhatItDid(signals: Int) throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(500)
      #expect(try tool.run("import -q @/in").code == 0)
      let held = try HeldTool(tool, "export --json --all -o @/out")
      held.waitForOutput()
      held.child.signalGroup(SIGINT)
      try held.waitForTalk("Stopping.")
      if signals == 2 {
        // The pipe is full and nobody reads: the last line has no room, the process leaves.
        held.child.signalGroup(SIGINT)
        #expect(held.child.wait(patience: Patience(for: HeldTool.limit)) == .signalled(SIGINT))
        #expect(try tool.run("check").code == 0)
        return
      }
      let result = try held.finish()
      #expect(result.ending == .signalled(SIGINT))
      let last = try #require(result.objects?.last)
      #expect(last["type"] as? String == "summary")
      #expect(last["state"] as? String == "cancelled")
      #expect(last["exit_code"] as? Int == 130)
      #expect(last["exported"] as? Int == result.objects("item").count)
      let files = try tool.shell("ls -A out | wc -l").output.filter(\.isNumber)
      #expect(Int(files) == result.objects("item").count, "nothing else is left")
    }
  }

  // IMP-13, CAN-6
  @Test func aSignalAfterTheDeletionIsSuccessWithANote() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = try #require(try tool.run("ls").output.split(separator: " ").first)
      let held = try HeldTool(tool, "rm --json --yes \(id)", Holding(isFull: true))
      let deadline = ContinuousClock.now + HeldTool.limit
      while try tool.run("ls").output != "", ContinuousClock.now < deadline {}
      held.child.signalGroup(SIGINT)
      // Said by the handler for the time before or after the removal's return, or after both.
      try held.waitForTalk("\n")
      let result = try held.finish()
      #expect(result.ending == .exited(0), "\(result.output) \(result.talk)")
      let last = try #require(result.objects?.last)
      #expect(last["removed"] as? Int == 1)
      #expect(last["note"] as? String == "the cancellation came after the commit")
      #expect(try tool.fileCount("documents") == 0)
    }
  }
}
