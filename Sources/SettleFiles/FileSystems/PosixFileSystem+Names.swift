import CSettleSystem

// Folders and names: making, listing, publishing and removing.
extension PosixFileSystem {
  package func openFolder(at path: BytePath) throws(FileError) -> Handle {
    try open(at: path, flags: O_RDONLY | O_DIRECTORY)
  }

  package func openFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try open(name, in: folder, flags: O_RDONLY | O_DIRECTORY)
  }

  package func makeFolder(at path: BytePath) throws(FileError) -> Bool {
    guard path.isUsable else { throw FileError("mkdirat", ENOENT) }
    return try path.withCString { makeFolder($0, in: AT_FDCWD) }.get()
  }

  package func makeFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Bool {
    try name.withCString { makeFolder($0, in: folder.number) }.get()
  }

  private func makeFolder(
    _ pointer: UnsafePointer<CChar>, in folder: Int32
  ) -> Result<Bool, FileError> {
    switch uninterrupted("mkdirat", { mkdirat(folder, pointer, 0o700) }) {
    case .success:
      // The umask may have taken rights from the owner, too.
      uninterrupted("fchmodat") { fchmodat(folder, pointer, 0o700, 0) }.map { _ in true }
    case .failure(let error) where error.number == EEXIST: .success(false)
    case .failure(let error): .failure(error)
    }
  }

  package func list(
    _ folder: Handle, _ body: (FileName, FileKind) -> Bool
  ) throws(FileError) {
    // A descriptor of its own: the position of a duplicated one would be shared, so that a second
    // listing would find nothing.
    let descriptor = try uninterrupted("openat") {
      settle_openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }.get()
    guard let stream = fdopendir(descriptor) else {
      let number = settle_errno()
      systemClose(descriptor)
      throw FileError("fdopendir", number)
    }
    defer { closedir(stream) }
    while true {
      // readdir tells its end from a failure only by the error number.
      settle_set_errno(0)
      guard let entry = readdir(stream) else {
        let number = settle_errno()
        if number == 0 { return }
        throw FileError("readdir", number)
      }
      // "." and ".." are no file names.
      guard let name = FileName(Self.bytes(ofNameIn: entry)) else { continue }
      guard let kind = try kind(of: name, entry.pointee.d_type, in: folder) else { continue }
      if !body(name, kind) { return }
    }
  }

  /// What a listed name is; nil when it has gone since.
  private func kind(
    of name: FileName, _ directoryType: UInt8, in folder: Handle
  ) throws(FileError) -> FileKind? {
    if let known = FileKind(directoryType: directoryType) { return known }
    do throws(FileError) {
      return try status(name, in: folder).kind
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  /// The name's bytes, read in place: the entry may be shorter than the type says.
  private static func bytes(ofNameIn entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
      preconditionFailure("a directory entry has no name")
    }
    let start = UnsafeRawPointer(entry) + offset
    let count = strlen(start.assumingMemoryBound(to: CChar.self))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  package func syncFolder(_ folder: Handle) throws(FileError) { try sync(folder) }

  package func removeFolder(_ name: FileName, in folder: Handle) throws(FileError) {
    try unlink(name, in: folder, flags: AT_REMOVEDIR)
  }

  package func remove(_ name: FileName, in folder: Handle) throws(FileError) {
    try unlink(name, in: folder, flags: 0)
  }

  private func unlink(_ name: FileName, in folder: Handle, flags: Int32) throws(FileError) {
    _ = try name.withCString { pointer in
      uninterrupted("unlinkat") { unlinkat(folder.number, pointer, flags) }
    }.get()
  }

  package func publish(
    _ name: FileName, in folder: Handle, as target: FileName, in targetFolder: Handle
  ) throws(FileError) {
    let renamed = name.withCString { old in
      target.withCString { new in
        uninterrupted("renameat2") {
          settle_rename_exclusive(folder.number, old, targetFolder.number, new)
        }
      }
    }
    switch renamed {
    case .success: return
    case .failure(let error) where Self.meansNotSupported(error.number):
      try publishByLink(name, in: folder, as: target, in: targetFolder)
    case .failure(let error): throw error
    }
  }

  /// True when the file system cannot rename exclusively, whatever the names.
  static func meansNotSupported(_ number: Int32) -> Bool {
    number == EINVAL || number == ENOSYS || number == ENOTSUP || number == EOPNOTSUPP
  }

  /// Publishes where an exclusive rename is not supported: a second name, then the first goes.
  ///
  /// A crash between the two leaves both names of one file, which recovery completes.
  func publishByLink(
    _ name: FileName, in folder: Handle, as target: FileName, in targetFolder: Handle
  ) throws(FileError) {
    _ = try name.withCString { old in
      target.withCString { new in
        uninterrupted("linkat") { linkat(folder.number, old, targetFolder.number, new, 0) }
      }
    }.get()
    do throws(FileError) {
      try remove(name, in: folder)
    } catch {
      // Nothing is published: the new name is ours and goes again. Should this fail too, recovery
      // finds both names of a pending entry; the first error is the one that tells why.
      _ = target.withCString { unlinkat(targetFolder.number, $0, 0) }
      throw error
    }
  }
}
