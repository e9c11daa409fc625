import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Limits that the system sets to a process. Needs prlimit; skips with a printed reason.
  @Suite(.serialized) struct LimitTests {
    // FIL-7, RUN-11: where few files may be open, fewer are worked on at once, and none fails.
    @Test(arguments: [256, 96, 72]) func fewOpenFilesAreEnough(limit: Int) throws {
      let path = environmentValue("PATH") ?? Array("/usr/bin:/bin".utf8)
      guard let prlimit = findExecutable(named: Array("prlimit".utf8), path: path) else {
        print("skipped: prlimit is not installed")
        return
      }
      try withCrashBox { box in
        try box.write(400)
        var command = Command(prlimit, [Array("--nofile=\(limit)".utf8), box.settle.bytes])
        command.arguments += [Array("import".utf8), box.sourcePath.bytes]
        command.arguments += ["--jobs", "2"].map { Array($0.utf8) }
        command.arguments += CrashBox.everyCall(box.libraryPath)
        command.errors = .null
        let result = try CrashBox.run(command)
        #expect(
          result.ending == .exited(0), "\(result.items.first { $0["code"] != nil }?.text ?? "")")
        #expect(result.finished?["succeeded"] == "400")
        try box.expectEntries(400, "\(limit) open files")
      }
    }
  }
}
