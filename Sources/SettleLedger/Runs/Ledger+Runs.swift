import SettleCore

/// One run as recorded.
package struct LedgerRun: Sendable, Hashable {
  /// The run.
  package var id: RunID
  /// Milliseconds since 1970.
  package var startedAt: Int64
  /// Milliseconds since 1970; nil while it runs, and for a run that a crash ended.
  package var endedAt: Int64?
  /// Where the run is, or how it ended.
  package var state: RunState
  /// Items by outcome.
  package var counts = OutcomeCounts()
  /// Bytes published.
  package var byteCount: Int64 = 0

  /// A run that starts.
  package init(id: RunID, startedAt: Int64) {
    self.id = id
    self.startedAt = startedAt
    state = .running
  }
}

extension Ledger {
  /// Records that a run starts.
  package func beginRun(_ id: RunID, startedAt: Int64) throws(SettleError) {
    try write { (connection) throws(SettleError) in
      try connection.run(
        "INSERT INTO runs (id, started_at, state) VALUES (?, ?, 'running')",
        [.text(id.description), .integer(startedAt)])
    }
  }

  /// Records how a run ended: its end, final state, counts and bytes. A run ends once.
  package func endRun(_ run: LedgerRun) throws(SettleError) {
    try write { (connection) throws(SettleError) in
      try connection.change(
        run.id,
        """
        UPDATE runs SET ended_at = ?, state = ?, succeeded = ?, failed = ?, skipped = ?,
          cancelled = ?, bytes = ? WHERE ended_at IS NULL AND id = ?
        """,
        [
          run.endedAt.map { .integer($0) } ?? .null, .text(run.state.rawValue),
          .integer(Int64(run.counts.succeeded)), .integer(Int64(run.counts.failed)),
          .integer(Int64(run.counts.skipped)), .integer(Int64(run.counts.cancelled)),
          .integer(run.byteCount),
        ])
    }
  }

  /// Ends the runs that a crash ended: they failed, with what the entries tell of their items.
  package func endCrashedRuns(at time: Int64) throws(SettleError) {
    let isNeeded = try read { (connection) throws(SettleError) in
      try connection.integer("SELECT EXISTS (SELECT 1 FROM runs WHERE ended_at IS NULL)") == 1
    }
    guard isNeeded else { return }
    try write { (connection) throws(SettleError) in
      try connection.run(
        """
        UPDATE runs SET ended_at = ?, state = 'failed',
          succeeded = (SELECT count(*) FROM entries WHERE run = runs.id
            AND state IN ('available', 'missing', 'deleting')),
          failed = (SELECT count(*) FROM entries WHERE run = runs.id AND state = 'failed'),
          bytes = (SELECT coalesce(sum(bytes), 0) FROM entries WHERE run = runs.id
            AND state IN ('available', 'missing', 'deleting'))
        WHERE ended_at IS NULL
        """, [.integer(time)])
    }
  }

  /// The newest runs, newest first.
  package func lastRuns(_ limit: Int) throws(SettleError) -> [LedgerRun] {
    try read { (connection) throws(SettleError) in
      try connection.rows(
        """
        SELECT id, started_at, ended_at, state, succeeded, failed, skipped, cancelled, bytes
        FROM runs ORDER BY id DESC LIMIT ?
        """, [.integer(Int64(limit))]
      ) { (row) throws(SettleError) in try LedgerRun(row) }
    }
  }
}

extension LedgerRun {
  init(_ row: Statement) throws(SettleError) {
    guard let id = RunID(row.text(0)), let state = RunState(rawValue: row.text(3)) else {
      throw SettleError(
        .ledgerDamaged, stage: .record, subject: Array(row.text(0).utf8),
        detail: "a run cannot be read")
    }
    self.init(id: id, startedAt: row.integer(1))
    endedAt = row.optionalInteger(2)
    self.state = state
    counts.succeeded = Int(row.integer(4))
    counts.failed = Int(row.integer(5))
    counts.skipped = Int(row.integer(6))
    counts.cancelled = Int(row.integer(7))
    byteCount = row.integer(8)
  }
}
