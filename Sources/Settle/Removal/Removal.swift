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
///
/// A file that cannot be moved, as in a folder without the right to write, takes the hiding back.
struct Removal {
  let folders: LibraryFolders
  let ledger: Ledger

  private var files: any FileSystem { folders.files }

  /// Hides entries and then removes them for good. When a file cannot be taken away, everything is
  /// taken back and nothing is deleted. A cancellation counts until the hiding is recorded.
  func remove(_ rows: [LedgerEntry], isCancelled: () -> Bool = { false }) throws(SettleError) {
    if isCancelled() { throw SettleError(.cancelled, detail: "nothing was deleted") }
    try Reserve.lend(folders) { () throws(SettleError) in try ledger.hide(rows.map(\.id)) }
    var trashed: [DocumentLocation] = []
    do throws(SettleError) {
      try trash(rows, &trashed)
    } catch {
      throw takeBack(rows, trashed, error)
    }
    try forget(rows, trashed)
  }

  /// Removes what is hidden. May be repeated after a crash.
  func finish(_ rows: [LedgerEntry]) throws(SettleError) {
    var trashed: [DocumentLocation] = []
    try trash(rows, &trashed)
    try forget(rows, trashed)
  }

  private func trash(
    _ rows: [LedgerEntry], _ trashed: inout [DocumentLocation]
  ) throws(SettleError) {
    for row in rows {
      guard let location = DocumentLocation(path: row.path) else {
        throw SettleError(
          .ledgerDamaged, stage: .record, subject: folders.path.bytes, detail: row.path)
      }
      do throws(FileError) {
        if try moveToTrash(location) { trashed.append(location) }
      } catch {
        throw failure(error, location)
      }
    }
    // Before the entries go: a file whose move a power loss takes back must still have its entry.
    try syncShards(of: trashed)
  }

  /// Makes the moves durable, once for each folder, however many documents leave it.
  private func syncShards(of locations: [DocumentLocation]) throws(SettleError) {
    var synced: Set<FileName> = []
    for location in locations where synced.insert(location.shard).inserted {
      do throws(FileError) {
        try folders.inShard(location.shard) { (shard) throws(FileError) in
          try files.syncFolder(shard)
        }
      } catch { throw failure(error, location) }
    }
  }

  /// Moving a file needs rights on the folders, not on the file.
  private func failure(_ error: FileError, _ location: DocumentLocation) -> SettleError {
    var failure = SettleError(
      error, stage: .publication, subject: folders.path.appending(location.path.utf8).bytes)
    guard failure.code == .permissionDenied else { return failure }
    let folder = folders.path.appending("documents".utf8).appending(location.shard.bytes)
    failure.subject = folder.bytes
    failure.detail = "write permission is needed on it and on trash"
    return failure
  }

  /// Puts the files back and lists the entries again; the error says what is left. An entry whose
  /// file stays in the trash stays hidden, and recovery finishes its removal.
  private func takeBack(
    _ rows: [LedgerEntry], _ trashed: [DocumentLocation], _ error: SettleError
  ) -> SettleError {
    var error = error
    var lost: Set<String> = []
    for location in trashed {
      do throws(FileError) {
        try folders.inShard(location.shard) { (shard) throws(FileError) in
          try files.publish(location.name, in: folders.trash, as: location.name, in: shard)
        }
      } catch { lost.insert(location.path) }
    }
    // Best effort: a move that a power loss undoes leaves a file in the trash and its entry, which
    // recovery joins again.
    try? syncShards(of: trashed.filter { !lost.contains($0.path) })
    let back = rows.filter { !lost.contains($0.path) }
    do throws(SettleError) {
      try Reserve.lend(folders) { () throws(SettleError) in
        for state in [EntryState.available, .missing] {
          try ledger.takeBackHiding(back.filter { $0.state == state }.map(\.id), to: state)
        }
      }
      let left =
        lost.isEmpty
        ? "nothing was deleted" : "\(lost.count) of \(rows.count) were deleted, no other"
      error.detail += (error.detail.isEmpty ? "" : "; ") + left
    } catch {
      return begun(error)
    }
    return error
  }

  /// The error when the documents are hidden and stay so.
  private func begun(_ error: SettleError) -> SettleError {
    var error = error
    error.detail += error.detail.isEmpty ? "" : "; "
    error.detail += "the documents are not listed any more, and settle recover ends their removal"
    return error
  }

  private func forget(
    _ rows: [LedgerEntry], _ trashed: [DocumentLocation]
  ) throws(SettleError) {
    do throws(SettleError) {
      try Reserve.lend(folders) { () throws(SettleError) in try ledger.remove(rows.map(\.id)) }
    } catch { throw begun(error) }
    for name in trashed.map(\.name) {
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
