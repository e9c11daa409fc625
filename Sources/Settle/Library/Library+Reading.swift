import SettleCore
import SettleFiles
import SettleLedger

/// What is known of a library as a whole.
public struct LibraryStatus: Sendable, Hashable {
  /// Available entries.
  public var entryCount = 0
  /// Bytes of their files.
  public var byteCount: Int64 = 0
  /// Entries that an unfinished import or removal left; a running one has some, too.
  public var unfinishedCount = 0
  /// Entries whose file is gone.
  public var missingCount = 0
  /// Imports that failed and whose sources were not imported since.
  public var failedCount = 0
  /// The process that has the library open for writing now, as it named itself.
  public var holder: String?
  /// The last run, if there was one.
  public var lastRun: LastRun?
  /// True when a crash or a kill ended the last run; the next recovery notes its end.
  public var wasCutOff = false
  /// Bytes free on the library's disk.
  public var freeByteCount: Int64 = 0

  /// The newest run of a library.
  public struct LastRun: Sendable, Hashable {
    /// The run.
    public var id: RunID
    /// Where it is or how it ended.
    public var state: RunState
    /// Items by outcome.
    public var counts: OutcomeCounts
    /// Milliseconds since 1970 at which it started.
    public var startedAt: Int64
  }
}

extension Library {
  /// The available entries, streaming.
  public func entries() -> EntrySequence { EntrySequence(self) }

  /// One available entry.
  ///
  /// - Parameters:
  ///   - id: The entry's identity.
  ///   - requiresFile: false also finds an entry whose file is gone, as for deleting it.
  /// - Throws: `noSuchEntry`, also for entries that are not listed; `missingFile` when its file is
  ///   gone; `ledgerDamaged`, `ioError`.
  public func entry(_ id: EntryID, requiresFile: Bool = true) async throws -> Entry {
    try await reading { () throws(SettleError) in
      try self.find(id, requiresFile: requiresFile)
    }
  }

  /// Where an entry's file is. Open it for reading only: the library owns it.
  public func path(of entry: Entry) -> BytePath { path.appending(entry.path.utf8) }

  func find(_ id: EntryID, requiresFile: Bool = true) throws(SettleError) -> Entry {
    guard let row = try ledger.entry(id: id), let entry = Entry(row),
      row.state == .available || row.state == .missing,
      let location = DocumentLocation(path: row.path)
    else { throw SettleError(.noSuchEntry, subject: Array(id.description.utf8)) }
    guard requiresFile else { return entry }
    do throws(FileError) {
      guard row.state == .available, try folders.status(of: location) != nil else {
        throw FileError("fstatat", FileError.notFound)
      }
      return entry
    } catch {
      if error.isNotFound { throw SettleError(.missingFile, subject: entry.name) }
      throw SettleError(error, stage: .access, subject: entry.name)
    }
  }

  /// What is known of the library as a whole. Reads the ledger and asks for the lock.
  ///
  /// - Throws: `ledgerDamaged`, `ioError`. Complexity: linear in the number of entries.
  public func status() async throws -> LibraryStatus {
    try await reading { () throws(SettleError) in try self.readStatus() }
  }

  private func readStatus() throws(SettleError) -> LibraryStatus {
    var status = LibraryStatus()
    for (state, count) in try ledger.counts() {
      switch state {
      case .available:
        status.entryCount = count.entries
        status.byteCount = count.byteCount
      case .pending, .deleting: status.unfinishedCount += count.entries
      case .missing: status.missingCount = count.entries
      case .failed: status.failedCount = count.entries
      }
    }
    let lastRun = try ledger.lastRuns(1).first
    do throws(FileError) {
      if try folders.isLocked() {
        let name = try? ledger.fact(LibraryOpening.holderFact)
        status.holder = name.flatMap { $0.isEmpty ? nil : $0 } ?? "a process without a name yet"
      }
      status.freeByteCount = try folders.files.freeByteCount(folders.root)
    } catch { throw SettleError(error, stage: nil, subject: path.bytes) }
    if let run = lastRun {
      // A run that is going on is one of the process that holds the lock.
      status.wasCutOff = status.holder == nil && run.endedAt == nil
      status.lastRun = LibraryStatus.LastRun(
        id: run.id, state: status.wasCutOff ? .failed : run.state, counts: run.counts,
        startedAt: run.startedAt)
    }
    return status
  }
}
