import Foundation
import SettleTestSupport
import Testing

/// What people type and pipe in: ids in capitals or twice, lists from other systems, odd targets.
@Suite struct ToolInputTests {
  // IMP-13
  @Test func anIdMayBeTypedInCapitalsAndTwice() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = String(try #require(try tool.run("ls").output.split(separator: " ").first))
      let capitals = id.uppercased()
      #expect(try tool.run("show \(capitals)").output.contains(id))
      let export = try tool.run("export --json \(id) \(capitals) -o @/a/b/c")
      #expect(export.code == 0, "\(export.talk)")
      #expect(export.objects?.last?["exported"] as? Int == 1)
      let preview = try tool.run("export --json -n \(id) \(capitals) -o @/a")
      #expect(preview.objects?.last?["would_export"] as? Int == 1)
      let dry = try tool.run("rm -n \(id) \(id)")
      #expect(dry.talk == "Would delete 1 document.\n")
      let removed = try tool.run("rm --json --yes \(id) \(capitals)")
      #expect(removed.objects?.last?["removed"] as? Int == 1)
      #expect(removed.objects("item").count == 1)
    }
  }

  // IMP-13
  @Test func theLibraryIsNoTargetOfAnExport() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let result = try tool.run("export --json --all -o @/library/out")
      #expect(result.code == 2)
      #expect(result.objects?.last?["code"] as? String == "targetInLibrary")
      #expect(try tool.shell("ls library/out").code != 0)
    }
  }

  // FIL-6
  @Test func aListFromAnotherSystemGetsAHint() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let result = try tool.shell(
        "printf 'in/1.pdf\\r\\nin/none.pdf\\r\\n' | settle import --json --files-from -")
      #expect(result.code == 4)
      let messages = result.objects("item").map {
        ($0["reason"] as? [String: Any])?["message"] as? String ?? ""
      }
      #expect(messages.count { $0.contains("CR LF") } == 1, "\(messages)")
      #expect(messages.first { $0.contains("1.pdf") }?.contains("CR LF") == true)
    }
  }

  // RUN-8
  @Test func aFolderIsNoList() throws {
    try ToolRun.lend { tool in
      _ = try tool.shell("mkdir folder")
      let result = try tool.run("import --json --files-from @/folder")
      #expect(result.code == 2)
      #expect(result.objects?.first?["code"] as? String == "usage")
      #expect(result.objects?.last?["type"] as? String == "run_finished")
    }
  }
}
