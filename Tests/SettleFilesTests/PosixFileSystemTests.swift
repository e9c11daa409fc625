import CSettleSystem
import SettleTestSupport
import Synchronization
import Testing

@testable import SettleFiles

/// What only the real disk has to do.
@Suite struct PosixFileSystemTests {
  // FIL-4: where exclusive renaming is missing, publishing by link does not replace either.
  @Test func publishingByLinkNeverReplaces() throws {
    let (a, b) = (FileName(own: "a"), FileName(own: "b"))
    try withWorld(.posix) { world in
      let files = PosixFileSystem()
      try files.makeFile(a, in: world.root, holding: [1])
      try files.publishByLink(a, in: world.root, as: b, in: world.root)
      #expect(try files.names(in: world.root) == [b.bytes])
      try files.makeFile(a, in: world.root, holding: [2])
      let found = number { try files.publishByLink(a, in: world.root, as: b, in: world.root) }
      #expect(found == EEXIST)
      #expect(try files.contents(at: world.path("b")) == [1])
      #expect(try files.contents(at: world.path("a")) == [2])
    }
  }

  // FIL-4: a taken name or another volume is an error, never a reason to publish by link.
  @Test func onlyMissingSupportLeadsToTheOtherWay() {
    for number in [EINVAL, ENOSYS, ENOTSUP] {
      #expect(PosixFileSystem.meansNotSupported(number))
    }
    for number in [EEXIST, EXDEV, ENOENT, EIO, ENOSPC, EACCES] {
      #expect(!PosixFileSystem.meansNotSupported(number))
    }
  }

  // FIL-7: a call that a signal interrupts is repeated, and no other failure is.
  @Test func interruptedCallIsRepeated() {
    var callCount = 0
    let result = uninterrupted("read") { () -> Int in
      callCount += 1
      if callCount == 3 { return 7 }
      settle_set_errno(EINTR)
      return -1
    }
    #expect(result == .success(7) && callCount == 3)

    callCount = 0
    let failure = uninterrupted("read") { () -> Int in
      callCount += 1
      settle_set_errno(EIO)
      return -1
    }
    #expect(failure == .failure(FileError("read", EIO)) && callCount == 1)
  }

  // IMP-9: kinds in a listing are those of stat; a file system that does not say is asked.
  @Test func directoryTypesAreTheKindsOfStat() {
    let types: [(UInt8, FileKind?)] = [
      (0, nil), (1, .pipe), (2, .device), (4, .folder), (6, .device), (8, .regular), (10, .link),
      (12, .socket),
    ]
    for (type, kind) in types { #expect(FileKind(directoryType: type) == kind) }
  }

  // IMP-9: a socket cannot be opened, and says so at once.
  @Test func openingASocketIsRefused() throws {
    try withWorld(.posix) { world in
      let socket = world.path("socket")
      let made = socket.withCString { mknod($0, mode_t(S_IFSOCK) | 0o600, 0) }
      try #require(made == 0)
      let found = number { _ = try world.files.openSource(socket, followsLink: true) }
      #expect(found == ENXIO || found == EOPNOTSUPP)
      #expect(try world.files.status(at: socket, followsLink: true).kind == .socket)
    }
  }

  // FIL-1: descriptors end with exec, so that no child process keeps a file or a lock.
  @Test func descriptorsAreClosedOnExec() throws {
    try withWorld(.posix) { world in
      let files = world.files
      let name = FileName(own: "a")
      let opened = [
        world.root, try files.createFile(name, in: world.root, mode: 0o600),
        try files.openFile(name, in: world.root),
        try files.openSource(world.path("a"), followsLink: true),
      ]
      for handle in opened {
        #expect(settle_fcntl(handle.number, F_GETFD, 0) & FD_CLOEXEC != 0)
      }
      for handle in opened.dropFirst() { files.close(handle) }
    }
  }

  // IMP-14: a child that is just being started has a copy of the handle; the lock is free all the
  // same.
  @Test func aLockIsGivenBackWhileAChildHasACopy() throws {
    try withTemporaryFolder { path in
      let files = PosixFileSystem()
      let folder = try files.openFolder(at: path)
      defer { files.close(folder) }
      let first = try files.createFile(FileName(own: "lock"), in: folder, mode: 0o600)
      let second = try files.openFile(FileName(own: "lock"), in: folder)
      defer { files.close(second) }
      #expect(try files.lock(first))
      let copy = dup(first.number)
      defer { close(copy) }
      files.unlock(first)
      files.close(first)
      #expect(try files.lock(second))
    }
  }

  // IMP-14: those who only ask never make a writer think that somebody holds the lock.
  @Test func askingRefusesNoWriter() throws {
    try withTemporaryFolder { path in
      let files = PosixFileSystem()
      let folder = try files.openFolder(at: path)
      defer { files.close(folder) }
      let name = FileName(own: "lock")
      try files.makeFile(name, in: folder, holding: [])
      let isOver = Mutex(false)
      let asked = Mailbox<Int>()
      try WorkerThread.start {
        var count = 0
        while !isOver.withLock({ $0 }) {
          guard let file = try? files.openFile(name, in: folder) else { break }
          _ = try? files.isLocked(file)
          files.close(file)
          count += 1
        }
        asked.send(count)
        asked.close()
      }
      for _ in 0..<2_000 {
        let file = try files.openFile(name, in: folder)
        #expect(try files.lock(file))
        // Closing alone is not enough: a child that another test starts has a copy until it execs.
        files.unlock(file)
        files.close(file)
      }
      isOver.withLock { $0 = true }
      #expect(asked.take() ?? 0 > 0)
    }
  }
}
