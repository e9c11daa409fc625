import SettleCore
import SettleFiles
import Synchronization

/// The open folders of one library. Every operation below goes through one of these handles and a
/// single name, so nothing leads out of the library.
final class LibraryFolders: Sendable {
  static let ledgerName = "ledger.sqlite"
  static let lockName = FileName(own: "library.lock")
  static let reserveName = FileName(own: "reserve")
  static let folderNames = ["staging", "documents", "quarantine", "trash"]
  /// Every name that the library's folder may hold, so that a foreign folder is recognised.
  static let ownNames: Set<[UInt8]> = Set(
    (folderNames + [
      ledgerName, ledgerName + "-wal", ledgerName + "-shm", ledgerName + "-journal",
      "library.lock", "reserve", ".DS_Store",
    ]).map { Array($0.utf8) })

  /// What a name of ours has to be; nil for the names of others.
  static func kind(of name: FileName) -> FileKind? {
    guard ownNames.contains(name.bytes), name != FileName(own: ".DS_Store") else { return nil }
    return folderNames.contains { Array($0.utf8) == name.bytes } ? .folder : .regular
  }

  let files: any FileSystem
  let path: BytePath
  let root: Handle
  let staging: Handle
  let documents: Handle
  let quarantine: Handle
  let trash: Handle
  private let shards = Mutex(OpenShards())
  /// Shards whose own name is known to be durable.
  private let durableShards = Mutex<Set<FileName>>([])

  /// Opens the folders, making them first when `makes` is set.
  init(files: any FileSystem, path: BytePath, root: Handle, makes: Bool) throws(SettleError) {
    var opened: [Handle] = []
    do throws(FileError) {
      let device = try files.status(of: root).device
      for name in Self.folderNames {
        if makes { _ = try files.makeFolder(FileName(own: name), in: root) }
        let handle = try files.openFolder(FileName(own: name), in: root)
        opened.append(handle)
        guard try files.status(of: handle).device == device else {
          throw FileError("fstat", FileError.crossDevice)
        }
      }
    } catch {
      for handle in opened { files.close(handle) }
      if error.number == FileError.crossDevice {
        throw SettleError(.notOneFileSystem, subject: path.bytes)
      }
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
    self.files = files
    self.path = path
    self.root = root
    staging = opened[0]
    documents = opened[1]
    quarantine = opened[2]
    trash = opened[3]
  }

  /// Lends the folder that holds a document; made when it is missing and `makes` is set.
  ///
  /// With `makes` its name is durable afterwards, also when it was there: the process that made it
  /// may have ended before its sync, and an earlier sync may have failed.
  func inShard<Value>(
    _ name: FileName, makes: Bool = false, _ body: (Handle) throws(FileError) -> Value
  ) throws(FileError) -> Value {
    if makes, !durableShards.withLock({ $0.contains(name) }) {
      _ = try files.makeFolder(name, in: documents)
      try files.syncFolder(documents)
      _ = durableShards.withLock { $0.insert(name) }
    }
    let handle = try borrow(name)
    defer { giveBack(name, handle) }
    return try body(handle)
  }

  private func borrow(_ name: FileName) throws(FileError) -> Handle {
    if let handle = shards.withLock({ $0.take(name) }) { return handle }
    let handle = try files.openFolder(name, in: documents)
    let kept = shards.withLock { $0.add(name, handle) }
    if kept != handle { files.close(handle) }
    return kept
  }

  private func giveBack(_ name: FileName, _ handle: Handle) {
    let unused = shards.withLock { $0.giveBack(name) }
    for handle in unused { files.close(handle) }
  }

  /// The status of a document's file, nil when it is not there.
  func status(of location: DocumentLocation) throws(FileError) -> FileStatus? {
    let status = try occupant(of: location)
    return status?.kind == .regular ? status : nil
  }

  /// The status of whatever has a document's name, a link or a folder as well; nil for nothing.
  func occupant(of location: DocumentLocation) throws(FileError) -> FileStatus? {
    do throws(FileError) {
      return try inShard(location.shard) { (shard) throws(FileError) in
        try files.status(location.name, in: shard)
      }
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }

  /// What the library's own folders are, so that a search for documents can know them.
  func statuses() throws(SettleError) -> [FileStatus] {
    var own: [FileStatus] = []
    do throws(FileError) {
      for folder in [root, staging, documents, quarantine, trash] {
        own.append(try files.status(of: folder))
      }
    } catch { throw SettleError(error, stage: .access, subject: path.bytes) }
    return own
  }

  /// True when a process holds the library for writing, this one included.
  func isLocked() throws(FileError) -> Bool {
    let lock: Handle
    do throws(FileError) {
      lock = try files.openFile(Self.lockName, in: root)
    } catch {
      if error.isNotFound { return false }
      throw error
    }
    defer { files.close(lock) }
    return try files.isLocked(lock)
  }

  /// Ends every handle. Nothing may use them any more.
  func close() {
    let open = shards.withLock { $0.removeAll() }
    for handle in open + [staging, documents, quarantine, trash, root] { files.close(handle) }
  }
}
