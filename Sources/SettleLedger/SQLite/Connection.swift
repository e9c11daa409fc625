import CSQLite
import SettleCore

/// One SQLite connection with its prepared statements. Not thread safe: ``Ledger`` guards it.
final class Connection {
  private let handle: OpaquePointer
  private let path: [UInt8]
  private var statements: [String: Statement] = [:]

  /// Opens a file; `flags` are SQLite's. A file that is made is its owner's only, and so are the
  /// files that SQLite puts beside it. A link is not followed and a pipe is not waited for.
  init(path: [UInt8], flags: Int32) throws(SettleError) {
    let name = Self.resolved(path)
    if settle_sqlite_file_size(name) == -2 { throw Self.notAFile(path) }
    var opened: OpaquePointer?
    if flags & SQLITE_OPEN_CREATE != 0 { settle_sqlite_create_private(name) }
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOFOLLOW, nil)
    guard let opened else {
      throw SettleError(.ioError, stage: .record, subject: path, detail: "SQLite has no memory")
    }
    sqlite3_extended_result_codes(opened, 1)
    handle = opened
    self.path = path
    // From here on, deinit closes the handle, also when this throws.
    if settle_sqlite_is_link(opened) != 0 { throw Self.notAFile(path) }
    if code != SQLITE_OK { throw failure("sqlite3_open_v2", sqlite3_extended_errcode(opened)) }
  }

  /// The size of the file at a path; nil when no regular file can be seen there.
  static func byteCount(ofFileAt path: [UInt8]) -> Int64? {
    let size = settle_sqlite_file_size(resolved(path))
    return size < 0 ? nil : size
  }

  /// The path as SQLite gets it, with a terminating zero and without a link in its folder.
  private static func resolved(_ path: [UInt8]) -> [CChar] {
    // A leading "./" keeps SQLite from reading a name such as ":memory:" or "file:x" as its own.
    let absolute = path.first == UInt8(ascii: "/")
    let name = ((absolute ? path : Array("./".utf8) + path) + [0]).map(CChar.init(bitPattern:))
    var room = [CChar](repeating: 0, count: Int(settle_sqlite_longest_path()))
    return settle_sqlite_resolve_folder(name, &room) == 1 ? room : name
  }

  private static func notAFile(_ path: [UInt8]) -> SettleError {
    SettleError(.ledgerDamaged, stage: .record, subject: path, detail: "it is no regular file")
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// How many rows the last statement changed.
  var changedRowCount: Int { Int(sqlite3_changes(handle)) }

  /// Closing this connection leaves the write-ahead log as it is.
  func leaveLogOnClose() throws(SettleError) {
    let code = settle_sqlite_no_checkpoint_on_close(handle)
    if code != SQLITE_OK { throw failure("sqlite3_db_config", code) }
  }

  /// Keeps the log's index in this process's memory, which takes the file for itself: for a disk
  /// without room for the shared one.
  func keepIndexInMemory() throws(SettleError) {
    try execute("PRAGMA locking_mode = EXCLUSIVE")
  }

  /// Waits this long for another process before `libraryBusy`.
  func waitWhenBusy(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs statements that return nothing and have nothing to bind.
  func execute(_ text: String) throws(SettleError) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    if code != SQLITE_OK { throw failure("sqlite3_exec", code) }
  }

  /// A prepared statement, kept for the next time.
  func prepared(_ text: String) throws(SettleError) -> Statement {
    if let known = statements[text] { return known }
    var made: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made else { throw failure("sqlite3_prepare_v3", code) }
    let statement = Statement(made)
    statements[text] = statement
    return statement
  }

  /// Runs a statement to its end, with a value for each of its question marks.
  func run(_ text: String, _ values: [Value] = []) throws(SettleError) {
    let statement = try prepared(text)
    defer { statement.reset() }
    try bind(values, to: statement)
    while try step(statement) {}
  }

  /// Reads each row that a statement returns.
  func rows<Row>(
    _ text: String, _ values: [Value] = [], _ read: (Statement) throws(SettleError) -> Row
  ) throws(SettleError) -> [Row] {
    let statement = try prepared(text)
    defer { statement.reset() }
    try bind(values, to: statement)
    var found: [Row] = []
    while try step(statement) { found.append(try read(statement)) }
    return found
  }

  /// The first column of the only row, as a number.
  func integer(_ text: String) throws(SettleError) -> Int64 {
    try rows(text) { $0.integer(0) }.first ?? 0
  }

  /// Runs the body as one transaction: all of it is durable when this returns, or none of it is.
  func transaction<Result>(
    _ body: () throws(SettleError) -> Result
  ) throws(SettleError) -> Result {
    try run("BEGIN IMMEDIATE")
    do throws(SettleError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Some failures have ended the transaction already. If rolling back fails too, the first
      // error is the one that tells why, and SQLite rolls back when the file is opened again.
      if sqlite3_get_autocommit(handle) == 0 {
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      }
      throw error
    }
  }

  private func bind(_ values: [Value], to statement: Statement) throws(SettleError) {
    for (index, value) in values.enumerated() {
      let code = statement.bind(value, at: Int32(index + 1))
      if code != SQLITE_OK { throw failure("sqlite3_bind", code) }
    }
  }

  private func step(_ statement: Statement) throws(SettleError) -> Bool {
    switch statement.step() {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure("sqlite3_step", code)
    }
  }

  /// A failed call in the words for users.
  private func failure(_ call: String, _ code: Int32) -> SettleError {
    let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
    return SettleError(
      errorCode(of: code), stage: .record, subject: path, detail: message,
      cause: SettleError.Cause(call: call, number: code))
  }

  private func errorCode(of extended: Int32) -> SettleError.Code {
    switch extended & 0xFF {
    case SQLITE_FULL: .noSpace
    case SQLITE_BUSY, SQLITE_LOCKED: .libraryBusy
    case SQLITE_IOERR:
      // SQLite does not keep the number of a shared memory file that found no room.
      extended == settle_sqlite_no_shared_memory() || settle_sqlite_is_disk_full(handle) != 0
        ? .noSpace : .ioError
    case SQLITE_NOTADB, SQLITE_CORRUPT: .ledgerDamaged
    case SQLITE_READONLY, SQLITE_PERM: .permissionDenied
    case SQLITE_CANTOPEN:
      switch settle_sqlite_open_refusal(handle) {
      case 1: .permissionDenied
      case 0: .noLibrary
      default: .ioError
      }
    default: .unexpected
    }
  }
}
