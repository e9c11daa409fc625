import SettleCore

/// How many entries are in one state, and their size.
package struct StateCount: Sendable, Hashable {
  /// Entries.
  package var entries: Int
  /// Bytes of their files.
  package var byteCount: Int64
}

// Questions. Each reads one moment of the ledger and changes nothing.
extension Ledger {
  /// Entries with this content whose file is or was published: available and missing.
  package func available(sha256: [UInt8]) throws(SettleError) -> [LedgerEntry] {
    try entries(
      "sha256 = ? AND state IN ('available', 'missing') ORDER BY sequence", [.blob(sha256)])
  }

  /// The entry with an id, in any state.
  package func entry(id: EntryID) throws(SettleError) -> LedgerEntry? {
    try entries("id = ?", [.text(id.description)]).first
  }

  /// The next entries in one state, in the order in which they were made.
  ///
  /// A listing asks again with the last sequence until it gets fewer than `limit`, so that it needs
  /// memory for one page only.
  package func entries(
    afterSequence sequence: Int64 = 0, limit: Int, state: EntryState = .available
  ) throws(SettleError) -> [LedgerEntry] {
    try entries(
      "sequence > ? AND state = ? ORDER BY sequence LIMIT ?",
      [.integer(sequence), .text(state.rawValue), .integer(Int64(limit))])
  }

  /// The largest sequence number that was ever given; 0 in a new ledger.
  package func highestSequence() throws(SettleError) -> Int64 {
    try read { (connection) throws(SettleError) in
      try connection.integer(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entries'), 0)")
    }
  }

  /// What a crash may have left: pending and deleting entries.
  package func unfinished() throws(SettleError) -> [LedgerEntry] {
    try entries(Self.unsettled + " AND state IN ('pending', 'deleting') ORDER BY sequence")
  }

  /// Entries and bytes by state; states without entries are absent.
  package func counts() throws(SettleError) -> [EntryState: StateCount] {
    let rows = try read { (connection) throws(SettleError) in
      try connection.rows("SELECT state, count(*), total(bytes) FROM entries GROUP BY state") {
        (row) throws(SettleError) in
        (row.text(0), StateCount(entries: Int(row.integer(1)), byteCount: row.integer(2)))
      }
    }
    var counts: [EntryState: StateCount] = [:]
    for (name, count) in rows {
      // The table's CHECK allows no other state.
      if let state = EntryState(rawValue: name) { counts[state] = count }
    }
    return counts
  }

  /// A small fact that outlives the process, such as the next shard.
  package func fact(_ key: String) throws(SettleError) -> String? {
    try read { (connection) throws(SettleError) in
      try connection.rows("SELECT value FROM facts WHERE key = ?", [.text(key)]) {
        (row) throws(SettleError) in row.text(0)
      }.first
    }
  }

  /// Replaces a fact.
  package func setFact(_ key: String, to value: String) throws(SettleError) {
    try write { (connection) throws(SettleError) in
      try connection.run(
        "INSERT INTO facts VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [.text(key), .text(value)])
    }
  }

  /// What SQLite finds wrong with the file; empty when nothing is. Reads all of it.
  package func integrityCheck() throws(SettleError) -> [String] {
    try read { (connection) throws(SettleError) in
      try connection.rows("PRAGMA integrity_check") { (row) throws(SettleError) in row.text(0) }
        .filter { $0 != "ok" }
    }
  }

  /// How SQLite would find entries, for tests: a recovery must not read a million rows.
  func plan(_ condition: String, _ values: [Value] = []) throws(SettleError) -> String {
    try read { (connection) throws(SettleError) in
      try connection.rows("EXPLAIN QUERY PLAN " + Self.selecting(condition), []) {
        (row) throws(SettleError) in row.text(3)
      }.joined(separator: "; ")
    }
  }

  /// Exactly the condition of the partial index, so that it is used.
  static let unsettled = "state NOT IN ('available', 'failed')"

  private static func selecting(_ condition: String) -> String {
    "SELECT \(LedgerEntry.columns) FROM entries WHERE \(condition)"
  }

  private func entries(
    _ condition: String, _ values: [Value] = []
  ) throws(SettleError) -> [LedgerEntry] {
    try read { (connection) throws(SettleError) in
      try connection.rows(Self.selecting(condition), values) { (row) throws(SettleError) in
        try LedgerEntry(row)
      }
    }
  }
}
