import SettleCore

/// The ledger's format. Migrations are only ever appended; the file says how many it has had.
enum Schema {
  /// Marks the file as a ledger of Settle: "Setl".
  static let applicationID: Int64 = 0x5365_746C

  /// Each entry brings a ledger from version `index` to `index + 1`.
  static let migrations = [entriesRunsAndFacts]

  // A CHECK passes when it is null, hence every "is not null".
  private static let entriesRunsAndFacts = """
    CREATE TABLE entries (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) = 26),
      state TEXT NOT NULL
        CHECK (state IN ('pending', 'available', 'failed', 'deleting', 'missing')),
      run TEXT NOT NULL,
      name BLOB NOT NULL CHECK (typeof(name) = 'blob'),
      path TEXT NOT NULL CHECK (path <> '' AND path NOT LIKE '/%'),
      staging TEXT,
      source BLOB NOT NULL CHECK (typeof(source) = 'blob'),
      source_bytes INTEGER NOT NULL,
      source_modified INTEGER NOT NULL,
      bytes INTEGER CHECK (bytes >= 0),
      sha256 BLOB CHECK (sha256 IS NULL OR (typeof(sha256) = 'blob' AND length(sha256) = 32)),
      pages INTEGER,
      type TEXT NOT NULL,
      flags TEXT NOT NULL DEFAULT '',
      engine TEXT,
      imported_at INTEGER,
      failure_code TEXT,
      failure_stage TEXT,
      CHECK (state NOT IN ('available', 'missing', 'deleting') OR (bytes IS NOT NULL
        AND sha256 IS NOT NULL AND pages IS NOT NULL AND pages >= 1
        AND imported_at IS NOT NULL)),
      CHECK (state <> 'pending' OR staging IS NOT NULL),
      CHECK (state <> 'failed' OR failure_code IS NOT NULL)
    ) STRICT;
    CREATE INDEX entries_by_content ON entries (sha256) WHERE state IN ('available', 'missing');
    CREATE INDEX entries_unsettled ON entries (state) WHERE state NOT IN ('available', 'failed');
    CREATE INDEX entries_failed ON entries (source) WHERE state = 'failed';
    CREATE TABLE runs (
      id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 26),
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      state TEXT NOT NULL CHECK (state IN
        ('waiting', 'running', 'cancelling', 'cancelled', 'failed', 'succeeded')),
      succeeded INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0,
      cancelled INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      CHECK (ended_at IS NULL OR state IN ('cancelled', 'failed', 'succeeded'))
    ) STRICT;
    CREATE TABLE facts (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;
    """

  /// Refuses a file that is no ledger, or one that a newer version wrote; returns its version.
  static func checkedVersion(
    _ connection: Connection, path: [UInt8]
  ) throws(SettleError) -> Int {
    let version = try connection.integer("PRAGMA user_version")
    let application = try connection.integer("PRAGMA application_id")
    let tables = try connection.integer("SELECT count(*) FROM sqlite_master")
    let isFresh = version == 0 && application == 0 && tables == 0
    guard isFresh || application == applicationID else {
      throw SettleError(
        .ledgerDamaged, stage: .record, subject: path, detail: "a database of another program")
    }
    guard version <= migrations.count else {
      throw SettleError(
        .newerFormat, stage: .record, subject: path,
        detail: "format \(version), this version reads up to \(migrations.count)")
    }
    return Int(version)
  }

  /// Brings a ledger up to date, one transaction for each version.
  static func migrate(_ connection: Connection, path: [UInt8]) throws(SettleError) {
    while try checkedVersion(connection, path: path) < migrations.count {
      try connection.transaction { () throws(SettleError) in
        // Asked again inside the transaction: another process may have been faster.
        let version = try checkedVersion(connection, path: path)
        guard version < migrations.count else { return }
        try connection.execute(migrations[version])
        try connection.execute("PRAGMA application_id = \(applicationID)")
        try connection.execute("PRAGMA user_version = \(version + 1)")
      }
    }
  }
}
