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

  /// Looks at the file of every entry; returns how many entries there are. A finding comes with
  /// the state of its entry. A deep survey reads and hashes every file.
  @discardableResult
  func entries(
    isDeep: Bool, isCancelled: () -> Bool = { false },
    onFinding: (Finding, EntryState) throws(SettleError) -> Void
  ) throws(SettleError) -> Int {
    var count = 0
    for state in [EntryState.available, .missing] {
      var last: Int64 = 0
      while !isCancelled() {
        let page = try ledger.entries(afterSequence: last, limit: Self.pageSize, state: state)
        for row in page {
          if isCancelled() { return count }
          count += 1
          if let finding = try confirmed(row, isDeep: isDeep, isCancelled) {
            try onFinding(finding, row.state)
          }
        }
        guard page.count == Self.pageSize, let end = page.last else { break }
        last = end.sequence
      }
    }
    return count
  }

  /// A finding that a second look confirms: a writer may have changed entry and file between the
  /// reading of the page and the first look.
  private func confirmed(
    _ row: LedgerEntry, isDeep: Bool, _ isCancelled: () -> Bool
  ) throws(SettleError) -> Finding? {
    guard try look(at: row, isDeep: isDeep, isCancelled) != nil,
      let now = try ledger.entry(id: row.id), now.state == .available || now.state == .missing
    else { return nil }
    return try look(at: now, isDeep: isDeep, isCancelled)
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
      guard let status = try folders.status(of: location) else { return finding(.missing) }
      guard status.byteCount == row.byteCount else { return finding(.changed) }
      // A file that came back is believed only when its content is the recorded one.
      if isDeep || row.state == .missing {
        let content = try content(of: location, isCancelled)
        if isCancelled() { return nil }
        if content.digest != row.sha256 { return finding(.changed) }
      }
      return row.state == .missing ? finding(.returned) : nil
    } catch {
      // One bad sector says nothing of all the others.
      return finding(.unreadable)
    }
  }

  /// Size and hash of a document's file.
  func content(
    of location: DocumentLocation, _ isCancelled: () -> Bool = { false }
  ) throws(FileError) -> (byteCount: Int64, digest: [UInt8]) {
    let handle = try folders.inShard(location.shard) { (shard) throws(FileError) in
      try files.openFile(location.name, in: shard)
    }
    defer { files.close(handle) }
    let hashed = try HashingCopy(files, buffer: CopyBuffer()).hash(handle) { _ in !isCancelled() }
    guard case .copied(let byteCount, let digest) = hashed else { return (0, []) }
    return (byteCount, digest)
  }

  /// Files of our name shape among the documents that no entry names; foreign names are ignored.
  /// A folder that cannot be read is a finding without a location.
  func unknownFiles(
    isCancelled: () -> Bool = { false },
    onFinding: (Finding, DocumentLocation?) throws(SettleError) -> Void
  ) throws(SettleError) {
    guard let shards = try? names(in: folders.documents, of: .folder) else {
      return try onFinding(Finding(kind: .unreadable, path: "documents", action: .none), nil)
    }
    for shard in shards where DocumentLocation.isShard(shard.bytes) {
      if isCancelled() { return }
      let path = "documents/\(shard.description)"
      let listed = try? folders.inShard(shard) { (folder) throws(FileError) in
        try names(in: folder, of: .regular)
      }
      guard let listed else {
        try onFinding(Finding(kind: .unreadable, path: path, action: .none), nil)
        continue
      }
      for name in listed {
        if isCancelled() { return }
        guard let location = DocumentLocation(path: path + "/" + name.description),
          try isUnknown(location)
        else { continue }
        try onFinding(Finding(kind: .unknown, path: location.path, action: .none), location)
      }
    }
  }

  /// Asked in this order: whoever forgets an entry beside us has removed its file before.
  private func isUnknown(_ location: DocumentLocation) throws(SettleError) -> Bool {
    guard let id = DocumentLocation.identity(of: location.name.bytes) else { return false }
    if let row = try ledger.entry(id: id), row.path == location.path, row.state != .failed {
      return false
    }
    do throws(FileError) {
      return try folders.status(of: location) != nil
    } catch { return true }
  }

  private func names(in folder: Handle, of kind: FileKind) throws(FileError) -> [FileName] {
    var names: [FileName] = []
    try files.list(folder) { name, found in
      if found == kind { names.append(name) }
      return true
    }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
