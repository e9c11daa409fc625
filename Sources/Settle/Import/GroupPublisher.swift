import SettleCore
import SettleFiles

/// The file side of publishing: each call does one thing to the disk and says what failed.
struct GroupPublisher {
  let engine: ImportEngine

  private var files: any FileSystem { engine.files }
  private var folders: LibraryFolders { engine.library.folders }

  /// Gives a copy its final name, which nothing else may have.
  func rename(_ document: StagedDocument) throws(SettleError) {
    let location = try location(of: document)
    try attempt(document) { () throws(FileError) in
      try folders.inShard(location.shard, makes: true) { (shard) throws(FileError) in
        try files.publish(
          document.ticket.stagingName, in: engine.staging, as: location.name, in: shard)
      }
    }
  }

  /// Makes the final names of a group durable.
  func syncFolders(_ documents: [StagedDocument]) throws(SettleError) {
    var synced: Set<FileName> = []
    for document in documents {
      let location = try location(of: document)
      guard synced.insert(location.shard).inserted else { continue }
      try attempt(document) { () throws(FileError) in
        try folders.inShard(location.shard) { (shard) throws(FileError) in
          try files.syncFolder(shard)
        }
      }
    }
  }

  /// Takes back a published name that could not be recorded. False when it may still be there, now
  /// or after a power loss: then its entry must stay pending, so that recovery completes it.
  func unpublish(_ document: StagedDocument) -> Bool {
    do {
      let location = try location(of: document)
      try folders.inShard(location.shard) { (shard) throws(FileError) in
        try files.remove(location.name, in: shard)
        try files.syncFolder(shard)
      }
      return true
    } catch {
      return false
    }
  }

  /// Moves an entry's damaged file out of the way, where somebody may still look at it.
  func quarantine(_ entry: Entry) throws(SettleError) {
    do throws(FileError) {
      guard let location = DocumentLocation(path: entry.path) else { return }
      let name = FileName(own: "\(entry.id).\(engine.library.options.time.makeID())")
      try folders.inShard(location.shard) { (shard) throws(FileError) in
        try files.publish(location.name, in: shard, as: name, in: folders.quarantine)
      }
      try files.syncFolder(folders.quarantine)
    } catch {
      throw SettleError(error, stage: .publication, subject: Array(entry.path.utf8))
    }
  }

  /// Removes a copy that will not be published. What cannot be removed now goes with the run's
  /// staging folder, or with the next recovery.
  func discard(_ document: StagedDocument) {
    if let handle = document.handle { files.close(handle) }
    try? files.remove(document.ticket.stagingName, in: engine.staging)
  }

  private func location(of document: StagedDocument) throws(SettleError) -> DocumentLocation {
    guard let entry = document.restores else { return document.ticket.location }
    guard let location = DocumentLocation(path: entry.path) else {
      throw SettleError(
        .ledgerDamaged, stage: .publication, subject: folders.path.bytes, detail: entry.path)
    }
    return location
  }

  private func attempt<Value>(
    _ document: StagedDocument, _ body: () throws(FileError) -> Value
  ) throws(SettleError) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw SettleError(
        error, stage: .publication, subject: engine.items[document.step].path.bytes)
    }
  }
}
