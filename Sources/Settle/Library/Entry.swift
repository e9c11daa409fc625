import SettleCore
import SettleFiles
import SettleLedger
import SettleVerify

/// A document that the library owns (IMP-5).
public struct Entry: Sendable, Hashable {
  /// Its identity.
  public var id: EntryID
  /// The name it had where it was imported from, as bytes. Never used as a path.
  public var name: [UInt8]
  /// Where its file is, relative to the library's folder.
  public var path: String
  /// Its size.
  public var byteCount: Int64
  /// SHA-256 of its content, 32 bytes.
  public var sha256: [UInt8]
  /// How many pages it has.
  public var pageCount: Int
  /// What the verifier noticed.
  public var flags: [Verdict.Flag]
  /// Engine and version that verified it.
  public var engine: String
  /// When it was imported, in milliseconds since 1970.
  public var importedAt: Int64
  /// The run that imported it.
  public var run: RunID
  /// The path it was imported from: a description, never followed (IMP-1).
  public var source: BytePath
}

extension Entry {
  /// Reads a row; nil when the row is not an available document with all its fields.
  init?(_ row: LedgerEntry) {
    guard let byteCount = row.byteCount, let sha256 = row.sha256, let pageCount = row.pageCount,
      let importedAt = row.importedAt
    else { return nil }
    id = row.id
    run = row.run
    self.byteCount = byteCount
    self.sha256 = sha256
    self.pageCount = pageCount
    self.importedAt = importedAt
    name = row.name
    path = row.path
    flags = row.flags.compactMap { Verdict.Flag(rawValue: $0) }
    engine = row.engine ?? ""
    source = BytePath(row.source)
  }
}
