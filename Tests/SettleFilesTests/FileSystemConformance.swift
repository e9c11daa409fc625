import CSettleSystem
import SettleTestSupport
import Testing

@testable import SettleFiles

/// What every file system promises, proven for the real one and for the one in memory.
@Suite struct FileSystemConformance {
  private let a = FileName(own: "a")
  private let b = FileName(own: "b")

  // FIL-1: a staging file is created exclusively, whatever has its name.
  @Test(arguments: FileSystemKind.allCases)
  func creatingNeverTakesAnExistingName(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      try files.makeFile(a, in: world.root, holding: [1, 2])
      try world.makeLink(world.path("b"), Array("nowhere".utf8))
      for name in [a, b] {
        let found = number { _ = try files.createFile(name, in: world.root, mode: 0o600) }
        #expect(found == EEXIST)
      }
      #expect(try files.contents(at: world.path("a")) == [1, 2])
    }
  }

  // FIL-4: publishing moves a file to a free name and never replaces one.
  @Test(arguments: FileSystemKind.allCases)
  func publishingNeverReplaces(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      #expect(try files.makeFolder(b, in: world.root))
      let documents = try files.openFolder(b, in: world.root)
      defer { files.close(documents) }
      try files.makeFile(a, in: world.root, holding: [1])
      try files.publish(a, in: world.root, as: b, in: documents)
      #expect(try files.names(in: world.root) == [b.bytes])
      #expect(try files.contents(at: world.path("b/b")) == [1])

      try files.makeFile(a, in: world.root, holding: [2])
      let found = number { try files.publish(a, in: world.root, as: b, in: documents) }
      #expect(found == EEXIST)
      #expect(try files.contents(at: world.path("b/b")) == [1])
      #expect(try files.contents(at: world.path("a")) == [2])
      #expect(number { try files.publish(b, in: documents, as: a, in: documents) } == nil)
      #expect(number { try files.publish(b, in: documents, as: a, in: documents) } == ENOENT)
    }
  }

  // FIL-1: inside a library no link is followed.
  @Test(arguments: FileSystemKind.allCases)
  func linksInsideAFolderAreRefused(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      _ = try files.makeFolder(b, in: world.root)
      try files.makeFile(at: world.path("b/file"), holding: [1])
      try world.makeLink(world.path("folder"), Array("b".utf8))
      try world.makeLink(world.path("file"), Array("b/file".utf8))
      let folder = number { _ = try files.openFolder(FileName(own: "folder"), in: world.root) }
      #expect(folder == ENOTDIR || folder == ELOOP)
      #expect(
        number { _ = try files.openFile(FileName(own: "file"), in: world.root) } == ELOOP)
      #expect(try files.status(FileName(own: "file"), in: world.root).kind == .link)
    }
  }

  // IMP-9: a user's own path may be a link; a dangling one is not found.
  @Test(arguments: FileSystemKind.allCases)
  func sourcesFollowLinksWhenAsked(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      try files.makeFile(a, in: world.root, holding: [1, 2, 3])
      try world.makeLink(world.path("link"), Array("a".utf8))
      try world.makeLink(world.path("dangling"), Array("gone".utf8))
      try world.makeLink(world.path("loop"), Array("loop".utf8))
      let source = try files.openSource(world.path("link"), followsLink: true)
      #expect(try files.contents(of: source) == [1, 2, 3])
      files.close(source)
      let refused = number { _ = try files.openSource(world.path("link"), followsLink: false) }
      #expect(refused == ELOOP)
      #expect(try files.status(at: world.path("link"), followsLink: true).byteCount == 3)
      #expect(try files.status(at: world.path("link"), followsLink: false).kind == .link)
      for (name, expected) in [("dangling", ENOENT), ("loop", ELOOP), ("a/x", ENOTDIR)] {
        let found = number { _ = try files.openSource(world.path(name), followsLink: true) }
        #expect(found == expected, "\(name)")
      }
    }
  }

  // IMP-9: opening a pipe that nobody writes to returns at once.
  @Test(.timeLimit(.minutes(1)), arguments: FileSystemKind.allCases)
  func openingAPipeNeverBlocks(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      try world.makePipe(world.path("pipe"))
      let source = try world.files.openSource(world.path("pipe"), followsLink: true)
      #expect(try world.files.status(of: source).kind == .pipe)
      world.files.close(source)
      let inside = try world.files.openFile(FileName(own: "pipe"), in: world.root)
      world.files.close(inside)
    }
  }

  // FIL-6: a name is bytes.
  @Test(arguments: FileSystemKind.allCases)
  func everyNameIsKeptByteForByte(_ kind: FileSystemKind) throws {
    let names: [[UInt8]] = [
      [0xFF, 0xFE], Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), [0x0A], [0x1B, 0x5B],
      Array("...".utf8), Array(" ".utf8), Array("-rf".utf8), [UInt8](repeating: 0x78, count: 255),
      Array("\u{202E}fdp.exe".utf8), (1...255).filter { $0 != 0x2F }.map(UInt8.init),
    ]
    try withWorld(kind) { world in
      for name in names {
        try world.files.makeFile(#require(FileName(name)), in: world.root, holding: [1])
        #expect(try world.files.contents(at: world.path.appending(name)) == [1])
      }
      let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(try world.files.names(in: world.root) == sorted)
      #expect(try world.files.names(in: world.root) == sorted, "a second listing finds the same")
    }
  }

  // FIL-6: a name that is too long and a path with a zero byte are errors, never another file.
  @Test(arguments: FileSystemKind.allCases)
  func impossibleNamesAreErrors(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let long = try #require(FileName([UInt8](repeating: 0x78, count: 256)))
      let found = number { _ = try world.files.createFile(long, in: world.root, mode: 0o600) }
      #expect(found == ENAMETOOLONG)
      try world.files.makeFile(a, in: world.root, holding: [1])
      let zero = BytePath(world.path("a").bytes + [0, 0x62])
      #expect(number { _ = try world.files.openSource(zero, followsLink: true) } == ENOENT)
      #expect(number { _ = try world.files.openSource(BytePath([]), followsLink: true) } == ENOENT)
      #expect(FileName(Array("..".utf8)) == nil)
      #expect(FileName(Array("a/b".utf8)) == nil)
    }
  }

  // FIL-3: a folder is removed only when nothing is in it, and a file only as a file.
  @Test(arguments: FileSystemKind.allCases)
  func removingTakesOnlyWhatIsMeant(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      #expect(try files.makeFolder(a, in: world.root))
      #expect(try !files.makeFolder(a, in: world.root))
      #expect(try !files.makeFolder(at: world.path("a")))
      try files.makeFile(at: world.path("a/x"), holding: [1])
      #expect(number { try files.removeFolder(a, in: world.root) } == ENOTEMPTY)
      let removedAsFile = number { try files.remove(a, in: world.root) }
      #expect(removedAsFile == EISDIR || removedAsFile == EPERM)
      let folder = try files.openFolder(a, in: world.root)
      try files.remove(FileName(own: "x"), in: folder)
      #expect(number { try files.remove(FileName(own: "x"), in: folder) } == ENOENT)
      files.close(folder)
      try files.removeFolder(a, in: world.root)
      try files.makeFile(b, in: world.root, holding: [])
      #expect(number { try files.removeFolder(b, in: world.root) } == ENOTDIR)
      #expect(try files.names(in: world.root) == [b.bytes])
    }
  }

  // IMP-14: one holder at a time; closing gives the lock back.
  @Test(arguments: FileSystemKind.allCases)
  func aLockHasOneHolder(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      let first = try files.createFile(a, in: world.root, mode: 0o600)
      let second = try files.openFile(a, in: world.root)
      #expect(try files.lock(first))
      #expect(try files.lock(first))
      #expect(try !files.lock(second))
      files.close(first)
      #expect(try files.lock(second))
      files.close(second)
    }
  }

  // IMP-14: whether somebody has the lock can be asked, and asking takes it from nobody.
  @Test(arguments: FileSystemKind.allCases)
  func askingForALockTakesNone(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      let first = try files.createFile(a, in: world.root, mode: 0o600)
      let second = try files.openFile(a, in: world.root)
      #expect(try !files.isLocked(second))
      #expect(try files.lock(first))
      #expect(try files.isLocked(second))
      files.close(first)
      #expect(try !files.isLocked(second))
      files.close(second)
    }
  }

  // FIL-2: what is known of a file: its kind, size, mode and a stamp that changes with it.
  @Test(arguments: FileSystemKind.allCases)
  func statusTellsKindSizeModeAndChange(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      let file = try files.createFile(a, in: world.root, mode: 0o600)
      defer { files.close(file) }
      let empty = try files.status(of: file)
      #expect(empty.kind == .regular && empty.byteCount == 0 && empty.mode == 0o600)
      #expect(empty.isSameContent(as: empty))
      try files.writeAll([1, 2, 3], to: file)
      try files.setMode(file, 0o400)
      try files.sync(file)
      try files.syncFolder(world.root)
      files.startWriteback(file)
      let full = try files.status(a, in: world.root)
      #expect(full.byteCount == 3 && full.mode == 0o400)
      #expect(!full.isSameContent(as: empty))
      #expect(full.isSameContent(as: try files.status(at: world.path("a"), followsLink: false)))
      #expect(try files.status(of: world.root).kind == .folder)
    }
  }

  // FIL-7: what was removed while open can still be read; the volume says how much is free.
  @Test(arguments: FileSystemKind.allCases)
  func anOpenFileOutlivesItsName(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      try files.makeFile(a, in: world.root, holding: [5, 6])
      let file = try files.openFile(a, in: world.root)
      try files.remove(a, in: world.root)
      #expect(try files.contents(of: file) == [5, 6])
      #expect(try files.contents(of: file) == [])
      #expect(try files.freeByteCount(file) > 0)
      #expect(try !files.isNetwork(file))
      files.close(file)
    }
  }

  @Test(arguments: FileSystemKind.allCases)
  func foldersAndFilesAreNotTakenForEachOther(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let files = world.files
      try files.makeFile(a, in: world.root, holding: [1])
      _ = try files.makeFolder(b, in: world.root)
      #expect(number { _ = try files.openFolder(a, in: world.root) } == ENOTDIR)
      #expect(number { _ = try files.openFolder(at: world.path("a")) } == ENOTDIR)
      let folder = try files.openSource(world.path("b"), followsLink: true)
      #expect(number { _ = try files.contents(of: folder) } == EISDIR)
      files.close(folder)
      let reader = try files.openFile(a, in: world.root)
      #expect(number { try files.writeAll([1], to: reader) } == EBADF)
      files.close(reader)
    }
  }
}
