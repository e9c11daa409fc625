import Foundation
import SettleCore
import SettleTerminal
import SettleTestSupport
import Testing

@testable import SettleCommand

/// Exit codes and JSON lines of the tool as a process.
@Suite struct OutcomeTests {
  // RUN-8, IMP-12
  @Test func importsEndWithTheCodeOfTheirOutcome() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      try tool.write(Documents.html, to: Array("bad.pdf".utf8), in: "bad")
      try tool.write([UInt8]("text".utf8), to: Array("notes.txt".utf8), in: "notes")
      let rows: [(line: String, code: Int32, counts: [String: Int])] = [
        ("import --json @/in/1.pdf @/bad", 3, ["succeeded": 1, "failed": 1]),
        ("import --json @/bad", 4, ["failed": 1]),
        ("import --json @/in", 0, ["succeeded": 1, "skipped": 1]),
        ("import --json @/in", 0, ["skipped": 2]),
        ("import --json --on-duplicate fail @/in/1.pdf", 4, ["failed": 1]),
        ("import --json --on-duplicate=keep @/in/1.pdf", 0, ["succeeded": 1]),
        ("import --json @/notes", 0, ["skipped": 1]),
        ("import --json @/notes/notes.txt", 4, ["failed": 1]),
        ("import --json @/nowhere", 4, ["failed": 1]),
        ("import --json -n @/in --on-duplicate keep", 0, ["succeeded": 2]),
      ]
      for row in rows {
        let result = try tool.run(row.line)
        #expect(result.code == row.code, "\(row.line): \(result.output) \(result.talk)")
        let last = try #require(result.objects?.last)
        #expect(last["type"] as? String == "run_finished")
        #expect(last["exit_code"] as? Int == Int(row.code))
        let counts = try #require(last["counts"] as? [String: Int])
        #expect(counts.filter { $0.value > 0 } == row.counts, "\(row.line)")
        #expect(result.objects("item").count == counts.values.reduce(0, +), "\(row.line)")
        #expect(result.objects("run_started").count == 1)
      }
      let listed = try tool.run("ls --json").objects("entry")
      #expect(listed.count == 3, "a dry run stores nothing")
    }
  }

  // RUN-8
  @Test func nothingToDoIsSuccessUnlessInputIsRequired() throws {
    try ToolRun.lend { tool in
      try tool.write([], to: Array("in-notes".utf8), in: "other")
      _ = try tool.shell("mkdir empty")
      let plain = try tool.run("import @/empty")
      #expect(plain.code == 0)
      #expect(plain.talk == "Nothing to do: no documents were found.\n")
      let required = try tool.run("import --fail-if-empty --json @/empty")
      #expect(required.code == 9)
      #expect(
        required.objects?.suffix(2).map { $0["type"] as? String } == ["error", "run_finished"])
      let none = try tool.run("import --files-from -", input: "")
      #expect(none.code == 0)
    }
  }

  // IMP-4
  @Test func aMissingVerifierIsSaidOnceAndHasACodeOfItsOwn() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(3)
      let nowhere = [(name: "SETTLE_VERIFY", value: "/nowhere/settle-verify")]
      let result = try tool.run(tool.split("import @/in"), nowhere)
      #expect(result.code == 6)
      #expect(result.talk.components(separatedBy: "failed: ").count == 2, "\(result.talk)")
      let doctor = try tool.run(tool.split("doctor --json"), nowhere)
      #expect(doctor.code == 6)
      let verifier = doctor.objects("finding").first { $0["kind"] as? String == "verifier" }
      #expect(verifier?["state"] as? String == "problem")
      #expect(try tool.run("import @/in").code == 0)
    }
  }

  // OBS-2
  @Test func everyLineOfJSONParsesOnEveryPath() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      let early = ["ls", "status", "check", "recover", "show \(idText)", "rm --yes \(idText)"]
      for line in early {
        try expectEnding(tool, line + " --json", code: 10, last: "error")
      }
      try expectEnding(tool, "doctor --json", code: 0, last: "summary")
      try expectEnding(tool, "import --json @/in", code: 0, last: "run_finished")
      let entries = try tool.run("ls --json").objects("entry")
      let id = try #require(entries.first?["id"] as? String)
      let rows: [(line: String, code: Int32, last: String)] = [
        ("ls --json", 0, "summary"), ("show --json \(id)", 0, "entry"),
        ("show --json \(idText)", 2, "error"), ("status --json", 0, "status"),
        ("check --json --deep", 0, "summary"), ("recover --json -n", 0, "summary"),
        ("recover --json", 0, "summary"), ("export --json --all -o @/out", 0, "summary"),
        ("export --json \(idText) -o @/out", 2, "error"),
        ("rm --json \(id)", 2, "error"), ("rm --json -n \(id)", 0, "summary"),
        ("rm --json --yes \(id)", 0, "summary"), ("rm --json --yes \(id)", 2, "error"),
        ("doctor --json", 0, "summary"), ("man --json", 0, "text"),
        ("completions --json zsh", 0, "text"), ("--help --json", 0, "text"),
        ("ls --version --json", 0, "text"), ("frob --json", 2, "error"),
        ("import --json", 2, "run_finished"), ("import --json --nope x", 2, "run_finished"),
        ("ls --json --library @/in", 10, "error"),
        ("import --json --files-from @/none", 2, "run_finished"),
        ("import --json --library @/in @/in", 10, "run_finished"),
      ]
      for row in rows { try expectEnding(tool, row.line, code: row.code, last: row.last) }
    }
  }

  private func expectEnding(
    _ tool: ToolRun, _ line: String, code: Int32, last: String
  ) throws {
    let result = try tool.run(line)
    #expect(result.code == code, "\(line): \(result.output)\(result.talk)")
    let objects = try #require(result.objects, "\(line): \(result.output)")
    #expect(objects.last?["type"] as? String == last, "\(line): \(result.output)")
    if let stated = objects.last?["exit_code"] as? Int { #expect(stated == Int(code), "\(line)") }
    if last == "error" { #expect(result.talk == "", "\(line)") }
  }

  // FIL-6
  @Test func oddNamesAreImportedShownAndReported() throws {
    try ToolRun.lend { tool in
      let names: [[UInt8]] = [
        [0x80, 0xFF, 0x2E, 0x70, 0x64, 0x66], bytes("-n.pdf"), bytes("a\nb\r\u{1B}[31m.pdf"),
        bytes("%o %s.pdf"), bytes("日本.pdf"), bytes(" .pdf"),
      ]
      for (index, name) in names.enumerated() {
        try tool.write(Documents.plain(seed: UInt64(index + 1)), to: name)
      }
      let result = try tool.run("import --json @/in")
      #expect(result.code == 0)
      let items = result.objects("item")
      let told = items.map { item -> [UInt8] in
        if let encoded = item["name_bytes"] as? String {
          return Array(Data(base64Encoded: encoded) ?? Data())
        }
        return Array((item["name"] as? String ?? "").utf8)
      }
      #expect(Set(told) == Set(names))
      let list = try tool.run("ls -v").output
      #expect(list.split(separator: "\n").count == names.count)
      #expect(list.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 })
      #expect(list.contains(#"\x80\xFF.pdf"#) && list.contains(#"a\nb\r\x1B[31m.pdf"#))
      let again = try tool.shell("cd in && settle import -v -- -n.pdf")
      #expect(again.code == 0 && again.talk.contains("1 skipped"), "\(again.talk)")
    }
  }

  // FIL-6
  @Test func listsOfPathsAreBytes() throws {
    try ToolRun.lend { tool in
      let name: [UInt8] = [0xFF, 0x0A, 0x2E, 0x70, 0x64, 0x66]
      try tool.write(Documents.plain(), to: name)
      let zero = try tool.shell(
        "printf 'in/\\377\\n.pdf\\0' | settle import -0 --files-from - --json")
      #expect(zero.code == 0 && zero.objects("item").count == 1, "\(zero.output)")
      let lines = try tool.shell(
        "printf 'in/a\\n\\nin/b\\n' > list; settle import --files-from list -q")
      #expect(lines.code == 4)
      #expect(lines.talk.split(separator: "\n").count == 2, "\(lines.talk)")
    }
  }

  // OBS-2
  @Test func offATerminalThereIsNoControlCharacter() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(40)
      for line in [
        "import -v @/in", "ls", "status", "check --deep", "doctor", "import --progress bar @/in",
      ] {
        let result = try tool.run(line)
        #expect(result.code == 0)
        for text in [result.output, result.talk] {
          #expect(text.utf8.allSatisfy { $0 == 0x0A || $0 >= 0x20 }, "\(line)")
        }
      }
      #expect(try tool.run("import -q @/in").talk == "")
    }
  }

  // IMP-7, IMP-13: a check that finds a loss is not clean until the entry is deleted, which works.
  @Test func anEntryWhoseFileIsGoneCanBeDeleted() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      #expect(try tool.run("import -q @/in").code == 0)
      let entry = try #require(try tool.run("ls --json").objects("entry").first)
      let id = try #require(entry["id"] as? String)
      let path = try #require(entry["path"] as? String)
      _ = try tool.shell("rm -f library/\(path)")
      #expect(try tool.run("recover").code == 0)
      #expect(try tool.run("check").code == 5)
      #expect(try tool.run("rm -n \(id)").code == 0)
      #expect(try tool.run("rm --yes \(id)").code == 0)
      let check = try tool.run("check")
      #expect(check.code == 0, "\(check.output)")
      #expect(check.talk == "Checked 1 document: every one is there and as it was.\n")
    }
  }

  // IMP-10, FIL-7: a command that imports nothing speaks of no source and of no import.
  @Test func whatIsLeftIsToldInTheWordsOfTheCommand() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let export = try tool.run("export --all -o @/in/1.pdf")
      #expect(export.code != 0)
      _ = try tool.shell("mv library/staging library/other && : > library/staging")
      for talk in [export.talk, try tool.run("ls").talk, try tool.run("check").talk] {
        #expect(talk.contains("Every available document is intact."), "\(talk)")
        #expect(!talk.contains("source") && !talk.contains("import"), "\(talk)")
      }
    }
  }

  // FIL-7, FIL-8: every code of a call has its place in the frozen table.
  @Test(arguments: [
    (SettleError.Code.noLibrary, Int32(10)), (.notALibrary, 10), (.libraryNotNamed, 10),
    (.libraryBusy, 11), (.needsRecovery, 12), (.ledgerDamaged, 12), (.missingFile, 5),
    (.changedFile, 5), (.toolMissing, 6), (.permissionDenied, 6), (.readOnlyVolume, 6),
    (.newerFormat, 6), (.noSuchEntry, 2), (.noInput, 2), (.notFound, 2), (.targetInLibrary, 2),
    (.notARegularFile, 2), (.nameTooLong, 2), (.networkFileSystem, 2), (.targetExists, 4),
    (.noSpace, 1), (.ioError, 1), (.tooManyOpenFiles, 1), (.volumeGone, 1), (.unexpected, 1),
  ])
  func anErrorHasItsExitCode(code: SettleError.Code, status: Int32) {
    #expect(SettleCommand.ExitStatus(for: SettleError(code)).rawValue == status)
  }

  // RUN-7, FIL-7: an error beside items does not hide what became of them.
  @Test func theItemsDecideAboutTheExitCode() {
    let failure = SettleError(.libraryBusy)
    func code(_ succeeded: Int, _ failed: Int) -> SettleCommand.ExitStatus {
      var counts = OutcomeCounts()
      counts.succeeded = succeeded
      counts.failed = failed
      return ImportCommand.status(failure, counts, ReasonTally(), failsIfEmpty: true)
    }
    #expect(code(2, 0) == .success)
    #expect(code(1, 1) == .someNotPublished)
    #expect(code(0, 2) == .nonePublished)
    #expect(code(0, 0) == .libraryBusy)
  }

  // IMP-14
  @Test func deletingAsksAndNeedsSomebodyToAsk() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = try #require(try tool.run("ls").output.split(separator: " ").first)
      let unasked = try tool.run("rm \(id)")
      #expect(unasked.code == 2)
      #expect(unasked.talk.contains("give --yes"))
      #expect(try tool.run("ls").output.split(separator: "\n").count == 2)
      let agreed = try tool.run("rm --yes \(id) \(id)")
      #expect(agreed.code == 0)
      #expect(agreed.talk.hasPrefix("Deleted 1 document, "), "\(agreed.talk)")
      #expect(try tool.run("ls").output.split(separator: "\n").count == 1)
    }
  }
}
