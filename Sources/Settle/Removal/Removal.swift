import SettleCore
import SettleFiles
import SettleLedger

/// Deletes entries: hide, commit, then remove (IMP-13).
///
/// | Crash after | Leaves | Recovery |
/// |---|---|---|
/// | hiding is committed | hidden entry, file | as below |
/// | the file is in the trash | hidden entry | removes the entry, empties the trash |
/// | the entry is removed | a file in the trash | empties the trash |
struct Removal {
  let folders: LibraryFolders
  let ledger: Ledger

  private var files: any FileSystem { folders.files }

  /// Hides entries and then removes them for good.
  func remove(_ rows: [LedgerEntry]) throws(SettleError) {
    try Reserve.lend(folders) { () throws(SettleError) in try ledger.hide(rows.map(\.id)) }
    try finish(rows)
  }

  /// Removes what is hidden. May be repeated after a crash.
  func finish(_ rows: [LedgerEntry]) throws(SettleError) {
    var trashed: [FileName] = []
    for row in rows {
      guard let location = DocumentLocation(path: row.path) else {
        throw SettleError(
          .ledgerDamaged, stage: .record, subject: folders.path.bytes, detail: row.path)
      }
      do throws(FileError) {
        if try moveToTrash(location) { trashed.append(location.name) }
      } catch {
        throw SettleError(
          error, stage: .publication, subject: folders.path.appending(row.path.utf8).bytes)
      }
    }
    try Reserve.lend(folders) { () throws(SettleError) in try ledger.remove(rows.map(\.id)) }
    for name in trashed {
      // What stays in the trash has no entry any more; the next open removes it.
      try? files.remove(name, in: folders.trash)
    }
    Reserve.refill(folders)
  }

  private func moveToTrash(_ location: DocumentLocation) throws(FileError) -> Bool {
    guard try folders.status(of: location) != nil else { return false }
    try folders.inShard(location.shard) { (shard) throws(FileError) in
      do throws(FileError) {
        try files.publish(location.name, in: shard, as: location.name, in: folders.trash)
      } catch {
        // A crash between link and unlink left both names: the document's own is removed.
        guard error.isExisting else { throw error }
        try files.remove(location.name, in: shard)
      }
      try files.syncFolder(shard)
    }
    return true
  }

  /// Files of ours in the trash.
  func trash() throws(SettleError) -> [FileName] {
    var names: [FileName] = []
    do throws(FileError) {
      try files.list(folders.trash) { name, kind in
        if kind == .regular, DocumentLocation.identity(of: name.bytes) != nil {
          names.append(name)
        }
        return true
      }
    } catch { throw SettleError(error, stage: nil, subject: folders.path.bytes) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
