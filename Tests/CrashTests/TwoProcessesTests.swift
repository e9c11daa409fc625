import CSettleSystem
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Several processes on one library.
  @Suite(.serialized) struct TwoProcessesTests {
    // IMP-14: the second writer is told who holds the library; readers go on.
    @Test func aSecondWriterIsToldWhoHoldsTheLibrary() throws {
      try withCrashBox { box in
        try box.write(600)
        let first = try RunningTool(box.command(["import", box.sourcePath]))
        // Its output is not read from here on, so it holds the library until it is.
        #expect(first.read(upTo: 1, of: "item"))
        for arguments: [BytePath] in [
          ["import", box.sourcePath], ["recover"], ["rm", "--yes", "01m8n4z489qk344gm1bstm1jhd"],
        ] {
          let second = try CrashBox.run(box.command(arguments))
          #expect(second.ending == .exited(11), "\(arguments) \(second.lines)")
          let says = second.lines.contains { $0.text.contains("\(first.process)") }
          #expect(says, "\(arguments): \(first.process) is not named in \(second.lines)")
        }
        let list = try box.run("ls")
        #expect(list.ending == .exited(0) && !list.lines.isEmpty)
        let status = try box.run("status")
        #expect(status.ending == .exited(0))
        #expect(status.lines.first?["holder"]?.contains("\(first.process)") == true)
        #expect(first.finish() == .exited(0))
        try box.expectEntries(600, "after both")
      }
    }

    // IMP-14, FIL-8: a holder that was killed holds nothing.
    @Test func aKilledHolderDoesNotKeepTheLibrary() throws {
      try withCrashBox { box in
        try box.write(300)
        let first = try RunningTool(box.command(["import", box.sourcePath]))
        #expect(first.read(upTo: 1, of: "item"))
        first.signal(SIGKILL)
        #expect(first.finish() == .signalled(SIGKILL))
        try box.expectEverythingStored(300, "after the holder was killed")
      }
    }
  }
}
