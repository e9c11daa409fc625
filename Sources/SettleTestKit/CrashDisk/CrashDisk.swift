import CSettleSystem
import SettleCore
import SettleFiles

/// A disk that remembers every state it had, and shows what a crash may leave of each.
///
/// ```swift
/// let disk = CrashDisk()
/// try disk.create("/new")
/// try disk.write(bytes, to: "/new")
/// try disk.sync("/new")
/// try disk.rename("/new", to: "/settings")
/// try disk.syncFolder("/")
/// let report = await disk.reopen { image in
///   guard image.contents(of: "/settings") == bytes || … else { throw Torn() }
/// }
/// print(report)
/// try report.requirePassed()
/// ```
///
/// What it models: content is durable when its file was synced, a name when its folder was. What
/// was not synced may be there, be missing, be there by half, be there in another order, or have
/// its size and other bytes; names survive in any combination, a rename whole or not at all. Rights
/// and times are not modelled. Code that uses the real disk is recorded by `SettleInterpose`.
public final class CrashDisk: Sendable {
  /// The disk for code that uses the file system seam.
  package let files: MemoryFileSystem

  /// An empty disk.
  public init() {
    var state = MemoryFileSystem.State()
    state.history = []
    files = MemoryFileSystem(state: state)
  }

  /// The operations so far that changed the disk, in prose.
  public var operations: [String] {
    files.state.withLock { $0.history?.map(\.prose) ?? [] }
  }

  /// Makes everything so far durable and forgets how it came about: the state before the work.
  public func begin() {
    files.state.withLock { state in
      state.disk.syncAll()
      state.history = []
    }
  }

  /// Does something to the disk and remembers it as one operation.
  package func record<Value: Sendable>(
    _ prose: String, _ change: (inout MemoryDisk) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    try files.state.withLock { (state: inout MemoryFileSystem.State) throws(FileError) -> Value in
      let value = try change(&state.disk)
      state.history?.append(CrashStep(prose, state.disk))
      return value
    }
  }

  /// The states that the disk had.
  var history: [CrashStep] { files.state.withLock { $0.history ?? [] } }
}

// MARK: Operations by path

extension CrashDisk {
  /// Makes a folder; the one above it must be there.
  public func makeFolder(_ path: BytePath) throws {
    try change("make folder \(quoted(path.bytes))", path) { (disk) throws(FileError) in
      let (parent, name) = try disk.findParent(path, "mkdir")
      try disk.requireFree(parent, name, "mkdir")
      let made = disk.makeInode(.folder, mode: 0o700)
      disk.change(add: (parent, name, made))
    }
  }

  /// Makes an empty file under a free name.
  public func create(_ path: BytePath) throws {
    try change("create \(quoted(path.bytes))", path) { (disk) throws(FileError) in
      let (parent, name) = try disk.findParent(path, "open")
      try disk.requireFree(parent, name, "open")
      let made = disk.makeInode(.regular, mode: 0o600)
      disk.change(add: (parent, name, made))
    }
  }

  /// Writes at a place in a file, or at its end.
  public func write(_ bytes: [UInt8], to path: BytePath, at offset: Int? = nil) throws {
    let prose = "write \(bytes.count) bytes to \(quoted(path.bytes))"
    try change(prose, path) { (disk) throws(FileError) in
      let file = try disk.findFile(path, "write")
      let place = offset ?? disk.inodes[file]!.content.count
      disk.change(.write(offset: place, bytes: bytes), of: file)
    }
  }

  /// Makes a file shorter or longer.
  public func resize(_ path: BytePath, to byteCount: Int) throws {
    try change("resize \(quoted(path.bytes)) to \(byteCount)", path) { (disk) throws(FileError) in
      disk.change(.resize(byteCount: byteCount), of: try disk.findFile(path, "ftruncate"))
    }
  }

  /// Makes a file's content durable.
  public func sync(_ path: BytePath) throws {
    try change("sync \(quoted(path.bytes))", path) { (disk) throws(FileError) in
      disk.syncContent(of: try disk.findFile(path, "fsync"))
    }
  }

  /// Makes the names in a folder durable.
  public func syncFolder(_ path: BytePath) throws {
    try change("sync folder \(quoted(path.bytes))", path) { (disk) throws(FileError) in
      disk.syncNames(of: try disk.find(path, followsLink: true, "fsync"))
    }
  }

  /// Gives a file or folder another name; a file that has it already is replaced.
  public func rename(_ path: BytePath, to target: BytePath) throws {
    let prose = "rename \(quoted(path.bytes)) to \(quoted(target.bytes))"
    try change(prose, path) { (disk) throws(FileError) in
      let inode = try disk.find(path, followsLink: false, "rename")
      let from = try disk.findParent(path, "rename")
      let to = try disk.findParent(target, "rename")
      disk.change(add: (to.0, to.1, inode), remove: from)
    }
  }

  /// Gives a file a second name.
  public func link(_ path: BytePath, to target: BytePath) throws {
    let prose = "link \(quoted(path.bytes)) to \(quoted(target.bytes))"
    try change(prose, path) { (disk) throws(FileError) in
      let inode = try disk.findFile(path, "link")
      let to = try disk.findParent(target, "link")
      try disk.requireFree(to.0, to.1, "link")
      disk.change(add: (to.0, to.1, inode))
    }
  }

  /// Removes a file's name, or an empty folder.
  public func remove(_ path: BytePath) throws {
    try change("remove \(quoted(path.bytes))", path) { (disk) throws(FileError) in
      let inode = try disk.find(path, followsLink: false, "unlink")
      guard disk.inodes[inode]!.names.isEmpty else { throw FileError("unlink", ENOTEMPTY) }
      disk.change(remove: try disk.findParent(path, "unlink"))
    }
  }

  private func change(
    _ prose: String, _ path: BytePath, _ body: (inout MemoryDisk) throws(FileError) -> Void
  ) throws {
    do throws(FileError) {
      try record(prose, body)
    } catch {
      throw SettleError(error, stage: .access, subject: path.bytes)
    }
  }
}

extension MemoryDisk {
  /// The regular file at a path.
  func findFile(_ path: BytePath, _ call: String) throws(FileError) -> Int {
    let inode = try find(path, followsLink: true, call)
    guard inodes[inode]?.kind == .regular else { throw FileError(call, EISDIR) }
    return inode
  }

  /// Throws when a folder has a name already.
  func requireFree(_ folder: Int, _ name: [UInt8], _ call: String) throws(FileError) {
    if inodes[folder]!.names[name] != nil { throw FileError(call, EEXIST) }
  }
}
