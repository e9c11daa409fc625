import SettleFiles

/// What the helper answers about one file, after the `+`.
package enum WireAnswer: Sendable, Hashable {
  /// It looked at the file.
  case facts(DocumentFacts)
  /// It could not open or read the file; with the system's error number.
  case unreadable(Reason, errorNumber: Int32)

  /// Why a file cannot be opened or read.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Nothing has this path.
    case notFound
    /// The file may not be read.
    case permissionDenied
    /// It is a link, a folder, a pipe or a device.
    case notARegularFile
    /// The disk reported an error.
    case ioError
  }

  /// The answer as a line, without the leading `+` and the newline.
  package var line: String {
    switch self {
    case .unreadable(let reason, let number): return "unreadable \(reason.rawValue) \(number)"
    case .facts(let facts):
      let stated = facts.linearizedLength.map(String.init) ?? "-"
      return "facts \(facts.byteCount) \(facts.hasSignature ? 1 : 0) \(stated) "
        + "\(facts.hasEndMarker ? 1 : 0) \(Self.text(facts.plain)) \(Self.text(facts.recovered))"
    }
  }

  /// Reads a line; nil when it breaks the protocol. The helper read hostile bytes, so nothing
  /// here is taken on trust.
  package init?(line: [UInt8]) {
    guard line.count <= Wire.longestAnswer, line.allSatisfy(Wire.isPrintable) else { return nil }
    let words = String(decoding: line, as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    if words.count == 3, words[0] == "unreadable", let reason = Reason(rawValue: String(words[1])),
      let number = Int32(words[2])
    {
      self = .unreadable(reason, errorNumber: number)
      return
    }
    guard words.count == 7, words[0] == "facts",
      let byteCount = UInt64(words[1]), let hasSignature = Self.flag(words[2]),
      let stated = Self.optional(words[3], { UInt64($0) }),
      let hasEndMarker = Self.flag(words[4]),
      let plain = Self.optional(words[5], Self.parserAnswer),
      let recovered = Self.optional(words[6], Self.parserAnswer)
    else { return nil }
    var facts = DocumentFacts(
      byteCount: byteCount, hasSignature: hasSignature, linearizedLength: stated,
      hasEndMarker: hasEndMarker)
    facts.plain = plain
    facts.recovered = recovered
    self = .facts(facts)
  }

  private static func text(_ answer: DocumentFacts.ParserAnswer?) -> String {
    switch answer {
    case nil: return "-"
    case .opened(let pageCount, let isEncrypted):
      return "opened:\(pageCount):\(isEncrypted ? 1 : 0)"
    case .passwordRequired: return "password"
    case .outOfMemory: return "memory"
    case .failed(let detail):
      let cut = detail.utf8.prefix(Wire.longestDetail)
      return "failed:" + Digest.hex(cut)
    }
  }

  private static func parserAnswer(_ word: Substring) -> DocumentFacts.ParserAnswer? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    switch (parts[0], parts.count) {
    case ("password", 1): return .passwordRequired
    case ("memory", 1): return .outOfMemory
    case ("opened", 3):
      guard let pageCount = Int(parts[1]), pageCount >= 0, let isEncrypted = flag(parts[2])
      else { return nil }
      return .opened(pageCount: pageCount, isEncrypted: isEncrypted)
    case ("failed", 2):
      guard let bytes = Wire.bytes(hexadecimal: Array(parts[1].utf8)[...]) else { return nil }
      return .failed(detail: String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }

  private static func flag(_ word: Substring) -> Bool? {
    switch word {
    case "0": false
    case "1": true
    default: nil
    }
  }

  /// `-` is no value; anything else must be readable.
  private static func optional<Value>(
    _ word: Substring, _ read: (Substring) -> Value?
  ) -> Value?? {
    if word == "-" { return .some(nil) }
    return read(word).map { .some($0) }
  }
}
