import SettleCore

/// Where an entry is now; the transitions are in ``Ledger``.
package enum EntryState: String, Sendable, Hashable, CaseIterable {
  /// Promised, not listed: its file may be being written.
  case pending
  /// Its file is published and verified.
  case available
  /// Its import failed.
  case failed
  /// Hidden; its file is being removed.
  case deleting
  /// Its file is gone.
  case missing
}

/// One entry as recorded (IMP-5).
package struct LedgerEntry: Sendable, Hashable {
  /// Grows with every entry and is never used again.
  package var sequence: Int64
  /// The entry's identity.
  package var id: EntryID
  /// Where the entry is now.
  package var state: EntryState
  /// The run that made the entry.
  package var run: RunID
  /// The display name, as bytes.
  package var name: [UInt8]
  /// The final path below the library.
  package var path: String
  /// The staging path below the library, while pending.
  package var staging: String?
  /// The source's path, as bytes: a description, never what the entry points to.
  package var source: [UInt8]
  /// The source's size when it was opened.
  package var sourceByteCount: Int64
  /// When the source was last changed, in nanoseconds since 1970.
  package var sourceModified: Int64
  /// The file's size; nil until published.
  package var byteCount: Int64?
  /// The file's SHA-256; nil until published.
  package var sha256: [UInt8]?
  /// The file's pages; nil until published.
  package var pageCount: Int?
  /// The content type, such as `application/pdf`.
  package var type: String
  /// Remarks of the verification, such as `repaired`.
  package var flags: [String]
  /// The verifying engine and its version; nil until published.
  package var engine: String?
  /// When the import ended, in milliseconds since 1970; nil until published.
  package var importedAt: Int64?
  /// The reason code of a failed entry.
  package var failureCode: SettleError.Code?
  /// The stage at which a failed entry failed.
  package var failureStage: SettleError.Stage?
}

extension LedgerEntry {
  /// The columns in the order in which ``init(_:)`` reads them.
  static let columns = """
    sequence, id, state, run, name, path, staging, source, source_bytes, source_modified, bytes, \
    sha256, pages, type, flags, engine, imported_at, failure_code, failure_stage
    """

  /// Reads the row that a statement is at.
  init(_ row: Statement) throws(SettleError) {
    guard let id = EntryID(row.text(1)), let state = EntryState(rawValue: row.text(2)),
      let run = RunID(row.text(3))
    else {
      throw SettleError(
        .ledgerDamaged, stage: .record, subject: Array(row.text(1).utf8),
        detail: "entry \(row.integer(0)) cannot be read")
    }
    self.init(
      sequence: row.integer(0), id: id, state: state, run: run, name: row.blob(4),
      path: row.text(5), staging: row.optionalText(6), source: row.blob(7),
      sourceByteCount: row.integer(8), sourceModified: row.integer(9),
      byteCount: row.optionalInteger(10), sha256: row.isNull(11) ? nil : row.blob(11),
      pageCount: row.optionalInteger(12).map { Int($0) }, type: row.text(13),
      flags: row.text(14).split(separator: ",").map(String.init), engine: row.optionalText(15),
      importedAt: row.optionalInteger(16),
      failureCode: row.optionalText(17).map(SettleError.Code.init(rawValue:)),
      failureStage: row.optionalText(18).flatMap(SettleError.Stage.init(rawValue:)))
  }
}

/// An entry to promise before its file exists.
package struct PendingEntry: Sendable, Hashable {
  /// The entry's identity.
  package var id: EntryID
  /// The run that makes it.
  package var run: RunID
  /// The display name, as bytes.
  package var name: [UInt8]
  /// The final path below the library.
  package var path: String
  /// The staging path below the library: the run's folder, the entry's id.
  package var staging: String
  /// The source's path, as bytes.
  package var source: [UInt8] = []
  /// The source's size.
  package var sourceByteCount: Int64 = 0
  /// When the source was last changed, in nanoseconds since 1970.
  package var sourceModified: Int64 = 0
  /// The content type.
  package var type = "application/pdf"

  /// An entry whose source is still to be described.
  package init(id: EntryID, run: RunID, name: [UInt8], path: String) {
    self.id = id
    self.run = run
    self.name = name
    self.path = path
    staging = "staging/\(run)/\(id)"
  }
}

/// What is recorded of a file once it is published.
package struct Publication: Sendable, Hashable {
  /// The pending entry.
  package var id: EntryID
  /// The file's path below the library.
  package var path: String
  /// The file's size.
  package var byteCount: Int64
  /// The file's SHA-256.
  package var sha256: [UInt8]
  /// The file's pages.
  package var pageCount: Int
  /// Remarks of the verification.
  package var flags: [String] = []
  /// The verifying engine and its version.
  package var engine = ""
  /// Milliseconds since 1970.
  package var importedAt: Int64 = 0

  /// A publication whose verdict and time are still to be added.
  package init(id: EntryID, path: String, byteCount: Int64, sha256: [UInt8]) {
    self.id = id
    self.path = path
    self.byteCount = byteCount
    self.sha256 = sha256
    pageCount = 1
  }
}

/// Why a pending entry failed.
package struct Failure: Sendable, Hashable {
  /// The pending entry.
  package var id: EntryID
  /// The reason code.
  package var code: SettleError.Code
  /// The stage that failed.
  package var stage: SettleError.Stage?

  /// Names the entry and the reason.
  package init(id: EntryID, code: SettleError.Code, stage: SettleError.Stage?) {
    self.id = id
    self.code = code
    self.stage = stage
  }
}

/// What one group of items changes, in one transaction.
package struct LedgerBatch: Sendable, Hashable {
  /// Pending entries that become available.
  package var published: [Publication] = []
  /// Pending entries that become failed.
  package var failed: [Failure] = []
  /// Pending entries that go without a trace.
  package var forgotten: [EntryID] = []
  /// Missing entries whose files are back.
  package var restored: [EntryID] = []
  /// New pending entries, for the next group. They replace earlier failures of their sources.
  package var pending: [PendingEntry] = []

  /// Changes nothing yet.
  package init() {}

  /// True when there is nothing to record.
  package var isEmpty: Bool {
    published.isEmpty && failed.isEmpty && forgotten.isEmpty && restored.isEmpty
      && pending.isEmpty
  }
}
