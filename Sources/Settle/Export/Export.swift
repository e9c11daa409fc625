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

  /// Nothing was exported yet.
  public init() {}
}

/// Copies documents out of a library: staged under a hidden name, synced, then named.
struct Export {
  let library: Library
  let folder: BytePath

  private var files: any FileSystem { library.folders.files }

  func run(
    _ ids: [EntryID]?, isCancelled: () -> Bool, onItem: (ExportedItem) -> Void
  ) throws(SettleError) -> ExportReport {
    // All named entries are looked up first: a wrong id exports nothing.
    var chosen: [Entry] = []
    for id in ids ?? [] { chosen.append(try library.find(id)) }
    let target = try openTarget()
    defer { files.close(target) }
    var report = ExportReport()
    let buffer = CopyBuffer()
    try forEach(ids == nil ? nil : chosen) { (entry) throws(SettleError) in
      if isCancelled() { throw SettleError(.cancelled) }
      do throws(SettleError) {
        let name = try copy(entry, to: target, buffer, isCancelled)
        report.exportedCount += 1
        report.byteCount += entry.byteCount
        onItem(ExportedItem(entry: entry, name: name))
      } catch {
        if error.code == .cancelled { throw error }
        report.failedCount += 1
        onItem(ExportedItem(entry: entry, error: error))
      }
    }
    do throws(FileError) {
      try files.syncFolder(target)
    } catch { throw SettleError(error, stage: .publication, subject: folder.bytes) }
    return report
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

  private func openTarget() throws(SettleError) -> Handle {
    do throws(FileError) {
      _ = try files.makeFolder(at: folder)
      return try files.openFolder(at: folder)
    } catch { throw SettleError(error, stage: .access, subject: folder.bytes) }
  }

  private func copy(
    _ entry: Entry, to target: Handle, _ buffer: CopyBuffer, _ isCancelled: () -> Bool
  ) throws(SettleError) -> [UInt8] {
    guard let location = DocumentLocation(path: entry.path) else {
      throw SettleError(.ledgerDamaged, stage: .access, subject: entry.name, detail: entry.path)
    }
    let staged = FileName(own: ".settle-\(library.options.time.makeID())")
    do throws(FileError) {
      guard try library.folders.status(of: location) != nil else {
        throw FileError("fstatat", FileError.notFound)
      }
      let copier = HashingCopy(files, buffer: buffer)
      try write(location, as: staged, in: target) { (source, copy) throws(FileError) in
        _ = try copier.copy(from: source, to: copy) { _ in !isCancelled() }
      }
      if isCancelled() { throw FileError("copy", 0) }
      return try publish(ExportName(entry.name), staged, in: target)
    } catch {
      try? files.remove(staged, in: target)
      if isCancelled() { throw SettleError(.cancelled, subject: entry.name) }
      if error.isNotFound { throw SettleError(.missingFile, subject: entry.name) }
      throw SettleError(error, stage: .copy, subject: entry.name)
    }
  }

  /// Opens both ends for a copy and makes the copy durable.
  private func write(
    _ location: DocumentLocation, as staged: FileName, in target: Handle,
    _ copy: (Handle, Handle) throws(FileError) -> Void
  ) throws(FileError) {
    let source = try files.openFile(location.name, in: library.folders.shard(location.shard))
    defer { files.close(source) }
    let made = try files.createFile(staged, in: target, mode: 0o644)
    defer { files.close(made) }
    try copy(source, made)
    try files.sync(made)
  }

  private func publish(
    _ name: ExportName, _ staged: FileName, in target: Handle
  ) throws(FileError) -> [UInt8] {
    var number = 1
    while true {
      let bytes = name.bytes(number: number)
      guard let free = FileName(bytes) else { throw FileError("rename", FileError.notFound) }
      do throws(FileError) {
        try files.publish(staged, in: target, as: free, in: target)
        return bytes
      } catch {
        guard error.isExisting else { throw error }
        number += 1
      }
    }
  }
}
