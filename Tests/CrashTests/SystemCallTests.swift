import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Kills the tool at, or fails, chosen system calls. Needs strace; skips with a printed reason.
  @Suite(.serialized) struct SystemCallTests {
    private static let documentCount = 24

    /// What strace does to the n-th call of a kind.
    struct Injection: Sendable, CustomStringConvertible {
      var call: String
      var what: String
      var when: String
      /// The file system is one without an exclusive rename.
      var withoutRename = false
      var description: String {
        "\(call): \(what) at \(when)\(withoutRename ? ", no exclusive rename" : "")"
      }
    }

    static let kills: [Injection] =
      ["renameat2", "fsync", "pwrite64"].flatMap { call in
        (1...6).map { Injection(call: call, what: "signal=SIGKILL", when: "\($0)") }
      }
      + ["mkdirat", "unlinkat", "fchmod", "ftruncate", "fdatasync", "flock"].flatMap { call in
        [1, 3].map { Injection(call: call, what: "signal=SIGKILL", when: "\($0)") }
      }
      + ["linkat", "unlinkat"].flatMap { call in
        [1, 2, 5].map {
          Injection(call: call, what: "signal=SIGKILL", when: "\($0)", withoutRename: true)
        }
      }

    // FIL-2, FIL-4, FIL-8, IMP-7, IMP-8
    @Test(arguments: kills) func aKillAtASystemCallIsRepaired(_ injection: Injection) throws {
      try withTracedImport(injection) { box, result in
        if result.ending == .exited(0) {
          print("\(injection): the import ended before the call came")
        } else {
          #expect([.signalled(SIGKILL), .exited(137)].contains(result.ending), "\(injection)")
        }
      }
    }

    static let errors: [Injection] =
      ["renameat2", "fsync"].flatMap { call in
        ["ENOSPC", "EIO"].flatMap { error in
          ["1", "3", "2+", "1..4"].map {
            Injection(call: call, what: "error=\(error)", when: $0)
          }
        }
      }
      + ["ENOSPC", "EIO"].flatMap { error in
        ["20", "12+"].map { Injection(call: "pwrite64", what: "error=\(error)", when: $0) }
      }
      + ["mkdirat", "unlinkat", "fchmod", "openat"].map {
        Injection(call: $0, what: "error=EIO", when: $0 == "openat" ? "120+7" : "2+")
      }

    // FIL-7, FIL-8, IMP-2, IMP-10, RUN-7
    @Test(arguments: errors) func aSystemCallThatFailsLosesNothing(_ injection: Injection) throws {
      try withTracedImport(injection) { box, result in
        guard case .exited(let code) = result.ending else {
          Issue.record("\(injection): ended by \(result.ending)")
          return
        }
        #expect([0, 1, 3, 4, 6].contains(code), "\(injection): \(code)")
        if result.items.isEmpty { return }
        result.expectCountsAddUp(to: Self.documentCount, "\(injection)")
        for item in result.items where item["outcome"] == "failed" {
          #expect(item["stage"] != nil && item["stage"] != "null", "\(injection): \(item)")
        }
        let stored = result.items.count { $0["outcome"] == "succeeded" }
        let listed = try box.run("ls").entries.count
        #expect(listed == stored, "\(injection)")
      }
    }

    // FIL-4: file systems without an exclusive rename get the same promise by other means.
    @Test(arguments: ["ENOSYS", "EINVAL"])
    func withoutAnExclusiveRenameImportsWorkTheSame(error: String) throws {
      let injection = Injection(call: "renameat2", what: "error=\(error)", when: "1+")
      try withTracedImport(injection) { box, result in
        #expect(result.ending == .exited(0), "\(injection)")
        try box.expectEntries(Self.documentCount, "\(injection)")
      }
    }

    private func withTracedImport(
      _ injection: Injection, _ body: (CrashBox, ToolResult) throws -> Void
    ) throws {
      let path = environmentValue("PATH") ?? Array("/usr/bin:/bin".utf8)
      guard let strace = findExecutable(named: Array("strace".utf8), path: path) else {
        print("skipped \(injection): strace is not installed")
        return
      }
      try withCrashBox { box in
        try box.write(Self.documentCount)
        var options = [
          "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(injection.call),renameat2", "-e",
          "inject=\(injection.call):\(injection.what):when=\(injection.when)",
        ]
        if injection.withoutRename { options += ["-e", "inject=renameat2:error=ENOSYS"] }
        var command = Command(strace, options.map { Array($0.utf8) } + [box.settle.bytes])
        command.arguments += [Array("import".utf8), box.sourcePath.bytes]
        command.arguments += CrashBox.everyCall(box.libraryPath)
        command.errors = .null
        let result = try CrashBox.run(command)
        try body(box, result)
        try box.expectRepaired("\(injection)")
        try box.expectEverythingStored(Self.documentCount, "\(injection)")
      }
    }
  }
}
