import Settle
import SettleTerminal

/// An entry for people and for programs.
enum EntryLines {
  /// The members of its JSON line.
  static func members(_ entry: Entry, isFull: Bool) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("type", .text("entry")), ("id", .text(entry.id.description)),
    ]
    members += JSON.name("name", entry.name)
    members += [
      ("path", .text(entry.path)), ("bytes", .int(entry.byteCount)),
      ("sha256", .text(Digest.hex(entry.sha256))), ("pages", .int(Int64(entry.pageCount))),
      ("flags", .list(entry.flags.map { .text($0.rawValue) })),
      ("imported_at", .text(CivilTime.iso8601(milliseconds: entry.importedAt))),
      ("run", .text(entry.run.description)),
    ]
    if isFull {
      members += JSON.name("source", entry.source.bytes)
      members.append(("engine", .text(entry.engine)))
    }
    return members
  }

  /// One line of a list. The name comes last, because it may be of any length.
  static func line(_ entry: Entry) -> String {
    let pages = Quantity.count(entry.pageCount, "page", "pages")
    return [
      entry.id.description, CivilTime.short(milliseconds: entry.importedAt),
      right(Quantity.bytes(entry.byteCount), 7), right(pages, 9), shown(entry.name),
    ].joined(separator: "  ")
  }

  /// Everything about an entry, a line each.
  static func sheet(_ entry: Entry) -> [String] {
    let flags = entry.flags.map(\.rawValue).joined(separator: ", ")
    return [
      "id:        \(entry.id)",
      "name:      \(shown(entry.name))",
      "path:      \(entry.path)",
      "size:      \(Quantity.bytes(entry.byteCount)) (\(Quantity.count(entry.byteCount)) bytes)",
      "pages:     \(entry.pageCount)",
      "sha256:    \(Digest.hex(entry.sha256))",
      "flags:     \(flags.isEmpty ? "none" : flags)",
      "verified:  \(entry.engine)",
      "imported:  \(CivilTime.iso8601(milliseconds: entry.importedAt))",
      "run:       \(entry.run)",
      "source:    \(entry.source)",
    ]
  }

  private static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - ColumnWidth.of(text))) + text
  }
}
