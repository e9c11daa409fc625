import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

@Suite struct SourceScanTests {
  /// Everything that a scan yields, and how it ended.
  private func scan(
    _ path: BytePath, in world: FileSystemWorld
  ) -> ([ScannedItem], ScanSummary) {
    var items: [ScannedItem] = []
    let summary = SourceScan(world.files).walk(path) {
      items.append($0)
      return true
    }
    return (items, summary)
  }

  private func names(_ items: [ScannedItem], in world: FileSystemWorld) -> [String] {
    items.map { String(decoding: $0.path.bytes.dropFirst(world.path.bytes.count), as: UTF8.self) }
  }

  // RUN-6, RUN-11: the order is that of the names' bytes, wherever the disk puts them.
  @Test(arguments: FileSystemKind.allCases)
  func itemsComeInTheOrderOfTheirBytes(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      for folder in ["b", "b/inner", "B", "empty"] {
        _ = try world.files.makeFolder(at: world.path(folder))
      }
      for file in ["c", "a", "b/2", "b/10", "b/inner/x", "B/z", ".hidden", "b0", "\u{E9}"] {
        try world.files.makeFile(at: world.path(file), holding: Array(file.utf8))
      }
      let (items, summary) = scan(world.path, in: world)
      #expect(
        names(items, in: world) == [
          "/.hidden", "/B/z", "/a", "/b/10", "/b/2", "/b/inner/x", "/b0", "/c", "/\u{E9}",
        ])
      #expect(items.allSatisfy { $0.origin == .found })
      #expect(items[1].content == .file(.regular, byteCount: 3))
      #expect(summary == ScanSummary())
    }
  }

  // RUN-6, IMP-9: what is named by hand is looked at through links; what is missing is told.
  @Test(arguments: FileSystemKind.allCases)
  func pathsNamedByHandAreYieldedAsNamed(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      try world.files.makeFile(at: world.path("file"), holding: [1, 2])
      _ = try world.files.makeFolder(at: world.path("folder"))
      try world.files.makeFile(at: world.path("folder/x"), holding: [1])
      try world.makeLink(world.path("link"), Array("file".utf8))
      try world.makeLink(world.path("dangling"), Array("gone".utf8))
      try world.makeLink(world.path("door"), Array("folder".utf8))
      try world.makePipe(world.path("pipe"))
      for (name, content) in [
        ("file", ScannedItem.Content.file(.regular, byteCount: 2)),
        ("link", .file(.regular, byteCount: 2)), ("pipe", .file(.pipe, byteCount: 0)),
      ] {
        let (items, _) = scan(world.path(name), in: world)
        let expected = ScannedItem(path: world.path(name), origin: .named, content: content)
        #expect(items == [expected])
      }
      for name in ["dangling", "missing"] {
        let (items, _) = scan(world.path(name), in: world)
        #expect(items.map(\.origin) == [.named])
        #expect(failure(items.first)?.code == .notFound)
        #expect(failure(items.first)?.subject == world.path(name).bytes)
      }
      let (items, _) = scan(world.path("door"), in: world)
      #expect(names(items, in: world) == ["/door/x"])
    }
  }

  // RUN-6: the same path twice is two items.
  @Test func walkingTwiceYieldsTwice() throws {
    try withMemoryWorld { files, world in
      try files.makeFile(at: world.path("x"), holding: [1])
      var count = 0
      let scan = SourceScan(files)
      for _ in 0..<2 {
        _ = scan.walk(world.path) { _ in
          count += 1
          return true
        }
      }
      #expect(count == 2)
    }
  }

  // RUN-6: a link in a folder is reported and never followed, also when it leads round.
  @Test(arguments: FileSystemKind.allCases)
  func linksInFoldersAreNotFollowed(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      _ = try world.files.makeFolder(at: world.path("folder"))
      try world.makeLink(world.path("folder/up"), Array("..".utf8))
      try world.makeLink(world.path("folder/gone"), Array("nowhere".utf8))
      let (items, summary) = scan(world.path, in: world)
      #expect(names(items, in: world) == ["/folder/gone", "/folder/up"])
      for item in items {
        guard case .file(.link, _) = item.content else {
          Issue.record("\(item) is no link")
          continue
        }
      }
      #expect(summary.isComplete)
    }
  }

  // FIL-7: an unreadable folder is an item that failed, and its neighbours go on.
  @Test func unreadableFolderIsAFailedItem() throws {
    try withMemoryWorld { files, world in
      for folder in ["a", "b", "c"] {
        _ = try files.makeFolder(at: world.path(folder))
        try files.makeFile(at: world.path(folder + "/x"), holding: [1])
      }
      try files.setMode(at: world.path("b"), 0)
      let (items, summary) = scan(world.path, in: world)
      #expect(names(items, in: world) == ["/a/x", "/b", "/c/x"])
      #expect(failure(items[1])?.code == .permissionDenied)
      #expect(failure(items[1])?.stage == .access)
      #expect(summary.isComplete)
      let (named, _) = scan(world.path("b"), in: world)
      #expect(named.map(\.origin) == [.named])
      #expect(failure(named.first)?.code == .permissionDenied)
    }
  }

  // FIL-7: what fails while a folder is read is told.
  @Test(arguments: ["list", "status", "openFolder"])
  func failureWhileReadingAFolderIsAFailedItem(_ call: String) throws {
    try withMemoryWorld { files, world in
      _ = try files.makeFolder(at: world.path("f"))
      try files.makeFile(at: world.path("f/x"), holding: [1])
      files.fail(call: call, at: call == "status" ? 3 : 1, with: EIO)
      let (items, _) = scan(world.path, in: world)
      #expect(items.compactMap { failure($0)?.code } == [.ioError])
      #expect(files.firedFaultCount == 1)
    }
  }

  // RUN-6: only what systems leave behind is passed over, and it is counted.
  @Test(arguments: FileSystemKind.allCases)
  func junkIsPassedOverAndCounted(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      for folder in ["@eaDir", ".git", "Thumbs.db"] {
        _ = try world.files.makeFolder(at: world.path(folder))
        try world.files.makeFile(at: world.path(folder + "/x"), holding: [1])
      }
      for file in [".DS_Store", "desktop.ini", "thumbs.db", "._a.pdf", ".git/Thumbs.db"] {
        try world.files.makeFile(at: world.path(file), holding: [1])
      }
      let (items, summary) = scan(world.path, in: world)
      #expect(
        names(items, in: world) == ["/._a.pdf", "/.git/x", "/Thumbs.db/x", "/thumbs.db"])
      #expect(summary.junkCount == 4)
      #expect(scan(world.path(".DS_Store"), in: world).0.count == 1)
    }
  }

  // FIL-6: a path longer than any call takes is an item that failed, and the scan goes on.
  @Test func tooLongPathIsAFailedItem() throws {
    try withWorld(.posix) { world in
      let files = world.files
      let name = try #require(FileName([UInt8](repeating: 0x64, count: 200)))
      let file = try #require(FileName([UInt8](repeating: 0x65, count: 250)))
      var folder = try files.openFolder(at: world.path)
      for _ in 0..<22 {
        try files.makeFile(FileName(own: "x"), in: folder, holding: [1])
        try files.makeFile(file, in: folder, holding: [1])
        _ = try files.makeFolder(name, in: folder)
        let inner = try files.openFolder(name, in: folder)
        files.close(folder)
        folder = inner
      }
      files.close(folder)
      let (items, summary) = scan(world.path, in: world)
      let failures = items.filter { failure($0) != nil }
      #expect(failures.allSatisfy { failure($0)?.cause?.number == ENAMETOOLONG })
      // At least one file and exactly one folder, both in a folder that can still be read.
      #expect(failures.contains { $0.path.lastComponent == file.bytes })
      #expect(failures.count { $0.path.lastComponent == name.bytes } == 1)
      for item in items where failure(item) == nil {
        #expect(item.path.bytes.count < Int(PATH_MAX))
      }
      #expect(items.count { failure($0) == nil } > 30)
      #expect(items.last?.path == world.path("x"))
      #expect(summary.isComplete)
    }
  }

  // RUN-6: depth costs no stack.
  @Test func deepTreesAreWalked() throws {
    try withMemoryWorld { files, world in
      var path = world.path
      for _ in 0..<1000 {
        path = path.appending([0x61])
        _ = try files.makeFolder(at: path)
      }
      try files.makeFile(at: path.appending([0x78]), holding: [1])
      let (items, summary) = scan(world.path, in: world)
      #expect(items.map(\.path) == [path.appending([0x78])])
      #expect(summary.isComplete)
    }
  }

  // RUN-6: a folder that leads back into itself is entered once, and that is told.
  @Test(.timeLimit(.minutes(1))) func folderMetAgainIsNotEnteredAgain() throws {
    try withMemoryWorld { files, world in
      _ = try files.makeFolder(at: world.path("f"))
      try files.makeFile(at: world.path("f/x"), holding: [1])
      try files.makeMount(at: world.path("f/again"), of: world.path)
      let (items, summary) = scan(world.path, in: world)
      #expect(names(items, in: world) == ["/f/x"])
      #expect(summary.repeatedFolderCount == 1 && summary.isComplete)
    }
  }

  // FIL-7: the same on the real disk, in a process without the rights of root.
  @Test func unreadableFolderOnDiskIsAFailedItem() async {
    await #expect(processExitsWith: .success) {
      try giveUpRoot()
      try withWorld(.posix) { world in
        _ = try world.files.makeFolder(at: world.path("a"))
        try world.files.makeFile(at: world.path("b"), holding: [1])
        let folder = try world.files.openFolder(at: world.path("a"))
        defer { world.files.close(folder) }
        try world.files.setMode(folder, 0)
        var found: [SettleError.Code?] = []
        _ = SourceScan(world.files).walk(world.path) { item in
          if case .failed(let error) = item.content {
            found.append(error.code)
          } else {
            found.append(nil)
          }
          return true
        }
        try #require(found == [.permissionDenied, nil])
      }
    }
  }

  // CAN-1, CAN-9: the scan stops where the body says so, and inside a large folder.
  @Test func stoppingEndsTheScan() throws {
    try withMemoryWorld { files, world in
      for number in 0..<10 {
        try files.makeFile(at: world.path("\(number)"), holding: [1])
      }
      var count = 0
      let stopped = SourceScan(files).walk(world.path) { _ in
        count += 1
        return count < 3
      }
      #expect(count == 3 && !stopped.isComplete)

      var questions = 0
      let cut = SourceScan(files) {
        questions += 1
        return questions < 5
      }.walk(world.path) { _ in
        Issue.record("yielded after the scan was stopped")
        return true
      }
      #expect(!cut.isComplete)
      #expect(files.openHandleCount == 1, "only the test's own folder is open")
    }
  }

  // RUN-6: a folder that is swapped while it is scanned is not entered.
  @Test func swappedFolderIsNotEntered() throws {
    try withMemoryWorld { files, world in
      _ = try files.makeFolder(at: world.path("f"))
      try files.makeFile(at: world.path("f/x"), holding: [1])
      _ = try files.makeFolder(at: "/secret")
      try files.makeFile(at: "/secret/y", holding: [1])
      let (root, target) = (world.root, world.path("f"))
      files.configure {
        $0.onOperation = { [files] operation in
          guard operation.call == "openFolder", operation.subject == target.bytes else { return }
          files.configure { $0.onOperation = nil }
          do {
            try files.publish(
              FileName(own: "f"), in: root, as: FileName(own: "moved"), in: root)
            try files.makeLink(at: target, to: Array("/secret".utf8))
          } catch {
            Issue.record(error)
          }
        }
      }
      let (items, _) = scan(world.path, in: world)
      #expect(items.compactMap { failure($0)?.code } == [.sourceChanged])
      #expect(items.count == 1)
    }
  }

  private func failure(_ item: ScannedItem?) -> SettleError? {
    guard case .failed(let error) = item?.content else { return nil }
    return error
  }
}

@Suite struct PathTableTests {
  // RUN-6, FIL-6
  @Test func pathsComeBackByteForByte() {
    let paths: [[UInt8]] = [[], [0xFF], Array("a/b".utf8), [], [UInt8](repeating: 1, count: 5000)]
    var table = PathTable()
    for (position, path) in paths.enumerated() { #expect(table.append(path) == position) }
    table.trim()
    #expect(table.count == paths.count)
    for (position, path) in paths.enumerated() { #expect(table[position].bytes == path) }
  }
}
