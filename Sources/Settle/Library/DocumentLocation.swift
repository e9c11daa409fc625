import SettleCore
import SettleFiles

/// Where a document's file is below the library: `documents/<shard>/<id>.pdf`.
///
/// The ledger's text is checked against this shape before it is used, so that even a forged
/// ledger cannot lead out of the library.
struct DocumentLocation: Sendable, Hashable {
  /// How many documents share a folder, so that a group of imports syncs one folder.
  static let shardSize: Int64 = 4_096
  static let suffix = ".pdf"

  let shard: FileName
  let name: FileName
  /// The text that the ledger keeps.
  let path: String

  /// The place for the document with this running number.
  init(id: EntryID, sequence: Int64) {
    let number = String(sequence / Self.shardSize, radix: 16)
    let padding = String(repeating: "0", count: max(0, 4 - number.utf8.count))
    let (shardText, nameText) = (padding + number, id.description + Self.suffix)
    shard = FileName(own: shardText)
    name = FileName(own: nameText)
    path = "documents/\(shardText)/\(nameText)"
  }

  /// Reads the ledger's text; nil when it has any other shape.
  init?(path: String) {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("documents".utf8),
      Self.isShard(Array(parts[1])), Self.identity(of: Array(parts[2])) != nil,
      let shard = FileName(Array(parts[1])), let name = FileName(Array(parts[2]))
    else { return nil }
    self.shard = shard
    self.name = name
    self.path = path
  }

  /// True for a folder name of ours.
  static func isShard(_ name: [UInt8]) -> Bool {
    name.count >= 4 && name.count <= 16
      && name.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// The id in a file name of ours, nil for a foreign name.
  static func identity(of name: [UInt8]) -> EntryID? {
    let suffix = Array(Self.suffix.utf8)
    guard name.count == 26 + suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
      return nil
    }
    return EntryID(bytes: name.prefix(26))
  }
}
