import CSQLite
import SettleCore
import Synchronization

/// The durable record of a library.
///
/// What it keeps true, by clause:
/// - IMP-7: an entry is pending before its file has a name, and listed only when available.
/// - FIL-8: each call is one transaction, so that a crash leaves all of it or nothing.
/// - IMP-9: a state without its facts (size, hash, pages, time) cannot be written.
///
/// | Transition | Function |
/// |---|---|
/// | nothing → pending | ``addPending(_:)``, ``settle(_:)`` |
/// | pending → available, failed or nothing | ``settle(_:)`` |
/// | pending → failed(interrupted) | ``interrupt(_:)`` |
/// | available → missing, missing → available | ``markMissing(_:)``, ``restore(_:)`` |
/// | available or missing → deleting → nothing | ``hide(_:)``, ``remove(_:)`` |
/// | deleting → available or missing | ``takeBackHiding(_:to:)`` |
/// | failed → nothing | ``addPending(_:)``, ``settle(_:)``, for a source that is imported again |
///
/// Every transition names the state that it leaves; when the entry is in another one, nothing of
/// the call is done. One process writes and checkpoints; readers never checkpoint, which keeps them
/// out of the write-ahead-log race of SQLite before 3.51.3.
package final class Ledger: Sendable {
  /// What a ledger is opened for.
  package enum Access: Sendable, Hashable {
    /// Makes the file, migrates it and changes it. The caller holds the library's lock.
    case writer
    /// Only reads, beside a writer or alone.
    case reader
  }

  private let connection: Mutex<Connection?>

  /// Opens the ledger at a path.
  ///
  /// - Throws: `noLibrary`, `newerFormat`, `ledgerDamaged`, `libraryBusy`, `permissionDenied`,
  ///   `noSpace` or `ioError`.
  package init(path: [UInt8], for access: Access) throws(SettleError) {
    let opened =
      switch access {
      case .writer: try Self.openWriter(path)
      case .reader: try Self.openReaderOnAnyDisk(path)
      }
    connection = Mutex(opened)
  }

  /// True when there is a file without a byte: a ledger that was emptied, or one that is just made.
  package static func isEmptyFile(at path: [UInt8]) -> Bool {
    Connection.byteCount(ofFileAt: path) == 0
  }

  private static func openWriter(_ path: [UInt8]) throws(SettleError) -> sending Connection {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let connection: Connection
    do throws(SettleError) {
      connection = try Connection(path: path, flags: flags)
    } catch {
      // SQLite tries again without the right to write, so that a folder in which no file can be
      // made looks like one without the file.
      var named = error
      if named.code == .noLibrary { named.code = .permissionDenied }
      throw named
    }
    connection.waitWhenBusy(milliseconds: 5000)
    // Nothing is written before it is known that the file is ours.
    _ = try Schema.checkedVersion(connection, path: path)
    let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }.first
    guard mode == "wal" else {
      throw SettleError(
        .ioError, stage: .record, subject: path, detail: "no write-ahead log is possible here")
    }
    // FULL: a record that was reported survives a power loss. The two fullfsync settings matter on
    // Apple platforms, where a plain fsync leaves the drive's cache alone.
    try connection.execute(
      """
      PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1;
      PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 4194304;
      """)
    try Schema.migrate(connection, path: path)
    return connection
  }

  /// On a full disk there may be no room for `ledger.sqlite-shm`. A ledger that nobody else has
  /// open is read without it (FIL-7); who has it open has made that file.
  private static func openReaderOnAnyDisk(
    _ path: [UInt8]
  ) throws(SettleError) -> sending Connection {
    do throws(SettleError) {
      return try openReader(path, sharesIndex: true)
    } catch {
      guard error.code == .noSpace else { throw error }
      return try openReader(path, sharesIndex: false)
    }
  }

  /// Reading needs `ledger.sqlite-shm` beside the ledger: without one and without the right to make
  /// it, this throws `permissionDenied`.
  private static func openReader(
    _ path: [UInt8], sharesIndex: Bool
  ) throws(SettleError) -> sending Connection {
    let access = sharesIndex ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let connection = try Connection(path: path, flags: access | SQLITE_OPEN_NOMUTEX)
    connection.waitWhenBusy(milliseconds: 5000)
    if !sharesIndex { try connection.keepIndexInMemory() }
    // A connection that may not write cannot checkpoint either; these two say so as well, since
    // the race in the log is worth a second lock on the door.
    try connection.leaveLogOnClose()
    try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF;")
    let version = try Schema.checkedVersion(connection, path: path)
    guard version > 0 else {
      throw SettleError(.noLibrary, stage: .record, subject: path, detail: "the ledger is empty")
    }
    guard version == Schema.migrations.count else {
      throw SettleError(
        .needsRecovery, stage: .record, subject: path, detail: "format \(version) is older")
    }
    return connection
  }

  /// Ends the connection; every later call fails. A writer writes its log back first.
  package func close() {
    connection.withLock { $0 = nil }
  }

  /// Lends the connection. The body is Sendable so that nothing of the connection can leave it.
  func read<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SettleError) -> Result
  ) throws(SettleError) -> Result {
    try connection.withLock { (connection: inout Connection?) throws(SettleError) -> Result in
      guard let connection else {
        throw SettleError(.unexpected, stage: .record, detail: "the ledger is closed")
      }
      return try body(connection)
    }
  }

  /// Lends the connection inside one transaction.
  func write<Result: Sendable>(
    _ body: @Sendable (Connection) throws(SettleError) -> Result
  ) throws(SettleError) -> Result {
    try read { (connection) throws(SettleError) -> Result in
      try connection.transaction { () throws(SettleError) in try body(connection) }
    }
  }
}
