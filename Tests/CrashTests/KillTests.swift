import CSettleSystem
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

/// Everything below runs the real program; the parts of the suite run one after the other.
@Suite(.serialized) enum CrashTests {}

extension CrashTests {
  /// Kills the tool, or its helpers, in the middle of imports.
  @Suite(.serialized) struct KillTests {
    private static let roundCount = 28
    private static let documentsPerRound = 100

    // FIL-4, FIL-8, IMP-2, IMP-7, IMP-8, CAN-8
    @Test(arguments: [UInt64(20_260_730)]) func aKilledImportIsRepairedByTheNext(seed: UInt64)
      throws
    {
      var random = SeededGenerator(seed: seed)
      try withCrashBox { box in
        var orphans: Set<pid_t> = []
        var killed = 0
        for round in 0..<Self.roundCount {
          let name = "\(100 + round)"
          try box.write(Self.documentsPerRound, into: name, seed: UInt64(round))
          let tool = try RunningTool(
            box.command(["import", box.sourcePath.appending(name.utf8)]))
          let number = Int.random(in: 1..<Self.documentsPerRound, using: &random)
          Self.wait(for: round % 4, number, tool, box)
          orphans.formUnion(ProcessCensus.children(of: tool.process))
          tool.signal(SIGKILL)
          let status = tool.finish()
          if status == .signalled(SIGKILL) { killed += 1 }
          #expect(
            [.signalled(SIGKILL), .exited(0)].contains(status), "seed \(seed), round \(round)")
          if round % 3 == 0 { try box.expectRepaired("seed \(seed), round \(round)") }
        }
        for orphan in orphans {
          #expect(ProcessCensus.waitForEnd(of: orphan), "helper \(orphan) outlives its tool")
        }
        #expect(killed >= 20, "only \(killed) rounds were killed before they ended")
        #expect(!orphans.isEmpty, "no round came as far as a helper")
        try box.expectRepaired("seed \(seed), at the end")
        let count = Self.roundCount * Self.documentsPerRound
        try box.expectEverythingStored(count, "seed \(seed)")
      }
    }

    /// Waits for the event that this round kills at; an import that ends first is killed as a
    /// process that has nothing left to do.
    private static func wait(for kind: Int, _ number: Int, _ tool: RunningTool, _ box: CrashBox) {
      let deadline = ContinuousClock.now + .seconds(20)
      func isTime(_ condition: () -> Bool) -> Bool { condition() || ContinuousClock.now > deadline }
      switch kind {
      case 0: tool.read(upTo: number, of: "item")
      case 1:
        let goal = box.storedFileCount() + number
        while !isTime({ box.storedFileCount() >= goal || hasEnded(tool) }) { sched_yield() }
      case 2:
        while !isTime({ stagedFileCount(box) >= min(number, 40) || hasEnded(tool) }) {
          sched_yield()
        }
      default: break
      }
    }

    private static func hasEnded(_ tool: RunningTool) -> Bool {
      ProcessCensus.state(of: tool.process).map { $0 == "Z" } ?? true
    }

    private static func stagedFileCount(_ box: CrashBox) -> Int {
      guard let runs = try? box.names(in: "staging") else { return 0 }
      return runs.reduce(0) { $0 + ((try? box.names(in: "staging/\($1)").count) ?? 0) }
    }

    // CAN-8, IMP-4, RUN-7, FIL-8: a helper that dies takes at most its document with it.
    @Test func helpersThatAreKilledDoNotEndTheRun() throws {
      try withCrashBox { box in
        try box.write(400)
        let tool = try RunningTool(box.command(["import", box.sourcePath]))
        var killed: Set<pid_t> = []
        while let line = tool.nextLine() {
          guard line["type"] == "item", tool.lines.count % 20 == 0 else { continue }
          for helper in ProcessCensus.children(of: tool.process) {
            killed.insert(helper)
            _ = kill(helper, SIGKILL)
          }
        }
        let result = tool.result(tool.finish())
        #expect(!killed.isEmpty)
        #expect([.exited(0), .exited(3)].contains(result.ending), "\(result.ending)")
        result.expectCountsAddUp(to: 400, "helpers killed")
        let failed = result.items.filter { $0["outcome"] == "failed" }
        // The second: killed before it had greeted, thus before it had a document.
        for item in failed {
          #expect(["tooComplex", "toolFailed"].contains(item["code"]), "\(item)")
        }
        #expect(failed.count <= killed.count, "one death fails one document at most")
        try box.expectRepaired("helpers killed")
        try box.expectEverythingStored(400, "helpers killed")
      }
    }
  }
}
