import SettleCore
import SettleFiles
import SettleTestSupport

@testable import SettleLedger

/// A ledger in a folder of its own.
func withLedger<Result>(
  _ body: (Ledger, BytePath) throws -> Result
) throws -> Result {
  try withTemporaryFolder { folder in
    let path = folder.appending(Array("ledger.sqlite".utf8))
    return try body(Ledger(path: path.bytes, for: .writer), path)
  }
}

/// The id with a number, sorted like the number.
func entryID(_ number: Int) -> EntryID {
  var random = FixedNumbers(value: UInt64(number))
  return EntryID(milliseconds: UInt64(number), using: &random)
}

/// The same number again and again: ids in tests need not be unguessable.
struct FixedNumbers: RandomNumberGenerator {
  let value: UInt64
  mutating func next() -> UInt64 { value }
}

func pendingEntry(_ number: Int, name: [UInt8] = Array("a.pdf".utf8)) -> PendingEntry {
  let id = entryID(number)
  var entry = PendingEntry(
    id: id, run: entryID(0), name: name, path: "documents/0000/\(id).pdf")
  entry.source = Array("/tmp/source \(number)".utf8)
  entry.sourceByteCount = 100
  entry.sourceModified = 1_700_000_000_123_456_789
  return entry
}

func publication(_ number: Int, content: UInt8 = 7) -> Publication {
  var publication = Publication(
    id: entryID(number), path: "documents/0001/\(entryID(number)).pdf", byteCount: 100,
    sha256: [UInt8](repeating: content, count: 32))
  publication.pageCount = 3
  publication.flags = ["encrypted", "repaired"]
  publication.engine = "qpdf 11.3.0"
  publication.importedAt = 1_700_000_000_456
  return publication
}

extension Ledger {
  /// Makes entries and publishes them.
  func makeAvailable(_ numbers: some Sequence<Int>, content: UInt8 = 7) throws(SettleError) {
    try addPending(numbers.map { pendingEntry($0) })
    var batch = LedgerBatch()
    batch.published = numbers.map { publication($0, content: content) }
    try settle(batch)
  }

  /// Runs SQL that the ledger itself would never run.
  func execute(_ text: String) throws(SettleError) {
    try read { (connection) throws(SettleError) in try connection.execute(text) }
  }
}

/// The code of the error that a call throws.
func code(_ body: () throws -> Void) -> SettleError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? SettleError)?.code
  }
}
