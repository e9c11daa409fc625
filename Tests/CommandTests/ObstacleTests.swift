import Foundation
import SettleTestSupport
import Testing

/// What stands in the place of a document, or of the library's folders.
@Suite struct ObstacleTests {
  /// The path of the first document's file, below the tool's folder.
  private func storedFile(_ tool: ToolRun) throws -> String {
    let entry = try #require(try tool.run("ls --json").objects("entry").first)
    return "library/" + (try #require(entry["path"] as? String))
  }

  // IMP-7, IMP-8, IMP-12: whatever has a document's name goes to quarantine, and the document
  // comes back by importing it again.
  @Test(arguments: ["ln -s /nowhere", "mkdir", "mkfifo"])
  func anObstacleMakesWayForTheDocument(makes: String) throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let file = try storedFile(tool)
      _ = try tool.shell("rm -f \(file); \(makes) \(file)")
      let again = try tool.run("import --json @/in")
      #expect(again.code == 0, "\(again.output)")
      #expect(again.objects("item").first?["outcome"] as? String == "succeeded")
      #expect(try tool.run("check --deep").code == 0)
      #expect(try tool.shell("ls -A library/quarantine | wc -l").output == "1\n")
    }
  }

  // FIL-7, IMP-10: a folder of the library that is a link is named as what is wrong, not the source.
  @Test func aLinkInPlaceOfAShardIsNamed() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      _ = try tool.shell(
        "mv library/documents/0000 aside; ln -s ../../aside library/documents/0000")
      for line in ["import @/in", "export --all -o @/out", "ls"] {
        let result = try tool.run(line)
        #expect(result.code != 0)
        #expect(result.talk.contains("library/documents/0000"), "\(line): \(result.talk)")
        #expect(result.talk.contains("a folder is needed"), "\(line): \(result.talk)")
        #expect(!result.talk.contains("There is no file"), "\(line): \(result.talk)")
      }
    }
  }

  // FIL-7: a library that is named as a file is told to be one.
  @Test func aFileInPlaceOfALibraryIsNamed() throws {
    try ToolRun.lend { tool in
      _ = try tool.shell("touch afile")
      for line in ["ls", "import ."] {
        let result = try tool.shell("settle --library afile \(line)")
        #expect(result.talk.contains("a folder is needed"), "\(result.talk)")
        #expect(!result.talk.contains("There is no file"), "\(result.talk)")
      }
    }
  }

  // FIL-7, FIL-8: the advice after a check is one that helps.
  @Test func adviceAfterACheckHelps() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(2)
      #expect(try tool.run("import -q @/in").code == 0)
      let file = try storedFile(tool)
      _ = try tool.shell("chmod 600 \(file); printf x | dd of=\(file) bs=1 seek=9 conv=notrunc")
      let check = try tool.run("check --deep")
      #expect(check.code == 5)
      #expect(check.talk.contains("import the original again"), "\(check.talk)")
      #expect(!check.talk.contains("settle recover"), "\(check.talk)")
      #expect(try tool.run("import -q @/in").code == 0)
      #expect(try tool.run("check --deep").code == 0)
    }
  }

  // OBS-2: the last line of every list for programs says that it is whole.
  @Test func aListForProgramsHasALastLine() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = try #require(try tool.run("ls --json").objects("entry").first?["id"] as? String)
      #expect(try tool.run("ls --json").objects?.last?["entries"] as? Int == 1)
      #expect(try tool.run("status --json").objects?.last?["exit_code"] as? Int == 0)
      #expect(try tool.run("rm --yes \(id)").code == 0)
      let empty = try #require(try tool.run("ls --json").objects)
      #expect(empty.count == 1 && empty[0]["exit_code"] as? Int == 0)
    }
  }
}
