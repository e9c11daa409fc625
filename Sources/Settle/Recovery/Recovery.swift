import SettleCore
import SettleFiles
import SettleLedger
import SettleVerify

/// Repairs what a crash left, under the writer lock (IMP-8, FIL-8).
///
/// | Found | Done | Function |
/// |---|---|---|
/// | pending entry, staging file or nothing | staging removed, entry failed(interrupted) | `settle` |
/// | pending entry, final file | verified, hashed, recorded; bad: quarantine and failed | `complete` |
/// | hidden entry | file to the trash, folder synced, entry removed, trash emptied | `Removal` |
/// | staging or trash without an entry | removed | `clean` |
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

  private var files: any FileSystem { folders.files }

  /// Repairs, or only reports when `dryRun` is set.
  func run(
    dryRun: Bool, isFull: Bool, onFinding: (Finding) -> Void
  ) throws(SettleError) -> RecoveryReport {
    var report = RecoveryReport()
    func note(_ finding: Finding) {
      report.counts[finding.kind, default: 0] += 1
      onFinding(finding)
    }
    for row in try ledger.unfinished() {
      note(row.state == .pending ? try settle(row, dryRun) : try finishRemoval(row, dryRun))
    }
    for finding in try clean(dryRun) { note(finding) }
    guard isFull else { return report }
    // Collected first: changing the ledger while its pages are read could skip entries.
    var found: [Finding] = []
    var unknown: [(Finding, DocumentLocation)] = []
    let survey = Survey(folders: folders, ledger: ledger)
    try survey.entries(isDeep: false) { (finding) throws(SettleError) in found.append(finding) }
    try survey.unknownFiles { (finding, location) throws(SettleError) in
      unknown.append((finding, location))
    }
    for finding in found {
      if let done = try reconcile(finding, dryRun) { note(done) }
    }
    for (finding, location) in unknown {
      var done = finding
      done.action = .quarantined
      if !dryRun { try quarantine(location) }
      note(done)
    }
    return report
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

  /// A published file is whole: it was synced before it got its name. It is verified all the same.
  private func complete(
    _ row: LedgerEntry, _ location: DocumentLocation, _ dryRun: Bool
  ) throws(SettleError) -> Finding {
    var finding = Finding(kind: .unrecorded, id: row.id, path: row.path, action: .completed)
    if dryRun { return finding }
    let verdict: Verdict
    do throws(SettleError) {
      verdict = try verifier.verify(folders.path.appending(row.path.utf8)) { false }
    } catch {
      guard error.code == .toolMissing else { throw error }
      finding.action = .postponed
      return finding
    }
    var batch = LedgerBatch()
    switch verdict {
    case .accepted(let pageCount, let flags):
      let content = try contentOf(row, location)
      var publication = Publication(
        id: row.id, path: row.path, byteCount: content.byteCount, sha256: content.digest)
      publication.pageCount = pageCount
      publication.flags = flags.map(\.rawValue).sorted()
      publication.engine = verifier.engine
      publication.importedAt = Int64(options.time.milliseconds)
      batch.published = [publication]
    case .refused(let code, _):
      try quarantine(location)
      batch.failed = [Failure(id: row.id, code: code, stage: .verification)]
      finding.action = .quarantined
    case .cancelled: preconditionFailure("recovery is not cancelled")
    }
    try Reserve.lend(folders) { () throws(SettleError) in try ledger.settle(batch) }
    return finding
  }

  /// The name may not be durable yet: its folders are synced before the entry says available.
  private func contentOf(
    _ row: LedgerEntry, _ location: DocumentLocation
  ) throws(SettleError) -> (byteCount: Int64, digest: [UInt8]) {
    try attempt(row.path) { () throws(FileError) in
      let content = try Survey(folders: folders, ledger: ledger).content(of: location)
      try files.syncFolder(folders.shard(location.shard, makes: true))
      return content
    }
  }

  // MARK: Hidden entries, leftovers

  private func finishRemoval(_ row: LedgerEntry, _ dryRun: Bool) throws(SettleError) -> Finding {
    if !dryRun { try Removal(folders: folders, ledger: ledger).finish([row]) }
    return Finding(kind: .unfinishedRemoval, id: row.id, path: row.path, action: .removed)
  }

  private func clean(_ dryRun: Bool) throws(SettleError) -> [Finding] {
    var findings: [Finding] = []
    let cleaner = StagingCleaner(folders: folders)
    for run in try cleaner.runs() {
      let count = cleaner.fileCount(run)
      if !dryRun { cleaner.remove(run) }
      if count > 0 {
        findings.append(
          Finding(kind: .leftover, path: "staging/\(run.description)", action: .removed))
      }
    }
    for name in try Removal(folders: folders, ledger: ledger).trash() {
      let path = "trash/\(name.description)"
      if !dryRun {
        try attempt(path) { () throws(FileError) in try files.remove(name, in: folders.trash) }
      }
      findings.append(Finding(kind: .leftover, path: path, action: .removed))
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
    case .interrupted, .unrecorded, .leftover, .unfinishedRemoval, .changed, .unknown: return nil
    }
    return done
  }

  private func quarantine(_ location: DocumentLocation) throws(SettleError) {
    try attempt(location.path) { () throws(FileError) in
      let shard = try folders.shard(location.shard)
      do throws(FileError) {
        try files.publish(location.name, in: shard, as: location.name, in: folders.quarantine)
      } catch {
        // The same name was quarantined before: the new file gets a name of its own.
        guard error.isExisting else { throw error }
        let other = FileName(own: "\(location.name.description).\(options.time.makeID())")
        try files.publish(location.name, in: shard, as: other, in: folders.quarantine)
      }
      try files.syncFolder(folders.quarantine)
      try files.syncFolder(shard)
    }
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
