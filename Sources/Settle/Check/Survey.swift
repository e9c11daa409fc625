import SettleCore
import SettleFiles
import SettleLedger

/// Compares the ledger with the files: reads, never writes.
struct Survey {
  /// Entries that are read at once, so that a survey needs the memory of one page only.
  static let pageSize = 512

  let folders: LibraryFolders
  let ledger: Ledger

  private var files: any FileSystem { folders.files }

  /// Looks at the file of every entry; returns how many entries there are.
  /// A deep survey reads and hashes every file.
  @discardableResult
  func entries(
    isDeep: Bool, isCancelled: () -> Bool = { false },
    onFinding: (Finding) throws(SettleError) -> Void
  ) throws(SettleError) -> Int {
    var count = 0
    for state in [EntryState.available, .missing] {
      var last: Int64 = 0
      while !isCancelled() {
        let page = try ledger.entries(afterSequence: last, limit: Self.pageSize, state: state)
        for row in page {
          if isCancelled() { return count }
          count += 1
          if let finding = try look(at: row, isDeep: isDeep, isCancelled) {
            try onFinding(finding)
          }
        }
        guard page.count == Self.pageSize, let end = page.last else { break }
        last = end.sequence
      }
    }
    return count
  }

  private func look(
    at row: LedgerEntry, isDeep: Bool, _ isCancelled: () -> Bool
  ) throws(SettleError) -> Finding? {
    guard let location = DocumentLocation(path: row.path) else {
      throw SettleError(
        .ledgerDamaged, stage: .record, subject: folders.path.bytes, detail: row.path)
    }
    func finding(_ kind: Finding.Kind) -> Finding {
      Finding(kind: kind, id: row.id, path: row.path, action: .none)
    }
    do throws(FileError) {
      guard let status = try folders.status(of: location) else {
        return row.state == .available ? finding(.missing) : nil
      }
      guard status.byteCount == row.byteCount else { return finding(.changed) }
      // A file that came back is believed only when its content is the recorded one.
      if isDeep || row.state == .missing {
        let content = try content(of: location, isCancelled)
        if isCancelled() { return nil }
        if content.digest != row.sha256 { return finding(.changed) }
      }
      return row.state == .missing ? finding(.returned) : nil
    } catch {
      throw SettleError(
        error, stage: .access, subject: folders.path.appending(row.path.utf8).bytes)
    }
  }

  /// Size and hash of a document's file.
  func content(
    of location: DocumentLocation, _ isCancelled: () -> Bool = { false }
  ) throws(FileError) -> (byteCount: Int64, digest: [UInt8]) {
    let handle = try files.openFile(location.name, in: folders.shard(location.shard))
    defer { files.close(handle) }
    let hashed = try HashingCopy(files, buffer: CopyBuffer()).hash(handle) { _ in !isCancelled() }
    guard case .copied(let byteCount, let digest) = hashed else { return (0, []) }
    return (byteCount, digest)
  }

  /// Files of our name shape among the documents that no entry names; foreign names are ignored.
  func unknownFiles(
    onFinding: (Finding, DocumentLocation) throws(SettleError) -> Void
  ) throws(SettleError) {
    for shard in try names(in: folders.documents, of: .folder) {
      guard DocumentLocation.isShard(shard.bytes) else { continue }
      let folder: Handle
      do throws(FileError) {
        folder = try folders.shard(shard)
      } catch { throw SettleError(error, stage: .access, subject: folders.path.bytes) }
      for name in try names(in: folder, of: .regular) {
        let path = "documents/\(shard.description)/\(name.description)"
        guard let id = DocumentLocation.identity(of: name.bytes),
          let location = DocumentLocation(path: path)
        else { continue }
        if let row = try ledger.entry(id: id), row.path == path, row.state != .failed { continue }
        try onFinding(Finding(kind: .unknown, path: path, action: .none), location)
      }
    }
  }

  private func names(in folder: Handle, of kind: FileKind) throws(SettleError) -> [FileName] {
    var names: [FileName] = []
    do throws(FileError) {
      try files.list(folder) { name, found in
        if found == kind { names.append(name) }
        return true
      }
    } catch { throw SettleError(error, stage: .access, subject: folders.path.bytes) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
