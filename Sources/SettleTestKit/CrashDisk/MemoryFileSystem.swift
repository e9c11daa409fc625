import CSettleSystem
import SettleCore
import SettleFiles
import Synchronization

/// A disk in memory that can be made to fail, to fill up, to crash and to lose its power.
///
/// It keeps apart what programs see and what is durable: `sync` makes a file's content durable,
/// `syncFolder` the names in a folder. It passes the same conformance suite as the real disk.
package final class MemoryFileSystem: FileSystem {
  struct State: Sendable {
    var disk = MemoryDisk()
    var log: [MemoryOperation] = []
    /// The disk after each change; nil when no history is kept.
    var history: [CrashStep]?
    var options = Options()
  }

  /// How the disk behaves.
  package struct Options: Sendable {
    /// Bytes that fit, or nil for no limit.
    package var capacityByteCount: Int64?
    /// What ``FileSystem/isNetwork(_:)`` answers.
    package var isNetwork = false
    /// True when files can share blocks.
    package var canClone = false
    /// The most that one write takes, or nil for no limit.
    package var largestWriteByteCount: Int?
    /// Called before each operation, without a lock, with its call and name.
    package var onOperation: (@Sendable (MemoryOperation) -> Void)?

    /// A local disk without limits.
    package init() {}
  }

  let state: Mutex<State>
  /// Which operations fail.
  package let plan = FaultPlan()

  /// An empty disk.
  package convenience init(_ options: Options = Options()) {
    var state = State()
    state.options = options
    self.init(state: state)
  }

  init(state: sending State) { self.state = Mutex(state) }

  /// Changes how the disk behaves from now on.
  package func configure(_ change: (inout Options) -> Void) {
    state.withLock { change(&$0.options) }
  }

  /// Every operation so far, in order; closing is none.
  package var log: [MemoryOperation] { state.withLock { $0.log } }

  /// Open files and folders.
  package var openHandleCount: Int { state.withLock { $0.disk.handles.count } }

  /// What an operation is about.
  private struct Subject {
    var name: [UInt8] = []
    var handle: Handle?
    var byteCount: Int?
    var needsSpace = false
  }

  /// Lets a fault happen in an operation's place, or logs it and does it.
  private func perform<Result: Sendable>(
    _ call: String, _ subject: Subject = Subject(),
    _ body: (inout State, _ limit: Int) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let operation = MemoryOperation(call: call, subject: subject.name)
    if let hook = state.withLock({ $0.options.onOperation }) { hook(operation) }
    let limit = try plan.askForCall(
      FaultPoint(
        call, subject: subject.name, byteCount: subject.byteCount,
        needsSpace: subject.needsSpace))
    return try state.withLock { (state: inout State) throws(FileError) -> Result in
      state.log.append(operation)
      let result = try body(&state, limit ?? subject.byteCount ?? 0)
      if state.history != nil, CrashStep.changingCalls.contains(call) {
        state.history!.append(
          CrashStep(call, about: subject.name, below: subject.handle, on: state.disk))
      }
      return result
    }
  }
}

// MARK: Folders

extension MemoryFileSystem {
  package func openFolder(at path: BytePath) throws(FileError) -> Handle {
    try perform("openFolder", Subject(name: path.bytes)) { (state, _) throws(FileError) in
      let found = try state.disk.find(path, followsLink: true, "openFolder")
      return try Self.openFolder(found, &state.disk)
    }
  }

  package func openFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try perform("openFolder", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      let found = try Self.find(name, folder, state.disk, "openFolder")
      return try Self.openFolder(found, &state.disk)
    }
  }

  private static func openFolder(
    _ inode: Int, _ disk: inout MemoryDisk
  ) throws(FileError) -> Handle {
    let node = disk.inodes[inode]!
    guard node.kind == .folder else { throw FileError("openFolder", ENOTDIR) }
    guard node.mode & 0o400 != 0 else { throw FileError("openFolder", EACCES) }
    return disk.open(inode)
  }

  package func makeFolder(at path: BytePath) throws(FileError) -> Bool {
    try perform("makeFolder", Subject(name: path.bytes, needsSpace: true)) {
      (state, _) throws(FileError) in
      guard path.isUsable else { throw FileError("makeFolder", ENOENT) }
      if path.bytes.allSatisfy({ $0 == UInt8(ascii: "/") }) { return false }
      let (parent, name) = try state.disk.findParent(path, "makeFolder")
      return Self.makeFolder(name, in: parent, &state.disk)
    }
  }

  package func makeFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Bool {
    try perform("makeFolder", Subject(name: name.bytes, handle: folder, needsSpace: true)) {
      (state, _) throws(FileError) in
      let parent = try state.disk.folder(folder, "makeFolder")
      return Self.makeFolder(name.bytes, in: parent, &state.disk)
    }
  }

  private static func makeFolder(
    _ name: [UInt8], in parent: Int, _ disk: inout MemoryDisk
  ) -> Bool {
    if disk.inodes[parent]!.names[name] != nil { return false }
    let made = disk.makeInode(.folder, mode: 0o700)
    disk.change(add: (parent, name, made))
    return true
  }

  package func list(
    _ folder: Handle, _ body: (FileName, FileKind) -> Bool
  ) throws(FileError) {
    let entries = try perform("list", Subject(handle: folder)) { (state, _) throws(FileError) in
      let number = try state.disk.folder(folder, "list")
      return state.disk.inodes[number]!.names.map { ($0.key, state.disk.inodes[$0.value]!.kind) }
    }
    for (bytes, kind) in entries {
      guard let name = FileName(bytes) else { throw FileError("list", EIO) }
      if !body(name, kind) { return }
    }
  }

  package func syncFolder(_ folder: Handle) throws(FileError) {
    try perform("syncFolder", Subject(handle: folder)) { (state, _) throws(FileError) in
      state.disk.syncNames(of: try state.disk.folder(folder, "syncFolder"))
    }
  }

  package func removeFolder(_ name: FileName, in folder: Handle) throws(FileError) {
    try perform("removeFolder", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      let parent = try state.disk.folder(folder, "removeFolder")
      let node = state.disk.inodes[try Self.find(name, folder, state.disk, "removeFolder")]!
      guard node.kind == .folder else { throw FileError("removeFolder", ENOTDIR) }
      guard node.names.isEmpty else { throw FileError("removeFolder", ENOTEMPTY) }
      state.disk.change(remove: (parent, name.bytes))
    }
  }

  fileprivate static func find(
    _ name: FileName, _ folder: Handle, _ disk: MemoryDisk, _ call: String
  ) throws(FileError) -> Int {
    let parent = try disk.folder(folder, call)
    guard name.bytes.count <= 255 else { throw FileError(call, ENAMETOOLONG) }
    guard let found = disk.inodes[parent]!.names[name.bytes] else {
      throw FileError(call, ENOENT)
    }
    return found
  }
}

// MARK: Files

extension MemoryFileSystem {
  package func openSource(_ path: BytePath, followsLink: Bool) throws(FileError) -> Handle {
    try perform("openSource", Subject(name: path.bytes)) { (state, _) throws(FileError) in
      let found = try state.disk.find(path, followsLink: followsLink, "openSource")
      return try Self.openForReading(found, "openSource", &state.disk)
    }
  }

  package func openFile(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try perform("openFile", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      let found = try Self.find(name, folder, state.disk, "openFile")
      return try Self.openForReading(found, "openFile", &state.disk)
    }
  }

  private static func openForReading(
    _ inode: Int, _ call: String, _ disk: inout MemoryDisk
  ) throws(FileError) -> Handle {
    let node = disk.inodes[inode]!
    if node.kind == .link { throw FileError(call, ELOOP) }
    if node.kind == .socket { throw FileError(call, ENXIO) }
    guard node.mode & 0o400 != 0 else { throw FileError(call, EACCES) }
    return disk.open(inode)
  }

  package func status(at path: BytePath, followsLink: Bool) throws(FileError) -> FileStatus {
    try perform("status", Subject(name: path.bytes)) { (state, _) throws(FileError) in
      let found = try state.disk.find(path, followsLink: followsLink, "status")
      return state.disk.status(of: found)
    }
  }

  package func status(of handle: Handle) throws(FileError) -> FileStatus {
    try perform("status", Subject(handle: handle)) { (state, _) throws(FileError) in
      state.disk.status(of: try state.disk.opened(handle, "status").inode)
    }
  }

  package func status(_ name: FileName, in folder: Handle) throws(FileError) -> FileStatus {
    try perform("status", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      state.disk.status(of: try Self.find(name, folder, state.disk, "status"))
    }
  }

  package func createFile(
    _ name: FileName, in folder: Handle, mode: UInt32
  ) throws(FileError) -> Handle {
    try perform("createFile", Subject(name: name.bytes, handle: folder, needsSpace: true)) {
      (state, _) throws(FileError) in
      let parent = try state.disk.folder(folder, "createFile")
      guard name.bytes.count <= 255 else { throw FileError("createFile", ENAMETOOLONG) }
      guard state.disk.inodes[parent]!.names[name.bytes] == nil else {
        throw FileError("createFile", EEXIST)
      }
      let made = state.disk.makeInode(.regular, mode: mode)
      state.disk.change(add: (parent, name.bytes, made))
      return state.disk.open(made, isWritable: true)
    }
  }

  package func read(
    _ handle: Handle, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    try perform("read", Subject(handle: handle, byteCount: buffer.count)) {
      (state, limit) throws(FileError) in
      let opened = try state.disk.opened(handle, "read")
      let node = state.disk.inodes[opened.inode]!
      if node.kind == .folder { throw FileError("read", EISDIR) }
      let bytes = node.content.dropFirst(opened.position).prefix(limit)
      buffer.copyBytes(from: bytes)
      state.disk.handles[handle.number]!.position += bytes.count
      return bytes.count
    }
  }

  package func rewind(_ handle: Handle) throws(FileError) {
    try perform("rewind", Subject(handle: handle)) { (state, _) throws(FileError) in
      _ = try state.disk.opened(handle, "rewind")
      state.disk.handles[handle.number]!.position = 0
    }
  }

  package func write(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) throws(FileError) -> Int {
    try perform("write", Subject(handle: handle, byteCount: bytes.count, needsSpace: true)) {
      (state, limit) throws(FileError) in
      let opened = try state.disk.opened(handle, "write")
      guard opened.isWritable else { throw FileError("write", EBADF) }
      var count = min(limit, state.options.largestWriteByteCount ?? limit)
      if let capacity = state.options.capacityByteCount {
        count = min(count, Int(clamping: capacity - state.disk.usedByteCount))
        if count <= 0, !bytes.isEmpty { throw FileError("write", ENOSPC) }
      }
      state.disk.change(
        .write(offset: opened.position, bytes: Array(bytes.prefix(count))), of: opened.inode)
      state.disk.handles[handle.number]!.position += count
      return count
    }
  }

  package func clone(_ source: Handle, to target: Handle) -> Bool {
    do throws(FileError) {
      return try perform("clone", Subject(handle: target, needsSpace: true)) {
        (state, _) throws(FileError) in
        guard state.options.canClone else { return false }
        let from = try state.disk.opened(source, "clone")
        let to = try state.disk.opened(target, "clone")
        let content = state.disk.inodes[from.inode]!.content
        state.disk.change(.write(offset: 0, bytes: content), of: to.inode)
        return true
      }
    } catch {
      return false
    }
  }

  package func setMode(_ handle: Handle, _ mode: UInt32) throws(FileError) {
    try perform("setMode", Subject(handle: handle)) { (state, _) throws(FileError) in
      let inode = try state.disk.opened(handle, "setMode").inode
      state.disk.inodes[inode]!.mode = mode
    }
  }

  package func startWriteback(_ handle: Handle) {}

  package func sync(_ handle: Handle) throws(FileError) {
    try perform("sync", Subject(handle: handle)) { (state, _) throws(FileError) in
      state.disk.syncContent(of: try state.disk.opened(handle, "sync").inode)
    }
  }

  package func close(_ handle: Handle) { state.withLock { $0.disk.close(handle) } }

  package func publish(
    _ name: FileName, in folder: Handle, as target: FileName, in targetFolder: Handle
  ) throws(FileError) {
    try perform("publish", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      let inode = try Self.find(name, folder, state.disk, "publish")
      let from = try state.disk.folder(folder, "publish")
      let to = try state.disk.folder(targetFolder, "publish")
      guard state.disk.inodes[to]!.names[target.bytes] == nil else {
        throw FileError("publish", EEXIST)
      }
      state.disk.change(add: (to, target.bytes, inode), remove: (from, name.bytes))
    }
  }

  package func remove(_ name: FileName, in folder: Handle) throws(FileError) {
    try perform("remove", Subject(name: name.bytes, handle: folder)) {
      (state, _) throws(FileError) in
      let inode = try Self.find(name, folder, state.disk, "remove")
      guard state.disk.inodes[inode]!.kind != .folder else { throw FileError("remove", EISDIR) }
      let parent = try state.disk.folder(folder, "remove")
      state.disk.change(remove: (parent, name.bytes))
    }
  }
}

// MARK: The volume

extension MemoryFileSystem {
  package func freeByteCount(_ handle: Handle) throws(FileError) -> Int64 {
    try perform("freeByteCount", Subject(handle: handle)) { (state, _) throws(FileError) in
      _ = try state.disk.opened(handle, "freeByteCount")
      guard let capacity = state.options.capacityByteCount else { return .max }
      return max(0, capacity - state.disk.usedByteCount)
    }
  }

  package func isNetwork(_ handle: Handle) throws(FileError) -> Bool {
    try perform("isNetwork", Subject(handle: handle)) { (state, _) throws(FileError) in
      _ = try state.disk.opened(handle, "isNetwork")
      return state.options.isNetwork
    }
  }

  package func lock(_ handle: Handle) throws(FileError) -> Bool {
    try perform("lock", Subject(handle: handle)) { (state, _) throws(FileError) in
      let inode = try state.disk.opened(handle, "lock").inode
      if let holder = state.disk.locks[inode] { return holder == handle.number }
      state.disk.locks[inode] = handle.number
      return true
    }
  }

  package func unlock(_ handle: Handle) {
    state.withLock { state in
      guard let inode = state.disk.handles[handle.number]?.inode,
        state.disk.locks[inode] == handle.number
      else { return }
      state.disk.locks[inode] = nil
    }
  }

  package func isLocked(_ handle: Handle) throws(FileError) -> Bool {
    try perform("isLocked", Subject(handle: handle)) { (state, _) throws(FileError) in
      let inode = try state.disk.opened(handle, "isLocked").inode
      return state.disk.locks[inode] != nil
    }
  }
}
