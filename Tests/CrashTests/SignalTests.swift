import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Cancels by real signals.
  @Suite(.serialized) struct SignalTests {
    private static let documentCount = 4_000

    // CAN-2, CAN-4, CAN-8, RUN-7: within a second all is settled, and the rest can be imported.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalSettlesEverythingWithinASecond(number: Int32) throws {
      try withCrashBox { box in
        try box.write(Self.documentCount, seed: UInt64(number))
        let tool = try RunningTool(box.command(["import", box.sourcePath]))
        #expect(tool.read(upTo: 300, of: "item"))
        let helpers = ProcessCensus.children(of: tool.process)
        let clock = ContinuousClock()
        let start = clock.now
        tool.signal(number)
        let status = tool.finish()
        let duration = start.duration(to: clock.now)
        print("signal \(number) in the middle of 4,000 documents: gone after \(duration)")
        // One second is promised; a machine that is busy with other work gets three.
        #expect(duration < .seconds(3))
        #expect(status == .signalled(number))
        for helper in helpers { #expect(ProcessCensus.waitForEnd(of: helper)) }
        let result = tool.result(status)
        #expect(result.finished?.state == "cancelled", "\(result.lines.last?.text ?? "")")
        #expect(result.finished?["exit_code"] == "\(128 + number)")
        result.expectCountsAddUp(to: Self.documentCount, "signal \(number)")
        let stored = result.items.count { $0["outcome"] == "succeeded" }
        #expect(stored >= 300 && stored < Self.documentCount)
        #expect(try box.names(in: "staging") == [])
        #expect(try box.run("ls").entries.count == stored)
        #expect(try box.run("recover").lines.count == 1, "a cancelled run leaves nothing")
        let rest = try box.run("import", box.sourcePath)
        #expect(rest.finished?["skipped"] == "\(stored)")
        try box.expectEntries(Self.documentCount, "signal \(number)")
      }
    }

    // FIL-8: Ctrl-\ ends the process as everywhere; Swift's runtime would report and go on.
    @Test func aQuitEndsTheProcess() throws {
      try withCrashBox { box in
        try box.write(600)
        let command = box.command(["import", box.sourcePath])
        let script = "ulimit -c 0; exec \"$0\" \"$@\""
        let words = ["-c", script].map { Array($0.utf8) } + [command.executable]
        let tool = try RunningTool(Command(Array("/bin/sh".utf8), words + command.arguments))
        #expect(tool.read(upTo: 50, of: "item"))
        tool.signal(SIGQUIT)
        #expect(tool.finish() == .signalled(SIGQUIT))
        try box.expectRepaired("after a quit")
        try box.expectEverythingStored(600, "after a quit")
      }
    }

    // CAN-4, FIL-8: the second signal leaves at once, even when nobody reads what is printed.
    @Test(arguments: [SIGINT, SIGTERM]) func aSecondSignalLeavesAtOnce(number: Int32) throws {
      try withCrashBox { box in
        try box.write(600)
        var command = box.command(["import", box.sourcePath])
        command.errors = .pipe
        let tool = try RunningTool(command)
        // The pipe fills up, so the run cannot end: it stays between the two signals.
        #expect(tool.read(upTo: 1, of: "item"))
        tool.signal(number)
        #expect(tool.waitForError("Cancelling"))
        let clock = ContinuousClock()
        let start = clock.now
        tool.signal(number)
        let status = tool.child.wait(patience: Patience(for: .seconds(20)))
        let duration = start.duration(to: clock.now)
        print("second signal \(number): gone after \(duration)")
        #expect(status == .signalled(number))
        #expect(duration < .seconds(3))
        try box.expectRepaired("second signal")
        try box.expectEverythingStored(600, "second signal")
      }
    }
  }
}
