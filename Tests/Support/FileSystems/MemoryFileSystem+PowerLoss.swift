import CSettleSystem
import SettleFiles

/// What becomes of content that was written and not synced.
package enum ContentFate: Sendable, Hashable, CaseIterable {
  /// All of it reached the disk.
  case kept
  /// Nothing of it did: what was synced before is left.
  case dropped
  /// Half of it did.
  case truncated
  /// The size did, the bytes are others.
  case garbled
}

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
    for (index, change) in disk.unsyncedNames.enumerated() where keepsName(index) {
      disk.makeDurable(change)
    }
    let unsynced = disk.inodes.filter(\.value.isUnsynced).keys.sorted()
    for (index, inode) in unsynced.enumerated() {
      disk.inodes[inode]!.durableContent = Self.survivor(disk.inodes[inode]!, content(index))
    }
    options.onOperation = nil
    var fresh = State()
    fresh.options = options
    fresh.disk = disk
    fresh.disk.restart()
    return MemoryFileSystem(state: fresh)
  }

  private static func survivor(_ node: MemoryDisk.Inode, _ fate: ContentFate) -> [UInt8] {
    switch fate {
    case .kept: node.content
    case .dropped: node.durableContent
    case .truncated: Array(node.content.prefix(node.content.count / 2))
    case .garbled: node.content.map { ~$0 }
    }
  }
}

extension MemoryDisk {
  /// What is durable becomes what programs see; nothing is open, nothing is locked.
  mutating func restart() {
    handles = [:]
    locks = [:]
    unsyncedNames = []
    for inode in inodes.keys {
      inodes[inode]!.nameCount = 0
      inodes[inode]!.handleCount = 0
      inodes[inode]!.isUnsynced = false
      if inodes[inode]!.kind == .regular {
        inodes[inode]!.content = inodes[inode]!.durableContent
      }
      inodes[inode]!.names = inodes[inode]!.durableNames
    }
    var reached: Set<Int> = []
    var waiting = [Self.root]
    while let inode = waiting.popLast() {
      inodes[inode]!.nameCount += 1
      if reached.insert(inode).inserted { waiting += inodes[inode]!.names.values }
    }
    inodes = inodes.filter { reached.contains($0.key) }
    usedByteCount = inodes.values.reduce(0) {
      $0 + ($1.kind == .regular ? Int64($1.content.count) : 0)
    }
  }

  /// Everything so far is durable.
  mutating func syncAll() {
    for change in unsyncedNames { makeDurable(change) }
    unsyncedNames = []
    for inode in inodes.keys {
      inodes[inode]!.durableContent = inodes[inode]!.content
      inodes[inode]!.isUnsynced = false
    }
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
