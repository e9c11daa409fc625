import SettleCore
import SettleFiles
import SettleLedger

/// The library's available entries in the order of their import, read page by page.
///
/// Needs the memory of one page, however many entries there are. An entry whose file is gone is
/// passed over (IMP-7). Entries that are imported while the sequence is read appear at its end.
public struct EntrySequence: AsyncSequence, Sendable {
  /// An entry.
  public typealias Element = Entry

  fileprivate let library: Library

  /// Starts at the oldest entry.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  init(_ library: Library) { self.library = library }

  /// Reads one page at a time, each on a thread of its own.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: EntrySequence
    private var page: ArraySlice<Entry> = []
    private var last: Int64 = 0
    private var isAtEnd = false

    fileprivate init(source: EntrySequence) { self.source = source }

    /// The next entry; nil after the last.
    /// - Throws: `ledgerDamaged`, `ioError`.
    public mutating func next() async throws -> Entry? {
      while page.isEmpty, !isAtEnd {
        let (source, last) = (source, last)
        let read = try await source.library.reading { () throws(SettleError) in
          try source.readPage(after: last)
        }
        page = read.entries[...]
        self.last = read.last
        isAtEnd = read.isAtEnd
      }
      return page.popFirst()
    }
  }

  private func readPage(
    after last: Int64
  ) throws(SettleError) -> (entries: [Entry], last: Int64, isAtEnd: Bool) {
    let folders = library.folders
    let rows = try library.ledger.entries(afterSequence: last, limit: Survey.pageSize)
    var entries: [Entry] = []
    for row in rows {
      guard let entry = Entry(row), let location = DocumentLocation(path: entry.path) else {
        throw SettleError(
          .ledgerDamaged, stage: .record, subject: folders.path.bytes, detail: row.path)
      }
      do throws(FileError) {
        if try folders.status(of: location) != nil { entries.append(entry) }
      } catch {
        throw SettleError(
          error, stage: nil, subject: folders.path.appending(entry.path.utf8).bytes)
      }
    }
    return (entries, rows.last?.sequence ?? last, rows.count < Survey.pageSize)
  }
}
