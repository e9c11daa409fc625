import SettleCore

// Transitions of entries; the table is in Ledger.swift. Each call is one transaction.
//
// **After a crash** all of a call is recorded or nothing of it.
extension Ledger {
  /// Promises entries before their files exist.
  package func addPending(_ entries: [PendingEntry]) throws(SettleError) {
    if entries.isEmpty { return }
    try write { (connection) throws(SettleError) in try connection.insert(entries) }
  }

  /// Records how a group of items ended and promises the next group.
  package func settle(_ batch: LedgerBatch) throws(SettleError) {
    if batch.isEmpty { return }
    try write { (connection) throws(SettleError) in
      for publication in batch.published { try connection.publish(publication) }
      for failure in batch.failed { try connection.fail(failure) }
      for id in batch.forgotten {
        try connection.change(id, "DELETE FROM entries WHERE id = ? AND state = 'pending'")
      }
      for id in batch.restored { try connection.restore(id) }
      try connection.insert(batch.pending)
    }
  }

  /// Pending entries become failed, because an earlier run ended before they did. Their staging
  /// files must be gone before.
  package func interrupt(_ ids: [EntryID]) throws(SettleError) {
    var batch = LedgerBatch()
    batch.failed = ids.map { Failure(id: $0, code: .interrupted, stage: nil) }
    try settle(batch)
  }

  /// Takes entries out of the list before their files are removed.
  package func hide(_ ids: [EntryID]) throws(SettleError) {
    try change(
      ids,
      """
      UPDATE entries SET state = 'deleting'
      WHERE id = ? AND state IN ('available', 'missing')
      """)
  }

  /// Lists hidden entries again whose files could not be taken away.
  package func takeBackHiding(_ ids: [EntryID], to state: EntryState) throws(SettleError) {
    try change(
      ids, "UPDATE entries SET state = '\(state.rawValue)' WHERE id = ? AND state = 'deleting'")
  }

  /// Forgets hidden entries whose files are gone.
  package func remove(_ ids: [EntryID]) throws(SettleError) {
    try change(ids, "DELETE FROM entries WHERE id = ? AND state = 'deleting'")
  }

  /// Takes an entry out of the list because its file is gone.
  package func markMissing(_ id: EntryID) throws(SettleError) {
    try change([id], "UPDATE entries SET state = 'missing' WHERE id = ? AND state = 'available'")
  }

  /// Lists an entry again because its file is back.
  package func restore(_ id: EntryID) throws(SettleError) {
    try write { (connection) throws(SettleError) in try connection.restore(id) }
  }

  private func change(_ ids: [EntryID], _ text: String) throws(SettleError) {
    if ids.isEmpty { return }
    try write { (connection) throws(SettleError) in
      for id in ids { try connection.change(id, text) }
    }
  }
}

extension Connection {
  /// Runs a guarded change of one entry; its id is the last question mark.
  func change(_ id: EntryID, _ text: String, _ values: [Value] = []) throws(SettleError) {
    try run(text, values + [.text(id.description)])
    guard changedRowCount == 1 else {
      throw SettleError(
        .unexpected, stage: .record, subject: Array(id.description.utf8),
        detail: "the entry is not in the state that this change leaves")
    }
  }

  func restore(_ id: EntryID) throws(SettleError) {
    try change(id, "UPDATE entries SET state = 'available' WHERE id = ? AND state = 'missing'")
  }

  /// A new promise takes the place of earlier failures of the same source.
  func insert(_ entries: [PendingEntry]) throws(SettleError) {
    for entry in entries {
      try run("DELETE FROM entries WHERE source = ? AND state = 'failed'", [.blob(entry.source)])
      try run(
        """
        INSERT INTO entries (id, state, run, name, path, staging, source, source_bytes,
          source_modified, type) VALUES (?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .text(entry.id.description), .text(entry.run.description), .blob(entry.name),
          .text(entry.path), .text(entry.staging), .blob(entry.source),
          .integer(entry.sourceByteCount), .integer(entry.sourceModified), .text(entry.type),
        ])
    }
  }

  func publish(_ publication: Publication) throws(SettleError) {
    try change(
      publication.id,
      """
      UPDATE entries SET state = 'available', staging = NULL, path = ?, bytes = ?, sha256 = ?,
        pages = ?, flags = ?, engine = ?, imported_at = ? WHERE state = 'pending' AND id = ?
      """,
      [
        .text(publication.path), .integer(publication.byteCount), .blob(publication.sha256),
        .integer(Int64(publication.pageCount)), .text(publication.flags.joined(separator: ",")),
        .text(publication.engine), .integer(publication.importedAt),
      ])
  }

  func fail(_ failure: Failure) throws(SettleError) {
    try change(
      failure.id,
      """
      UPDATE entries SET state = 'failed', staging = NULL, failure_code = ?, failure_stage = ?
      WHERE state = 'pending' AND id = ?
      """,
      [.text(failure.code.rawValue), Value(failure.stage?.rawValue)])
  }
}
