import CSettleSystem
import SettleFiles

extension MemoryFileSystem {
  /// How many changes of names no sync has made durable.
  package var unsyncedNameCount: Int { state.withLock { $0.disk.unsyncedNames.count } }

  /// How many files have content that no sync has made durable.
  package var unsyncedFileCount: Int {
    state.withLock { $0.disk.inodes.values.filter(\.isUnsynced).count }
  }

  /// The disk as a killed process leaves it: what was written is there, handles and locks are not.
  package func afterKill() -> MemoryFileSystem {
    var fresh = State()
    (fresh.disk, fresh.options) = state.withLock { ($0.disk, $0.options) }
    fresh.options.onOperation = nil
    fresh.disk.closeAll()
    return MemoryFileSystem(state: fresh)
  }

  /// The disk as a power loss may leave it; this one stays as it is.
  ///
  /// - Parameters:
  ///   - keepsName: Whether the n-th unsynced change of names survives. Any subset may: file systems
  ///     write them in any order. A rename survives whole or not at all.
  ///   - content: What becomes of the n-th file with unsynced content, in the order of creation.
  package func afterPowerLoss(
    keepsName: (Int) -> Bool, content: (Int) -> ContentFate
  ) -> MemoryFileSystem {
    var (disk, options) = state.withLock { ($0.disk, $0.options) }
    disk.losePower(keepsName: keepsName, content: content)
    options.onOperation = nil
    var fresh = State()
    fresh.options = options
    fresh.disk = disk
    return MemoryFileSystem(state: fresh)
  }
}

extension MemoryFileSystem {
  /// Makes everything so far durable, such as a test's sources.
  package func syncAll() { state.withLock { $0.disk.syncAll() } }

  /// Makes a symbolic link.
  package func makeLink(at path: BytePath, to target: [UInt8]) throws(FileError) {
    try makeNode(.link, at: path, content: target)
  }

  /// Makes a pipe, a socket or a device.
  package func makeSpecial(_ kind: FileKind, at path: BytePath) throws(FileError) {
    try makeNode(kind, at: path, content: [])
  }

  /// Gives a folder a second path, as a mount does; it may lead back into itself.
  package func makeMount(at path: BytePath, of folder: BytePath) throws(FileError) {
    try state.withLock { (state: inout State) throws(FileError) in
      let inode = try state.disk.find(folder, followsLink: true, "makeMount")
      let (parent, name) = try state.disk.findParent(path, "makeMount")
      state.disk.change(add: (parent, name, inode))
    }
  }

  /// Changes the mode of what is at a path.
  package func setMode(at path: BytePath, _ mode: UInt32) throws(FileError) {
    try state.withLock { (state: inout State) throws(FileError) in
      let inode = try state.disk.find(path, followsLink: true, "setMode")
      state.disk.inodes[inode]!.mode = mode
    }
  }

  /// Adds to a file behind everybody's back, as a writer of the source would.
  package func append(_ bytes: [UInt8], at path: BytePath) throws(FileError) {
    try state.withLock { (state: inout State) throws(FileError) in
      let inode = try state.disk.find(path, followsLink: true, "append")
      let now = state.disk.tick()
      state.disk.inodes[inode]!.content += bytes
      state.disk.inodes[inode]!.modified = now
      state.disk.usedByteCount += Int64(bytes.count)
    }
  }

  private func makeNode(
    _ kind: FileKind, at path: BytePath, content: [UInt8]
  ) throws(FileError) {
    try state.withLock { (state: inout State) throws(FileError) in
      let (parent, name) = try state.disk.findParent(path, "makeNode")
      guard state.disk.inodes[parent]!.names[name] == nil else {
        throw FileError("makeNode", EEXIST)
      }
      let made = state.disk.makeInode(kind, mode: 0o600)
      state.disk.inodes[made]!.content = content
      state.disk.change(add: (parent, name, made))
    }
  }
}
