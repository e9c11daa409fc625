import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Limits that the system sets to a process. Needs prlimit; skips with a printed reason.
  @Suite(.serialized) struct LimitTests {
    // FIL-7, RUN-11: where few files may be open, fewer are worked on at once, and none fails.
    @Test(arguments: [256, 96, 72, 48]) func fewOpenFilesAreEnough(limit: Int) throws {
      try withCrashBox { box in
        try box.write(400)
        guard let result = try importing(box, limit) else { return }
        #expect(
          result.ending == .exited(0), "\(result.items.first { $0["code"] != nil }?.text ?? "")")
        #expect(result.finished?["succeeded"] == "400")
        try box.expectEntries(400, "\(limit) open files")
      }
    }

    // FIL-7, RUN-11: where an import cannot open what it needs, that is said once and nothing is
    // imported; never do some items fail because chance had it so.
    @Test(arguments: [20, 26, 30, 32, 36, 40]) func tooFewOpenFilesAreOneError(limit: Int) throws {
      try withCrashBox { box in
        try box.write(400)
        guard let result = try importing(box, limit) else { return }
        if result.ending == .exited(0) {
          try box.expectEntries(400, "\(limit) open files")
          return
        }
        #expect(result.ending == .exited(1), "\(limit)")
        #expect(result.items.isEmpty && result.finished?.state == "failed", "\(result.lines)")
        let error = result.lines.first { $0["type"] == "error" }
        #expect(error?["code"] == "tooManyOpenFiles")
        #expect(error?["next"]?.contains("ulimit -n") == true)
        try box.expectEverythingStored(400, "with more files")
      }
    }

    /// Imports with so few open files; nil, with the reason printed, where that cannot be had.
    private func importing(_ box: CrashBox, _ limit: Int) throws -> ToolResult? {
      let path = environmentValue("PATH") ?? Array("/usr/bin:/bin".utf8)
      guard let prlimit = findExecutable(named: Array("prlimit".utf8), path: path) else {
        print("skipped: prlimit is not installed")
        return nil
      }
      var command = Command(prlimit, [Array("--nofile=\(limit)".utf8), box.settle.bytes])
      command.arguments += [Array("import".utf8), box.sourcePath.bytes]
      command.arguments += ["--jobs", "2"].map { Array($0.utf8) }
      command.arguments += CrashBox.everyCall(box.libraryPath)
      command.errors = .null
      return try CrashBox.run(command)
    }
  }
}
