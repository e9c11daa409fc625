import CSettleSystem
import SettleCore
import SettleFiles

/// A disk as a value: inodes, names, open files, and what of it all is not yet durable.
///
/// What programs see and what a power loss leaves for sure are kept apart, per inode for content
/// and per name for folders. Copying it is cheap, so a whole history of disks can be kept.
package struct MemoryDisk: Sendable {
  /// A file, folder, link or special file.
  struct Inode: Sendable {
    var kind: FileKind
    var mode: UInt32
    /// The bytes of a file as programs see them, or the target of a link.
    var content: [UInt8] = []
    /// The bytes that a power loss leaves for sure.
    var durableContent: [UInt8] = []
    /// Changes of the content since the last sync, in order.
    var unsynced: [ContentChange] = []
    var isUnsynced: Bool { !unsynced.isEmpty }
    /// A folder's names as programs see them.
    var names: [[UInt8]: Int] = [:]
    /// A folder's names that a power loss leaves for sure.
    var durableNames: [[UInt8]: Int] = [:]
    var nameCount = 0
    var handleCount = 0
    var modified: Int64
  }

  /// An open file or folder.
  struct Opened: Sendable {
    var inode: Int
    var position = 0
    var isWritable = false
  }

  /// A change of names that no sync of a folder has made durable; a rename is one change.
  struct NameChange: Sendable {
    var added: (folder: Int, name: [UInt8], inode: Int)?
    var removed: (folder: Int, name: [UInt8])?

    func touches(_ folder: Int) -> Bool {
      added?.folder == folder || removed?.folder == folder
    }

    func touches(_ folder: Int, _ name: [UInt8]) -> Bool {
      (added.map { $0.folder == folder && $0.name == name } ?? false)
        || (removed.map { $0.folder == folder && $0.name == name } ?? false)
    }

    /// What is left of this change once a later one of the same names is durable.
    func superseded(by later: NameChange) -> NameChange? {
      var rest = self
      if let added, later.touches(added.folder, added.name) { rest.added = nil }
      if let removed, later.touches(removed.folder, removed.name) { rest.removed = nil }
      return rest.added == nil && rest.removed == nil ? nil : rest
    }
  }

  /// The folder at the top.
  package static let root = 1

  var inodes: [Int: Inode] = [root: Inode(kind: .folder, mode: 0o700, modified: 0)]
  var handles: [Int32: Opened] = [:]
  var locks: [Int: Int32] = [:]
  var unsyncedNames: [NameChange] = []
  var usedByteCount: Int64 = 0
  private var nextInode = root + 1
  private var nextHandle: Int32 = 1000
  private var ticks: Int64 = 0

  // MARK: Inodes and handles

  /// The inode of an open handle.
  func opened(_ handle: Handle, _ call: String) throws(FileError) -> Opened {
    guard let opened = handles[handle.number] else { throw FileError(call, EBADF) }
    return opened
  }

  /// The open folder's inode number.
  func folder(_ handle: Handle, _ call: String) throws(FileError) -> Int {
    let number = try opened(handle, call).inode
    guard inodes[number]?.kind == .folder else { throw FileError(call, ENOTDIR) }
    return number
  }

  mutating func open(_ inode: Int, isWritable: Bool = false) -> Handle {
    nextHandle += 1
    handles[nextHandle] = Opened(inode: inode, isWritable: isWritable)
    inodes[inode]!.handleCount += 1
    return Handle(nextHandle)
  }

  mutating func close(_ handle: Handle) {
    guard let opened = handles.removeValue(forKey: handle.number) else { return }
    if locks[opened.inode] == handle.number { locks[opened.inode] = nil }
    inodes[opened.inode]!.handleCount -= 1
    releaseSpace(of: opened.inode)
  }

  /// Closes everything, as the end of a process does.
  mutating func closeAll() {
    for number in handles.keys { close(Handle(number)) }
  }

  mutating func makeInode(_ kind: FileKind, mode: UInt32) -> Int {
    defer { nextInode += 1 }
    inodes[nextInode] = Inode(kind: kind, mode: mode, modified: tick())
    return nextInode
  }

  /// Time moves by one with every change.
  mutating func tick() -> Int64 {
    ticks += 1
    return 1_700_000_000 + ticks
  }

  /// A file without names and handles takes no space; its bytes stay, since a power loss may bring
  /// its name back.
  mutating func releaseSpace(of inode: Int) {
    guard let node = inodes[inode], node.nameCount == 0, node.handleCount == 0,
      node.kind == .regular
    else { return }
    usedByteCount -= Int64(node.content.count)
  }

  // MARK: Names

  /// Adds a name, removes one, or does both at once as a rename does.
  mutating func change(
    add: (folder: Int, name: [UInt8], inode: Int)? = nil,
    remove: (folder: Int, name: [UInt8])? = nil
  ) {
    if let add {
      let replaced = inodes[add.folder]!.names.updateValue(add.inode, forKey: add.name)
      inodes[add.inode]!.nameCount += 1
      if let replaced {
        inodes[replaced]!.nameCount -= 1
        releaseSpace(of: replaced)
      }
    }
    if let remove, let inode = inodes[remove.folder]!.names.removeValue(forKey: remove.name) {
      inodes[inode]!.nameCount -= 1
      releaseSpace(of: inode)
    }
    unsyncedNames.append(NameChange(added: add, removed: remove))
  }

  /// Makes every change durable that touches a folder. An older change of the same name elsewhere,
  /// such as the creation of what was renamed, cannot come back after it.
  mutating func syncNames(of folder: Int) {
    var left: [NameChange] = []
    for change in unsyncedNames {
      guard change.touches(folder) else {
        left.append(change)
        continue
      }
      makeDurable(change)
      left = left.compactMap { $0.superseded(by: change) }
    }
    unsyncedNames = left
  }

  mutating func makeDurable(_ change: NameChange) {
    if let removed = change.removed {
      inodes[removed.folder]!.durableNames[removed.name] = nil
    }
    if let added = change.added {
      inodes[added.folder]!.durableNames[added.name] = added.inode
    }
  }

  // MARK: Paths

  /// The inode at a user's path, with links in the way followed and the last one if asked.
  func find(_ path: BytePath, followsLink: Bool, _ call: String) throws(FileError) -> Int {
    guard path.isUsable else { throw FileError(call, ENOENT) }
    guard path.bytes.count < Int(PATH_MAX) else { throw FileError(call, ENAMETOOLONG) }
    var rest = Array(Self.names(path.bytes).reversed())
    var trail = [Self.root]
    var linkCount = 0
    while let name = rest.popLast() {
      let folder = trail.last!
      guard inodes[folder]!.kind == .folder else { throw FileError(call, ENOTDIR) }
      if name == Array(".".utf8) { continue }
      if name == Array("..".utf8) {
        if trail.count > 1 { trail.removeLast() }
        continue
      }
      guard let next = inodes[folder]!.names[name] else { throw FileError(call, ENOENT) }
      let node = inodes[next]!
      guard node.kind == .link, followsLink || !rest.isEmpty else {
        trail.append(next)
        continue
      }
      linkCount += 1
      guard linkCount <= 40 else { throw FileError(call, ELOOP) }
      if node.content.first == UInt8(ascii: "/") { trail = [Self.root] }
      rest += Self.names(node.content).reversed()
    }
    return trail.last!
  }

  /// The folder in which a path's last name is, and that name.
  func findParent(_ path: BytePath, _ call: String) throws(FileError) -> (Int, [UInt8]) {
    let names = Self.names(path.bytes)
    guard let last = names.last else { throw FileError(call, EEXIST) }
    let parentPath = BytePath(Array("/".utf8) + Array(names.dropLast().joined(separator: [0x2F])))
    let parent = try find(parentPath, followsLink: true, call)
    guard inodes[parent]!.kind == .folder else { throw FileError(call, ENOTDIR) }
    return (parent, last)
  }

  private static func names(_ path: [UInt8]) -> [[UInt8]] {
    path.split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  func status(of inode: Int) -> FileStatus {
    let node = inodes[inode]!
    var status = FileStatus(kind: node.kind, device: 1, inode: UInt64(inode))
    status.byteCount = Int64(node.content.count)
    status.modifiedSeconds = node.modified
    status.mode = node.mode
    return status
  }
}
