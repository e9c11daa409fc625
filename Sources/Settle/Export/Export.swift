import SettleCore
import SettleFiles
import SettleLedger

/// One exported document, or the error that kept it from being exported.
public struct ExportedItem: Sendable {
  /// The entry.
  public var entry: Entry
  /// The name it got in the folder, as bytes; nil when it failed.
  public var name: [UInt8]?
  /// Why it failed.
  public var error: SettleError?
}

/// What an export did.
public struct ExportReport: Sendable, Hashable {
  /// Documents that were exported.
  public var exportedCount = 0
  /// Documents that could not be.
  public var failedCount = 0
  /// Bytes that were written.
  public var byteCount: Int64 = 0
  /// True when a cancellation ended it before everything was exported.
  public var wasCancelled = false

  /// Nothing was exported yet.
  public init() {}
}

/// Copies documents out of a library: staged under a hidden name, compared with what was imported,
/// synced, then named, and reported once a sync of the folder has made the name durable.
struct Export {
  /// Items that share one sync of the folder.
  private static let groupSize = 32

  /// What one export works with.
  private struct Work {
    let target: Handle
    let buffer = CopyBuffer()
    /// The last number of names that were taken, so that the next need not count from the start.
    var numbers: [[UInt8]: Int] = [:]
    /// Items whose names may not be durable yet.
    var group: [ExportedItem] = []
    var report = ExportReport()
  }

  let library: Library
  let folder: BytePath

  private var files: any FileSystem { library.folders.files }

  func run(
    _ ids: [EntryID]?, isCancelled: () -> Bool, onItem: (ExportedItem) -> Void
  ) throws(SettleError) -> ExportReport {
    // All named entries are looked up first: a wrong id exports nothing.
    var chosen: [Entry] = []
    var seen: Set<EntryID> = []
    for id in ids ?? [] where seen.insert(id).inserted { chosen.append(try library.find(id)) }
    var work = Work(target: try ExportTarget(folders: library.folders, path: folder).open())
    defer { files.close(work.target) }
    do throws(SettleError) {
      try copyAll(ids == nil ? nil : chosen, &work, isCancelled, onItem)
    } catch {
      // What has its name stays, also when the next item ends the export: it is reported, too.
      settle(&work, onItem)
      guard error.code == .cancelled else { throw error }
      work.report.wasCancelled = true
    }
    return work.report
  }

  private func copyAll(
    _ chosen: [Entry]?, _ work: inout Work, _ isCancelled: () -> Bool,
    _ onItem: (ExportedItem) -> Void
  ) throws(SettleError) {
    try forEach(chosen) { (entry) throws(SettleError) in
      if isCancelled() { throw SettleError(.cancelled) }
      do throws(SettleError) {
        let name = try copy(entry, &work, isCancelled)
        work.group.append(ExportedItem(entry: entry, name: name))
      } catch {
        if error.code == .cancelled { throw error }
        work.group.append(ExportedItem(entry: entry, error: error))
      }
      if work.group.count == Self.groupSize { settle(&work, onItem) }
    }
    settle(&work, onItem)
  }

  /// Makes the names of a group durable and reports it.
  private func settle(_ work: inout Work, _ onItem: (ExportedItem) -> Void) {
    var failure: SettleError?
    do throws(FileError) {
      if !work.group.isEmpty { try files.syncFolder(work.target) }
    } catch { failure = SettleError(error, stage: nil, subject: folder.bytes) }
    for var item in work.group {
      if item.error == nil, let failure {
        item.name = nil
        item.error = failure
      }
      if item.error == nil {
        work.report.exportedCount += 1
        work.report.byteCount += item.entry.byteCount
      } else {
        work.report.failedCount += 1
      }
      onItem(item)
    }
    work.group = []
  }

  private func forEach(
    _ chosen: [Entry]?, _ body: (Entry) throws(SettleError) -> Void
  ) throws(SettleError) {
    if let chosen {
      for entry in chosen { try body(entry) }
      return
    }
    var last: Int64 = 0
    while true {
      let page = try library.ledger.entries(afterSequence: last, limit: Survey.pageSize)
      for row in page { if let entry = Entry(row) { try body(entry) } }
      guard page.count == Survey.pageSize, let end = page.last else { return }
      last = end.sequence
    }
  }

  private func copy(
    _ entry: Entry, _ work: inout Work, _ isCancelled: () -> Bool
  ) throws(SettleError) -> [UInt8] {
    guard let location = DocumentLocation(path: entry.path) else {
      throw SettleError(.ledgerDamaged, subject: entry.name, detail: entry.path)
    }
    let staged = ExportLeftovers.name(library.options.time.makeID())
    do throws(FileError) {
      guard try library.folders.status(of: location) != nil else {
        throw FileError("fstatat", FileError.notFound)
      }
      let copied = try write(location, as: staged, work, isCancelled)
      // A damaged copy is worse than none: the user may delete the library next.
      if copied == .copied(byteCount: entry.byteCount, digest: entry.sha256) {
        return try publish(ExportName(entry.name), staged, &work, isCancelled)
      }
    } catch {
      try? files.remove(staged, in: work.target)
      if isCancelled() { throw SettleError(.cancelled, subject: entry.name) }
      if error.isNotFound { throw SettleError(.missingFile, subject: entry.name) }
      throw SettleError(error, stage: nil, subject: subject(entry, location))
    }
    try? files.remove(staged, in: work.target)
    throw SettleError(isCancelled() ? .cancelled : .changedFile, subject: entry.name)
  }

  /// The library's file when it is that which cannot be opened, else the name of the export.
  private func subject(
    _ entry: Entry, _ location: DocumentLocation
  ) -> [UInt8] {
    do throws(FileError) {
      try library.folders.inShard(location.shard) { (shard) throws(FileError) in
        files.close(try files.openFile(location.name, in: shard))
      }
      return entry.name
    } catch {
      return library.folders.path.appending(entry.path.utf8).bytes
    }
  }

  /// Copies a document to a hidden name and makes the copy durable.
  private func write(
    _ location: DocumentLocation, as staged: FileName, _ work: Work, _ isCancelled: () -> Bool
  ) throws(FileError) -> HashingCopy.Result {
    let source = try library.folders.inShard(location.shard) { (shard) throws(FileError) in
      try files.openFile(location.name, in: shard)
    }
    defer { files.close(source) }
    let made = try files.createFile(staged, in: work.target, mode: 0o644)
    defer { files.close(made) }
    // While this is locked no other export takes it for a leftover.
    guard ExportLeftovers(files: files, folder: work.target).claim(made, staged) else {
      throw FileError("flock", FileError.busy)
    }
    let copier = HashingCopy(files, buffer: work.buffer)
    let copied = try copier.copy(from: source, to: made) { _ in !isCancelled() }
    try files.sync(made)
    return copied
  }

  private func publish(
    _ name: ExportName, _ staged: FileName, _ work: inout Work, _ isCancelled: () -> Bool
  ) throws(FileError) -> [UInt8] {
    var number = 1
    while true {
      if isCancelled() { throw FileError("rename", 0) }
      let bytes = name.bytes(number: number)
      guard let free = FileName(bytes) else { throw FileError("rename", FileError.notFound) }
      do throws(FileError) {
        try files.publish(staged, in: work.target, as: free, in: work.target)
        if number > 1 { work.numbers[name.numbered] = number }
        return bytes
      } catch {
        guard error.isExisting else { throw error }
        number = max(number, number == 1 ? work.numbers[name.numbered] ?? 1 : 1) + 1
      }
    }
  }
}
