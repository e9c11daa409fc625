import SettleCore
import SettleFiles
import SettleLedger
import SettleVerify

/// Repairs what a crash left, under the writer lock (IMP-8, FIL-8).
///
/// | Found | Done | Function |
/// |---|---|---|
/// | pending entry, staging file or nothing | staging removed, entry failed(interrupted) | `settle` |
/// | pending entry, final file, sound | hashed, recorded | `complete` |
/// | the same, but its content is bad | quarantine, entry failed | `complete` |
/// | the same, but nobody can judge it now | postponed: left for the next recovery | `complete` |
/// | hidden entry | file to the trash, folder synced, entry removed, trash emptied | `Removal` |
/// | the same, but its file cannot be taken away now | postponed | `finishRemoval` |
/// | staging or trash without an entry | removed | `clean` |
/// | trash, of an entry that nobody deletes | put back, or to quarantine | `takeFromTrash` |
/// | run without an end | ended as failed | `run` |
/// | full only: entry without its file, or with it again | hidden, restored | `reconcile` |
/// | full only: file of ours without an entry | quarantined | `quarantine` |
///
/// Every step may be repeated: a second recovery finds nothing. Ownership is known by the lock and
/// by ids, never by age or clock. Complexity: what is unfinished; the full one, every entry.
struct Recovery {
  let folders: LibraryFolders
  let ledger: Ledger
  let verifier: any DocumentVerifier
  let options: Library.Options

  var files: any FileSystem { folders.files }

  /// Repairs, or only reports when `dryRun` is set.
  func run(
    dryRun: Bool, isFull: Bool, onFinding: (Finding) -> Void
  ) throws(SettleError) -> RecoveryReport {
    var report = RecoveryReport()
    func note(_ finding: Finding) {
      report.counts[finding.kind, default: 0] += 1
      if finding.action == .postponed { report.postponedCount += 1 }
      onFinding(finding)
    }
    let rows = try ledger.unfinished()
    for row in rows where row.state == .pending { note(try settle(row, dryRun)) }
    for finding in try finishRemovals(rows.filter { $0.state == .deleting }, dryRun) {
      note(finding)
    }
    for finding in try clean(dryRun) { note(finding) }
    if !dryRun { try endRuns() }
    if isFull { try compare(dryRun, note) }
    return report
  }

  private func endRuns() throws(SettleError) {
    try Reserve.lend(folders) { () throws(SettleError) in
      try ledger.endCrashedRuns(at: Int64(options.time.milliseconds))
    }
  }

  private func compare(
    _ dryRun: Bool, _ note: (Finding) -> Void
  ) throws(SettleError) {
    // Collected first: changing the ledger while its pages are read could skip entries.
    var found: [Finding] = []
    var unknown: [(Finding, DocumentLocation?)] = []
    let survey = Survey(folders: folders, ledger: ledger)
    try survey.entries(isDeep: false) { (finding, state) throws(SettleError) in
      // Of an entry that is known to be missing there is nothing to repair until its file is back.
      if state == .available || finding.kind == .returned { found.append(finding) }
    }
    try survey.unknownFiles { (finding, location) throws(SettleError) in
      unknown.append((finding, location))
    }
    for finding in found {
      if let done = try reconcile(finding, dryRun) { note(done) }
    }
    for (finding, location) in unknown {
      var done = finding
      if let location {
        done.action = .quarantined
        if !dryRun { try quarantine(location) }
      }
      note(done)
    }
  }

  // MARK: Pending entries

  private func settle(_ row: LedgerEntry, _ dryRun: Bool) throws(SettleError) -> Finding {
    guard let location = DocumentLocation(path: row.path) else { throw damaged(row) }
    let isPublished = try attempt(row.path) { () throws(FileError) in
      try folders.status(of: location) != nil
    }
    if isPublished { return try complete(row, location, dryRun) }
    if !dryRun {
      try Reserve.lend(folders) { () throws(SettleError) in try ledger.interrupt([row.id]) }
    }
    return Finding(kind: .interrupted, id: row.id, path: row.path, action: .markedFailed)
  }

  /// A published file is whole: it was synced before it got its name. It is verified all the same,
  /// and taken away only when its content is to blame: a lost helper says nothing of a document.
  private func complete(
    _ row: LedgerEntry, _ location: DocumentLocation, _ dryRun: Bool
  ) throws(SettleError) -> Finding {
    var finding = Finding(kind: .unrecorded, id: row.id, path: row.path, action: .completed)
    if dryRun { return finding }
    var batch = LedgerBatch()
    switch try? verifier.verify(folders.path.appending(row.path.utf8), isCancelled: { false }) {
    case .accepted(let pageCount, let flags):
      guard let content = try? Survey(folders: folders, ledger: ledger).content(of: location)
      else { return postponed(finding) }
      try makeDurable(location)
      var publication = Publication(
        id: row.id, path: row.path, byteCount: content.byteCount, sha256: content.digest)
      publication.pageCount = pageCount
      publication.flags = flags.map(\.rawValue).sorted()
      publication.engine = verifier.engine
      publication.importedAt = Int64(options.time.milliseconds)
      batch.published = [publication]
    case .refused(let code, _) where Self.contentCodes.contains(code):
      try quarantine(location)
      batch.failed = [Failure(id: row.id, code: code, stage: .verification)]
      finding.action = .quarantined
    case .refused, .cancelled, nil: return postponed(finding)
    }
    try Reserve.lend(folders) { () throws(SettleError) in try ledger.settle(batch) }
    return finding
  }

  /// Refusals that blame the content. All others, such as a limit or a disk, may pass.
  private static let contentCodes: Set<SettleError.Code> = [
    .notAPDF, .damaged, .incomplete, .noPages, .passwordRequired,
  ]

  /// Errors of one file that may pass, as when somebody grants a right.
  private static let passingCodes: Set<SettleError.Code> = [
    .permissionDenied, .ioError, .notARegularFile, .noSpace, .tooManyOpenFiles, .readOnlyVolume,
    .fileInUse,
  ]

  func postponed(_ finding: Finding) -> Finding {
    var finding = finding
    finding.action = .postponed
    return finding
  }

  /// The name may not be durable yet: its folders are synced before the entry says available.
  private func makeDurable(_ location: DocumentLocation) throws(SettleError) {
    try attempt(location.path) { () throws(FileError) in
      try folders.inShard(location.shard, makes: true) { (shard) throws(FileError) in
        try files.syncFolder(shard)
      }
    }
  }

  // MARK: Hidden entries, leftovers

  private func finishRemovals(
    _ rows: [LedgerEntry], _ dryRun: Bool
  ) throws(SettleError) -> [Finding] {
    let removal = Removal(folders: folders, ledger: ledger)
    let findings = rows.map {
      Finding(kind: .unfinishedRemoval, id: $0.id, path: $0.path, action: .removed)
    }
    if dryRun || rows.isEmpty { return findings }
    if try passes({ () throws(SettleError) in try removal.finish(rows) }) { return findings }
    // One document that cannot be deleted now must not keep all others from being reached.
    var told: [Finding] = []
    for (row, finding) in zip(rows, findings) {
      let isDone = try passes { () throws(SettleError) in try removal.finish([row]) }
      told.append(isDone ? finding : postponed(finding))
    }
    return told
  }

  /// False when an error that may pass kept something from being done.
  private func passes(_ body: () throws(SettleError) -> Void) throws(SettleError) -> Bool {
    do throws(SettleError) {
      try body()
      return true
    } catch {
      guard Self.passingCodes.contains(error.code) else { throw error }
      return false
    }
  }

  private func clean(_ dryRun: Bool) throws(SettleError) -> [Finding] {
    var findings: [Finding] = []
    let cleaner = StagingCleaner(folders: folders)
    for run in try cleaner.runs() {
      let count = cleaner.fileCount(run)
      let removed = dryRun ? count : cleaner.remove(run)
      if count > 0 {
        let finding = Finding(
          kind: .leftover, path: "staging/\(run.description)", action: .removed)
        findings.append(removed < count ? postponed(finding) : finding)
      }
    }
    for name in try Removal(folders: folders, ledger: ledger).trash() {
      findings.append(try takeFromTrash(name, dryRun))
    }
    return findings
  }

  // MARK: Full recovery

  /// A changed document cannot be repaired: a check reports it.
  private func reconcile(_ finding: Finding, _ dryRun: Bool) throws(SettleError) -> Finding? {
    guard let id = finding.id else { return nil }
    var done = finding
    switch finding.kind {
    case .missing:
      done.action = .hidden
      if !dryRun {
        try Reserve.lend(folders) { () throws(SettleError) in try ledger.markMissing(id) }
      }
    case .returned:
      done.action = .restored
      if !dryRun {
        try Reserve.lend(folders) { () throws(SettleError) in try ledger.restore(id) }
      }
    case .unreadable: break
    case .interrupted, .unrecorded, .leftover, .unfinishedRemoval, .changed, .unknown: return nil
    }
    return done
  }

  private func quarantine(_ location: DocumentLocation) throws(SettleError) {
    try attempt(location.path) { () throws(FileError) in
      try folders.inShard(location.shard) { (shard) throws(FileError) in
        try quarantine(location.name, in: shard)
      }
    }
  }

  func quarantine(_ name: FileName, in folder: Handle) throws(FileError) {
    do throws(FileError) {
      try files.publish(name, in: folder, as: name, in: folders.quarantine)
    } catch {
      // The same name was quarantined before: the new file gets a name of its own.
      guard error.isExisting else { throw error }
      let other = FileName(own: "\(name.description).\(options.time.makeID())")
      try files.publish(name, in: folder, as: other, in: folders.quarantine)
    }
    try files.syncFolder(folders.quarantine)
    try files.syncFolder(folder)
  }

  // MARK: Errors

  private func damaged(_ row: LedgerEntry) -> SettleError {
    SettleError(.ledgerDamaged, stage: .record, subject: folders.path.bytes, detail: row.path)
  }

  private func attempt<Value>(
    _ path: String, _ body: () throws(FileError) -> Value
  ) throws(SettleError) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw SettleError(
        error, stage: .publication, subject: folders.path.appending(path.utf8).bytes)
    }
  }
}
