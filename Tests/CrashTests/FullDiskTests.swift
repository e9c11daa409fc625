import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

extension CrashTests {
  /// Real small file systems. They need root to mount; skipped with a printed reason otherwise.
  /// A stopped or a very slow disk cannot be made here and is not tested.
  @Suite(.serialized) struct FullDiskTests {
    // FIL-7, IMP-2, IMP-10: a full disk is a clear error; listing and deleting still work.
    @Test func aFullDiskLosesNothingAndCanBeFreed() throws {
      try withCrashBox { box in
        try Self.writeLargeDocuments(40, box)
        _ = box.libraryPath.withCString { mkdir($0, 0o700) }
        try Self.withMount(at: box.libraryPath, "24m") {
          let result = try box.run("import", box.sourcePath)
          #expect(result.ending == .exited(3), "\(result.lines.last?.text ?? "")")
          result.expectCountsAddUp(to: 40, "full disk")
          let failed = result.items.filter { $0["outcome"] == "failed" }
          #expect(!failed.isEmpty)
          for item in failed { #expect(item["code"] == "noSpace", "\(item)") }
          let ids = try Self.ids(box)
          #expect(ids.count == 40 - failed.count)

          // As a clean close leaves it: then there is no room for what SQLite needs to read.
          for name in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
            _ = box.libraryPath.appending(name.utf8).withCString { unlink($0) }
          }
          let filler = try Self.fill(box)
          #expect(try Self.ids(box) == ids, "a full disk can be listed")
          #expect(try box.run("check", "--deep").ending == .exited(0))
          let removed = ids[..<2].map { BytePath(Array($0.utf8)) }
          let removal = try CrashBox.run(box.command(["rm", "--yes"] + removed))
          #expect(removal.ending == .exited(0), "\(removal.lines)")
          #expect(try Self.ids(box) == Array(ids[2...]))
          _ = filler.withCString { unlink($0) }

          let source = try #require(failed.first?["source"])
          let again = try box.run("import", BytePath(Array(source.utf8)))
          #expect(again.ending == .exited(0), "\(again.lines)")
          try box.expectEntries(ids.count - 1, "after freeing")
        }
      }
    }

    // FIL-7: deleting works each time that others have filled the disk, also small documents.
    @Test func aDiskThatIsFilledAgainAndAgainCanBeFreed() throws {
      try withCrashBox { box in
        try box.write(8)
        _ = box.libraryPath.withCString { mkdir($0, 0o700) }
        try Self.withMount(at: box.libraryPath, "12m") {
          try box.expectEverythingStored(8, "before")
          for id in try Self.ids(box) {
            _ = try Self.fill(box)
            let removal = try box.run("rm", "--yes", BytePath(Array(id.utf8)))
            #expect(removal.ending == .exited(0), "\(removal.lines)")
            #expect(!(try Self.ids(box).contains(id)))
          }
        }
      }
    }

    // FIL-1: staging on another file system could not be renamed from; opening refuses.
    @Test func stagingOnAnotherFileSystemIsRefused() throws {
      try withCrashBox { box in
        try box.write(3)
        try box.expectEverythingStored(3, "before")
        try Self.withMount(at: box.libraryPath.appending("staging".utf8), "1m") {
          let result = try box.run("import", box.sourcePath)
          #expect(result.ending == .exited(1))
          #expect(result.lines.contains { $0["code"] == "notOneFileSystem" }, "\(result.lines)")
        }
        try box.expectEverythingStored(3, "after")
      }
    }

    private static func ids(_ box: CrashBox) throws -> [String] {
      try box.run("ls").lines.compactMap { $0["id"] }
    }

    /// Documents of 700 kB that differ in a few bytes of a page's content.
    private static func writeLargeDocuments(_ count: Int, _ box: CrashBox) throws {
      var content = Documents.plain(byteCount: 700_000, seed: 1)
      for index in 0..<count {
        content[350_000] = UInt8(index)
        try PosixFileSystem().makeFile(
          at: box.sourcePath.appending("\(100 + index).pdf".utf8), holding: content)
      }
    }

    /// Leaves no free byte. The name is one that a library may hold.
    private static func fill(_ box: CrashBox) throws -> BytePath {
      let path = box.libraryPath.appending(".DS_Store".utf8)
      let files = PosixFileSystem()
      let isThere = path.withCString { access($0, F_OK) } == 0
      if !isThere { try files.makeFile(at: path, holding: []) }
      let descriptor = path.withCString { settle_openat(AT_FDCWD, $0, O_WRONLY | O_APPEND, 0) }
      defer { close(descriptor) }
      for size in [65_536, 4_096, 512, 1] {
        let block = [UInt8](repeating: 7, count: size)
        while block.withUnsafeBytes({ write(descriptor, $0.baseAddress, size) }) > 0 {}
      }
      let folder = try files.openFolder(at: box.libraryPath)
      defer { files.close(folder) }
      #expect(try files.freeByteCount(folder) == 0)
      return path
    }

    private static func withMount(
      at path: BytePath, _ size: String, _ body: () throws -> Void
    ) throws {
      let arguments = ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs"].map { Array($0.utf8) }
      guard try system("mount", arguments + [path.bytes]) else {
        print("skipped: no right to mount a tmpfs at \(path)")
        return
      }
      defer {
        let isGone = (try? system("umount", [path.bytes])) ?? false
        #expect(isGone, "\(path) is still mounted")
      }
      try body()
    }

    private static func system(_ name: String, _ arguments: [[UInt8]]) throws -> Bool {
      let path = Array("/usr/bin:/bin:/usr/sbin:/sbin".utf8)
      guard let program = findExecutable(named: Array(name.utf8), path: path) else { return false }
      return try Command(program, arguments).run().ending == .exited(0)
    }
  }
}
