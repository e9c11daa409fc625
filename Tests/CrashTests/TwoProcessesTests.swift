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
        #expect(list.ending == .exited(0) && !list.entries.isEmpty)
        let status = try box.run("status")
        #expect(status.ending == .exited(0))
        #expect(status.lines.first?["holder"]?.contains("\(first.process)") == true)
        #expect(first.finish() == .exited(0))
        try box.expectEntries(600, "after both")
      }
    }

    // IMP-7, IMP-14: whatever a reader lists during an import has its file, and stays listed.
    @Test func readersSeeOnlyWhatIsThereDuringAnImport() throws {
      try withCrashBox { box in
        try box.write(600)
        let writer = try RunningTool(box.command(["import", box.sourcePath]))
        var seen: Set<String> = []
        var looks = 0
        while writer.read(upTo: 30, of: "item") {
          let list = try box.run("ls")
          #expect(list.ending == .exited(0), "\(list.lines.last?.text ?? "")")
          let paths = Set(list.lines.compactMap { $0["path"] })
          #expect(seen.isSubset(of: paths), "an entry left the list during an import")
          for path in paths.subtracting(seen) {
            let status = try? PosixFileSystem().status(
              at: box.libraryPath.appending(path.utf8), followsLink: false)
            #expect(
              status.map { "\($0.byteCount)" } == list.lines.first { $0["path"] == path }?["bytes"])
          }
          seen = paths
          looks += 1
        }
        #expect(looks >= 20)
        #expect(writer.finish() == .exited(0))
        try box.expectEntries(600, "after the readers")
      }
    }

    // IMP-14, FIL-8: of many that make one library at once, each works or is told to wait.
    @Test func manyProcessesMayMakeOneLibraryAtOnce() throws {
      try withCrashBox { box in
        try box.write(60)
        for round in 0..<5 {
          let tools = try (0..<6).map { _ in
            try RunningTool(box.command(["import", box.sourcePath]))
          }
          let endings = tools.map { $0.finish() }
          #expect(endings.contains(.exited(0)), "round \(round): \(endings)")
          for (tool, ending) in zip(tools, endings) {
            #expect(
              ending == .exited(0) || ending == .exited(11),
              "round \(round): \(tool.lines.last?.text ?? "")")
          }
          try box.expectEverythingStored(60, "round \(round)")
          removeTree(box.libraryPath)
        }
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
