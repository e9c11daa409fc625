import SettleCore
import SettleFiles
import SettleLedger
import Synchronization

extension Library {
  /// Repairs what a crash left and compares every entry with its file (IMP-8).
  ///
  /// **After cancellation** of the task before the first repair it throws `cancelled` and has
  /// changed nothing; later it runs to its end, because each repair is short.
  /// **After a crash:** run it again; what was repaired stays so.
  /// - Parameters:
  ///   - dryRun: Only reports.
  ///   - onFinding: Called for each finding on a thread of the library.
  /// - Throws: `cancelled`, `libraryBusy`, `permissionDenied`, `ledgerDamaged`, `noSpace`,
  ///   `ioError`.
  /// - Complexity: linear in the number of entries.
  public func recover(
    dryRun: Bool = false, onFinding: @escaping @Sendable (Finding) -> Void = { _ in }
  ) async throws -> RecoveryReport {
    let recovery = Recovery(
      folders: folders, ledger: ledger, verifier: verifier, options: options)
    return try await cancellable(writing: "recovering") { (isCancelled) throws(SettleError) in
      if isCancelled() { throw SettleError(.cancelled, detail: "nothing was repaired") }
      return try recovery.run(dryRun: dryRun, isFull: true, onFinding: onFinding)
    }
  }

  /// Compares entries and files (IMP-13): missing, changed, unknown and unreadable files.
  /// Changes nothing.
  ///
  /// **After cancellation** of the task it ends early, and the report says so and holds what was
  /// found until then.
  /// - Parameters:
  ///   - deep: Reads and hashes every file; otherwise sizes are compared.
  ///   - onFinding: Called for each finding on a thread of the library.
  /// - Throws: `ledgerDamaged`, `ioError`.
  /// - Complexity: linear in the number of entries; deep, in their bytes.
  public func check(
    deep: Bool = false, onFinding: @escaping @Sendable (Finding) -> Void = { _ in }
  ) async throws -> CheckReport {
    let survey = Survey(folders: folders, ledger: ledger)
    return try await cancellable { (isCancelled) throws(SettleError) in
      var report = CheckReport()
      report.checkedCount = try survey.entries(isDeep: deep, isCancelled: isCancelled) {
        (finding, _) throws(SettleError) in
        report.counts[finding.kind, default: 0] += 1
        onFinding(finding)
      }
      try survey.unknownFiles(isCancelled: isCancelled) { (finding, _) throws(SettleError) in
        report.counts[finding.kind, default: 0] += 1
        onFinding(finding)
      }
      report.wasCancelled = isCancelled()
      return report
    }
  }

  /// Deletes entries and their files for good: hide, commit, then remove (IMP-13).
  ///
  /// All of the ids must exist, else nothing is done; the same when a file cannot be taken away.
  /// Works on a full disk. **After cancellation** of the task before the hiding is committed it
  /// throws `cancelled` and has changed nothing; later it runs to its end. **After a crash:**
  /// entries that were hidden are removed by the next open.
  /// - Returns: The bytes that were freed.
  /// - Throws: `noSuchEntry`, `cancelled`, `libraryBusy`, `permissionDenied`, `ledgerDamaged`,
  ///   `ioError`.
  @discardableResult
  public func remove(_ ids: [EntryID]) async throws -> Int64 {
    let (folders, ledger) = (folders, ledger)
    return try await cancellable(writing: "removing") { (isCancelled) throws(SettleError) in
      var rows: [LedgerEntry] = []
      var seen: Set<EntryID> = []
      for id in ids where seen.insert(id).inserted {
        guard let row = try ledger.entry(id: id),
          row.state == .available || row.state == .missing
        else { throw SettleError(.noSuchEntry, subject: Array(id.description.utf8)) }
        rows.append(row)
      }
      try Removal(folders: folders, ledger: ledger).remove(rows, isCancelled: isCancelled)
      return rows.reduce(0) { $0 + ($1.byteCount ?? 0) }
    }
  }

  /// Copies documents into a folder under safe display names; never replaces a file (IMP-13).
  ///
  /// Each copy appears under its name only when it is whole, durable and what was imported, and it
  /// is reported once its name is durable, too. **After cancellation** of the task: what was
  /// exported stays, nothing else is left, and the report says so. **After a crash:** the same, and
  /// perhaps one hidden file whose name begins with `.settle-`; the next export to that folder
  /// removes it.
  /// - Parameters:
  ///   - ids: The entries, or nil for all.
  ///   - folder: Where to, outside of the library; made with all above it when it is missing.
  ///   - onItem: Called for each document on a thread of the library, in small groups.
  /// - Throws: `noSuchEntry`, `missingFile`, `targetInLibrary`, `permissionDenied`, `noSpace`,
  ///   `ioError`.
  public func export(
    _ ids: [EntryID]?, to folder: BytePath,
    onItem: @escaping @Sendable (ExportedItem) -> Void = { _ in }
  ) async throws -> ExportReport {
    let export = Export(library: self, folder: folder)
    return try await cancellable { (isCancelled) throws(SettleError) in
      try export.run(ids, isCancelled: isCancelled, onItem: onItem)
    }
  }

  /// Runs blocking work on a thread of its own and tells it when the task was cancelled. Work that
  /// writes has a name.
  private func cancellable<Value: Sendable>(
    writing work: String? = nil,
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    let flag = CancelFlag()
    let result: Result<Value, SettleError> = await withTaskCancellationHandler {
      do throws(SettleError) {
        guard let work else {
          return .success(
            try await reading { () throws(SettleError) in try body { flag.isSet } })
        }
        return .success(
          try await writing(work) { () throws(SettleError) in try body { flag.isSet } })
      } catch { return .failure(error) }
    } onCancel: {
      flag.set()
    }
    return try result.get()
  }
}

/// A flag that a task's cancellation sets for a thread.
private final class CancelFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
