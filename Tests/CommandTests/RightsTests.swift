import CSettleSystem
import Foundation
import SettleTestSupport
import Testing

/// Missing rights inside a library, odd masks, clocks and limits.
@Suite struct RightsTests {
  /// Runs lines as somebody without special rights, to whom everything belongs.
  private func asNobody(_ tool: ToolRun, _ line: String) throws -> ToolRun.Result? {
    if geteuid() != 0 { return try tool.shell(line) }
    guard access("/usr/bin/setpriv", X_OK) == 0 else {
      print("skipped: there is no setpriv to give up the rights of root")
      return nil
    }
    // The checkout may lie below a folder that only its owner may enter, such as /root.
    _ = try tool.shell(
      """
      chown -R 65534 in library; chown 65534 .; chmod 755 .
      [ -d bin ] || { mkdir bin && for each in settle settle-verify; do
        of="$(dirname "$SETTLE")/$each"; ln "$of" bin/ 2>&- || cp "$of" bin/; done; }
      """)
    let body = line.replacingOccurrences(of: "settle ", with: "\"$PWD\"/bin/settle ")
    let result = try tool.shell(
      "cat > script <<'END'\n\(body)\nEND\nsetpriv --reuid 65534 --clear-groups bash script")
    return result
  }

  // IMP-13, IMP-8: a document that cannot be deleted stays listed, and the library can be used.
  @Test func aShardThatMayNotBeWrittenKeepsItsDocuments() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = try #require(try tool.run("ls").output.split(separator: " ").first)
      _ = try tool.shell("chmod 500 library/documents/0000")
      guard let refused = try asNobody(tool, "settle rm --yes \(id)") else { return }
      #expect(refused.code == 6)
      #expect(refused.talk.contains("documents/0000"), "\(refused.talk)")
      #expect(refused.talk.contains("nothing was deleted"), "\(refused.talk)")
      #expect(try tool.run("ls").output.split(separator: "\n").count == 2)
      #expect(try asNobody(tool, "settle import -q in")?.code == 0, "the library can be opened")
      let doctor = try asNobody(tool, "settle doctor --json")
      #expect(doctor?.code == 6)
      #expect(doctor?.output.contains("documents/0000") == true, "\(doctor?.output ?? "")")
      let failed = try asNobody(tool, "settle import --on-duplicate keep in")
      #expect(failed?.talk.contains("No permission to write to the library") == true)
      #expect(failed?.talk.contains("Grant write permission") == true, "\(failed?.talk ?? "")")
      #expect(failed?.talk.contains("read permission") == false, "\(failed?.talk ?? "")")
      _ = try tool.shell("chmod 700 library/documents/0000")
      #expect(try asNobody(tool, "settle rm --yes \(id)")?.code == 0)
      #expect(try tool.run("check --deep").code == 0)
    }
  }

  // IMP-10
  @Test(arguments: ["ledger.sqlite", "staging", "trash"])
  func theDoctorNamesWhatMayNotBeWritten(name: String) throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      guard let sound = try asNobody(tool, "settle doctor") else { return }
      #expect(sound.code == 0, "\(sound.output)")
      _ = try tool.shell("chmod a-w library/\(name)")
      let doctor = try asNobody(tool, "settle doctor --json")
      #expect(doctor?.code == 6)
      #expect(doctor?.output.contains("library/\(name)") == true, "\(doctor?.output ?? "")")
    }
  }

  // FIL-7: an unreadable source is named and the run goes on.
  @Test func anUnreadableSourceIsRefusedByName() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      _ = try tool.shell(
        "cp \"$(ls -d in/* | head -1)\" in/secret.pdf")
      _ = try tool.shell("echo other >> in/secret.pdf; chmod 0 in/secret.pdf")
      guard let result = try asNobody(tool, "settle import --json in") else { return }
      #expect(result.code == 3)
      let items = result.objects("item")
      let failed = try #require(items.first { $0["outcome"] as? String == "failed" })
      #expect(failed["name"] as? String == "secret.pdf")
      #expect((failed["reason"] as? [String: Any])?["code"] as? String == "permissionDenied")
      #expect(items.filter { $0["outcome"] as? String == "succeeded" }.count == 2)
    }
  }

  // IMP-9: whatever the umask, a library is its owner's and its owner can use it.
  @Test(arguments: ["777", "000", "077"]) func theMaskDoesNotMatter(mask: String) throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      _ = try tool.shell("mkdir -p library; chmod 700 library; rmdir library")
      let line = "(umask \(mask); settle import -q in && settle ls)"
      guard let result = try asNobody(tool, line) else { return }
      #expect(result.code == 0, "\(result.talk)")
      let modes = try tool.shell("find library -printf '%m %y\\n' | sort -u").output
      let allowed: Set<Substring> = ["700 d", "600 f", "400 f"]
      #expect(Set(modes.split(separator: "\n")).isSubset(of: allowed), "\(modes)")
    }
  }

  // RUN-10: a clock that stands before 1970 makes ids of time 0 and ends nothing.
  @Test func aClockBefore1970IsNoReasonToEnd() throws {
    guard access("/usr/bin/faketime", X_OK) == 0 else {
      print("skipped: faketime is not installed")
      return
    }
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let result = try tool.shell(
        "NO_FAKE_STAT=1 faketime '1960-01-01' \"$SETTLE\" import -q in")
      #expect(result.code == 0, "\(result.talk)")
      #expect(try tool.run("ls").output.contains("1970-01-01"))
    }
  }

  // FIL-7: a process that may open next to nothing says so.
  @Test(arguments: [4, 5, 6, 7, 8, 10, 12, 16]) func aTinyLimitOfOpenFilesIsAnError(limit: Int)
    throws
  {
    try ToolRun.lend { tool in
      let result = try tool.shell("mkdir -p library; ulimit -n \(limit); exec \"$SETTLE\" ls")
      let code = try #require(result.code, "it ended by itself")
      #expect(code < 20 && !result.talk.isEmpty, "\(code): \(result.talk)")
    }
  }
}
