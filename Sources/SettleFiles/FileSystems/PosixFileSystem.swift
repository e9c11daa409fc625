import CSettleSystem
import SettleCore

/// The real disk.
///
/// Every descriptor is closed on exec and no call ever blocks on a pipe. Names inside a library are
/// opened below an open folder and never through a link. Thread safe: it holds no state.
package struct PosixFileSystem: FileSystem {
  /// Makes one.
  package init() {}

  /// Opens below a folder; the flags of every open are added here.
  func open(
    _ name: FileName, in folder: Handle, flags: Int32, mode: UInt32 = 0
  ) throws(FileError) -> Handle {
    let descriptor = try name.withCString { pointer in
      uninterrupted("openat") {
        settle_openat(folder.number, pointer, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
      }
    }.get()
    return Handle(descriptor)
  }

  /// Opens a user's path; a path that no call can take is one that does not exist.
  func open(at path: BytePath, flags: Int32) throws(FileError) -> Handle {
    guard path.isUsable else { throw FileError("openat", ENOENT) }
    let descriptor = try path.withCString { pointer in
      uninterrupted("openat") { settle_openat(AT_FDCWD, pointer, flags | O_CLOEXEC, 0) }
    }.get()
    return Handle(descriptor)
  }
}

extension PosixFileSystem {
  package func openFile(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try open(name, in: folder, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
  }

  package func createFile(
    _ name: FileName, in folder: Handle, mode: UInt32
  ) throws(FileError) -> Handle {
    let handle = try open(name, in: folder, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode)
    // A file that only its owner may use has exactly these rights, whatever the umask. One for
    // others, too, has what the umask leaves, as its user expects.
    guard mode & 0o077 == 0 else { return handle }
    do throws(FileError) {
      try setMode(handle, mode)
      return handle
    } catch {
      close(handle)
      _ = name.withCString { unlinkat(folder.number, $0, 0) }
      throw error
    }
  }

  package func openSource(_ path: BytePath, followsLink: Bool) throws(FileError) -> Handle {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
    return try open(at: path, flags: followsLink ? flags : flags | O_NOFOLLOW)
  }

  package func status(at path: BytePath, followsLink: Bool) throws(FileError) -> FileStatus {
    guard path.isUsable else { throw FileError("fstatat", ENOENT) }
    var information = stat()
    _ = try path.withCString { pointer in
      uninterrupted("fstatat") {
        fstatat(AT_FDCWD, pointer, &information, followsLink ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    }.get()
    return FileStatus(information)
  }

  package func status(of handle: Handle) throws(FileError) -> FileStatus {
    var information = stat()
    _ = try uninterrupted("fstat") { fstat(handle.number, &information) }.get()
    return FileStatus(information)
  }

  package func status(_ name: FileName, in folder: Handle) throws(FileError) -> FileStatus {
    var information = stat()
    _ = try name.withCString { pointer in
      uninterrupted("fstatat") {
        fstatat(folder.number, pointer, &information, AT_SYMLINK_NOFOLLOW)
      }
    }.get()
    return FileStatus(information)
  }

  package func read(
    _ handle: Handle, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    try systemRead(handle.number, buffer).get()
  }

  package func rewind(_ handle: Handle) throws(FileError) {
    if lseek(handle.number, 0, SEEK_SET) < 0 { throw FileError("lseek", settle_errno()) }
  }

  package func write(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) throws(FileError) -> Int {
    try systemWrite(handle.number, bytes).get()
  }

  package func clone(_ source: Handle, to target: Handle) -> Bool {
    settle_clone(source.number, target.number) == 0
  }

  package func setMode(_ handle: Handle, _ mode: UInt32) throws(FileError) {
    _ = try uninterrupted("fchmod") { fchmod(handle.number, mode_t(mode)) }.get()
  }

  package func startWriteback(_ handle: Handle) { settle_start_writeback(handle.number) }

  package func sync(_ handle: Handle) throws(FileError) {
    _ = try uninterrupted("fsync") { settle_full_sync(handle.number) }.get()
  }

  package func close(_ handle: Handle) { systemClose(handle.number) }

  package func freeByteCount(_ handle: Handle) throws(FileError) -> Int64 {
    var information = statvfs()
    _ = try uninterrupted("fstatvfs") { fstatvfs(handle.number, &information) }.get()
    let free = UInt64(information.f_bavail).multipliedReportingOverflow(
      by: UInt64(information.f_frsize))
    return free.overflow ? .max : Int64(clamping: free.partialValue)
  }

  package func isNetwork(_ handle: Handle) throws(FileError) -> Bool {
    try uninterrupted("fstatfs") { settle_is_network(handle.number) }.get() == 1
  }

  package func lock(_ handle: Handle) throws(FileError) -> Bool {
    for _ in 0..<Self.lockAttempts {
      if try systemLock(handle.number, LOCK_EX) { return true }
      // Only an exclusive lock refuses a shared one. Who merely asks whether there is one has a
      // shared lock, for a moment.
      guard try systemLock(handle.number, LOCK_SH) else { return false }
      unlock(handle)
      poll(nil, 0, 1)
    }
    return false
  }

  package func unlock(_ handle: Handle) {
    // Cannot fail for an open descriptor; closing comes next in any case.
    _ = try? systemLock(handle.number, LOCK_UN)
  }

  package func isLocked(_ handle: Handle) throws(FileError) -> Bool {
    guard try systemLock(handle.number, LOCK_SH) else { return true }
    unlock(handle)
    return false
  }

  /// How often, a millisecond apart, a lock is tried against those who only ask for it.
  private static let lockAttempts = 100
}
