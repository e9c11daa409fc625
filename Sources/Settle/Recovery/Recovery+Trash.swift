import SettleCore
import SettleFiles
import SettleLedger

/// What is in the trash, file by file.
extension Recovery {
  /// Removes a file from the trash, unless the ledger says that nobody deleted its document: then
  /// it is perhaps the only copy, whoever put it there, and goes back to its place, or to
  /// quarantine when something is at its place or its entry never had a file.
  func takeFromTrash(_ name: FileName, _ dryRun: Bool) throws(SettleError) -> Finding {
    let path = "trash/\(name.description)"
    var finding = Finding(kind: .leftover, path: path, action: .removed)
    let row = try DocumentLocation.identity(of: name.bytes).flatMap {
      (id) throws(SettleError) in try ledger.entry(id: id)
    }
    var place: DocumentLocation?
    if let row, row.state != .deleting {
      finding = Finding(kind: .unknown, id: row.id, path: path, action: .quarantined)
      if row.state == .available || row.state == .missing {
        place = DocumentLocation(path: row.path)
      }
    }
    do throws(FileError) {
      if let place, try folders.occupant(of: place) == nil {
        finding.kind = .returned
        finding.action = .restored
        if dryRun { return finding }
        if try putBack(name, at: place) { return finding }
        finding.kind = .unknown
        finding.action = .quarantined
      }
      if dryRun { return finding }
      if finding.action == .removed {
        try files.remove(name, in: folders.trash)
      } else {
        try quarantine(name, in: folders.trash)
      }
      return finding
    } catch {
      return postponed(finding)
    }
  }

  /// False when something came to the place meanwhile.
  private func putBack(_ name: FileName, at place: DocumentLocation) throws(FileError) -> Bool {
    try folders.inShard(place.shard, makes: true) { (shard) throws(FileError) in
      do throws(FileError) {
        try files.publish(name, in: folders.trash, as: place.name, in: shard)
      } catch {
        if error.isExisting { return false }
        throw error
      }
      try files.syncFolder(shard)
      return true
    }
  }
}
