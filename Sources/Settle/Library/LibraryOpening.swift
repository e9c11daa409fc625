import SettleCore
import SettleFiles
import SettleLedger
import SettleVerify

/// What opening a library yields.
struct OpenedLibrary {
  var folders: LibraryFolders
  var ledger: Ledger
  var lock: Handle?
  var verifier: any DocumentVerifier
  var recovery: RecoveryReport
}

/// Opens, makes and locks a library's folder.
///
/// Order: folder, lock, sub-folders, reserve, ledger, sync of the folder, recovery. A crash at any
/// point leaves a folder that holds only names of ours, which the next open completes.
enum LibraryOpening {
  static let holderFact = "holder"

  static func run(
    _ path: BytePath, _ options: Library.Options
  ) throws(SettleError) -> OpenedLibrary {
    let files = options.files
    let isWriter = options.access == .readWrite
    let root = try openRoot(path, options)
    var lock: Handle?
    var folders: LibraryFolders?
    do throws(SettleError) {
      if isWriter { lock = try takeLock(path, root, files) }
      let opened = try LibraryFolders(files: files, path: path, root: root, makes: isWriter)
      folders = opened
      if isWriter { makeReserve(opened) }
      let ledger = try openLedger(opened, isWriter: isWriter)
      let verifier = options.verifier ?? standardVerifier(options)
      var recovery = RecoveryReport()
      if isWriter {
        try Reserve.lend(opened) { () throws(SettleError) in
          try rememberHolder(ledger, options.time)
        }
        if options.recoversOnOpen {
          let repair = Recovery(
            folders: opened, ledger: ledger, verifier: verifier, options: options)
          recovery = try repair.run(dryRun: false, isFull: false) { _ in }
        }
      }
      return OpenedLibrary(
        folders: opened, ledger: ledger, lock: lock, verifier: verifier, recovery: recovery)
    } catch {
      if let folders { folders.close() } else { files.close(root) }
      if let lock { giveBack(lock, files) }
      throw error
    }
  }

  private static func standardVerifier(_ options: Library.Options) -> any DocumentVerifier {
    var limits = VerifierPool.Limits()
    limits.processCount = max(1, options.workerCount)
    return VerifierPool(limits: limits)
  }

  // MARK: The folder

  private static func openRoot(
    _ path: BytePath, _ options: Library.Options
  ) throws(SettleError) -> Handle {
    let files = options.files
    let mayMake = options.access == .readWrite && options.createsIfMissing
    let root: Handle
    do throws(FileError) {
      if mayMake { try makeFolders(to: path, files) }
      root = try files.openFolder(at: path)
    } catch {
      if error.isNotFound { throw SettleError(.noLibrary, subject: path.bytes) }
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
    do throws(SettleError) {
      try checkRoot(root, path, options, mayMake: mayMake)
    } catch {
      files.close(root)
      throw error
    }
    return root
  }

  private static func checkRoot(
    _ root: Handle, _ path: BytePath, _ options: Library.Options, mayMake: Bool
  ) throws(SettleError) {
    do throws(FileError) {
      if try options.files.isNetwork(root) {
        throw FileError("statfs", FileError.crossDevice)
      }
    } catch {
      if error.number == FileError.crossDevice {
        throw SettleError(.networkFileSystem, subject: path.bytes)
      }
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
    var hasLedger = false
    var foreign: FileName?
    var odd: FileName?
    let ledgerName = FileName(own: LibraryFolders.ledgerName)
    do throws(FileError) {
      try options.files.list(root) { name, kind in
        if name == ledgerName { hasLedger = true }
        if let own = LibraryFolders.kind(of: name), kind != own { odd = name }
        if !LibraryFolders.ownNames.contains(name.bytes) {
          foreign = name
        }
        return true
      }
    } catch { throw SettleError(error, stage: nil, subject: path.bytes) }
    if let odd {
      // Opened all the same, a pipe would never answer and a link would lead elsewhere.
      throw SettleError(
        .notARegularFile, subject: path.appending(odd.bytes).bytes,
        detail: LibraryFolders.kind(of: odd) == .folder ? "a folder is needed" : "a file is needed")
    }
    if hasLedger { return }
    if foreign == nil, try holdsDocuments(root, path, options.files) {
      // A new, empty ledger would call all of them unknown.
      throw SettleError(
        .ledgerDamaged, subject: path.bytes, detail: "ledger.sqlite is gone, the documents are not")
    }
    guard mayMake else { throw SettleError(.noLibrary, subject: path.bytes) }
    if let foreign {
      throw SettleError(
        .notALibrary, subject: path.bytes, detail: "it holds \(foreign.description)")
    }
    // Also when the folder was there: who made it may have ended before its sync.
    do throws(FileError) {
      try syncParent(of: path, options.files)
    } catch { throw SettleError(error, stage: nil, subject: path.bytes) }
  }

  /// True when documents were published here: that takes a ledger, made durable before.
  private static func holdsDocuments(
    _ root: Handle, _ path: BytePath, _ files: any FileSystem
  ) throws(SettleError) -> Bool {
    var isHolding = false
    do throws(FileError) {
      let documents = try files.openFolder(FileName(own: "documents"), in: root)
      defer { files.close(documents) }
      var shards: [FileName] = []
      try files.list(documents) { name, kind in
        if kind == .folder, DocumentLocation.isShard(name.bytes) { shards.append(name) }
        return true
      }
      for shard in shards where !isHolding {
        let folder = try files.openFolder(shard, in: documents)
        defer { files.close(folder) }
        try files.list(folder) { name, _ in
          isHolding = DocumentLocation.identity(of: name.bytes) != nil
          return !isHolding
        }
      }
    } catch {
      if error.isNotFound { return false }
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
    return isHolding
  }

  /// Makes a folder and those above it. A library whose own name a power loss takes would take
  /// every document with it, so each new name is made durable; the last one by ``checkRoot``.
  static func makeFolders(to path: BytePath, _ files: any FileSystem) throws(FileError) {
    do throws(FileError) {
      _ = try files.makeFolder(at: path)
    } catch {
      guard error.isNotFound, let parent = path.parent else { throw error }
      try makeFolders(to: parent, files)
      try syncParent(of: parent, files)
      _ = try files.makeFolder(at: path)
    }
  }

  private static func syncParent(of path: BytePath, _ files: any FileSystem) throws(FileError) {
    guard let parent = path.parent else { return }
    let folder = try files.openFolder(at: parent)
    defer { files.close(folder) }
    try files.syncFolder(folder)
  }

  // MARK: The lock

  private static func takeLock(
    _ path: BytePath, _ root: Handle, _ files: any FileSystem
  ) throws(SettleError) -> Handle {
    let handle: Handle
    do throws(FileError) {
      handle = try openOrCreate(LibraryFolders.lockName, root, files)
    } catch { throw SettleError(error, stage: nil, subject: path.bytes) }
    do throws(FileError) {
      if try files.lock(handle) { return handle }
    } catch {
      files.close(handle)
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
    files.close(handle)
    throw SettleError(.libraryBusy, subject: path.bytes, detail: holder(of: path) ?? "")
  }

  /// Free when this returns, also while another library of this process starts a helper.
  static func giveBack(_ lock: Handle, _ files: any FileSystem) {
    files.unlock(lock)
    files.close(lock)
  }

  private static func openOrCreate(
    _ name: FileName, _ folder: Handle, _ files: any FileSystem
  ) throws(FileError) -> Handle {
    do throws(FileError) {
      return try files.createFile(name, in: folder, mode: 0o600)
    } catch {
      guard error.isExisting else { throw error }
      return try files.openFile(name, in: folder)
    }
  }

  /// Who wrote its name into the ledger; nil when nobody did or it cannot be read.
  static func holder(of path: BytePath) -> String? {
    let ledgerPath = path.appending(LibraryFolders.ledgerName.utf8)
    guard let ledger = try? Ledger(path: ledgerPath.bytes, for: .reader) else { return nil }
    defer { ledger.close() }
    guard let holder = try? ledger.fact(holderFact), !holder.isEmpty else { return nil }
    return holder
  }

  private static func rememberHolder(_ ledger: Ledger, _ time: SystemTime) throws(SettleError) {
    let text =
      "process \(CurrentProcess.identifier), since "
      + CivilTime.short(milliseconds: Int64(time.milliseconds)) + " UTC"
    try ledger.setFact(holderFact, to: text)
  }

  /// Best effort: a holder that is still named but holds no lock is not believed by anyone.
  static func forgetHolder(_ ledger: Ledger) { try? ledger.setFact(holderFact, to: "") }

  // MARK: The ledger and its reserve

  private static func openLedger(
    _ folders: LibraryFolders, isWriter: Bool
  ) throws(SettleError) -> Ledger {
    let path = folders.path.appending(LibraryFolders.ledgerName.utf8).bytes
    // Asked before it is opened: SQLite removes what is left of the log of an empty ledger.
    if Ledger.isEmptyFile(at: path) { try refuseDocuments(folders) }
    let ledger = try makeLedger(folders, path, isWriter: isWriter)
    do throws(SettleError) {
      // Numbers are never given twice, so a ledger without any has never had an entry.
      if try ledger.highestSequence() == 0 { try refuseDocuments(folders) }
    } catch {
      ledger.close()
      throw error
    }
    return ledger
  }

  /// A ledger that never had an entry cannot be the one of documents that are there.
  private static func refuseDocuments(_ folders: LibraryFolders) throws(SettleError) {
    guard try holdsDocuments(folders.root, folders.path, folders.files) else { return }
    throw SettleError(
      .ledgerDamaged, subject: folders.path.bytes,
      detail: "ledger.sqlite is empty, the documents are there")
  }

  private static func makeLedger(
    _ folders: LibraryFolders, _ path: [UInt8], isWriter: Bool
  ) throws(SettleError) -> Ledger {
    guard isWriter else {
      do throws(SettleError) {
        return try Ledger(path: path, for: .reader)
      } catch {
        // What cannot be read as a ledger is none, unless documents say that there was one.
        if error.code == .noLibrary { try refuseDocuments(folders) }
        throw error
      }
    }
    let ledger = try Reserve.lend(folders) { () throws(SettleError) -> Ledger in
      try Ledger(path: path, for: .writer)
    }
    do throws(FileError) {
      try folders.files.syncFolder(folders.root)
    } catch { throw SettleError(error, stage: .record, subject: folders.path.bytes) }
    return ledger
  }

  /// The reserve is a convenience: without room for it the library works, so failing is no error.
  private static func makeReserve(_ folders: LibraryFolders) { Reserve.refill(folders) }
}
