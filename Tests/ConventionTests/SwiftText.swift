/// The text of one Swift file, once as written and once with comments and literals blanked.
///
/// Line numbers start at 1. Blanking keeps line breaks and lengths, so both texts have the same
/// lines at the same places.
struct SwiftText: Sendable {
  /// The path from the package's folder.
  let path: String
  /// The lines as written.
  let lines: [String]
  /// The bytes with comments and string literals replaced by spaces.
  let code: [UInt8]
  /// The lines of `code`.
  let codeLines: [String]
  /// For each line, true when it holds a line comment and nothing else.
  let isCommentLine: [Bool]

  init(path: String, _ text: String) {
    self.path = path
    lines = Self.split(Array(text.utf8))
    var blanker = Blanker(Array(text.utf8))
    code = blanker.blanked()
    codeLines = Self.split(code)
    let starts = Set(blanker.lineComments)
    var offset = 0
    isCommentLine = lines.map { line in
      let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
      defer { offset += line.utf8.count + 1 }
      return starts.contains(offset + indent)
    }
  }

  /// The words (identifiers and keywords) of the code, with the offset of each.
  var words: [(text: String, offset: Int)] {
    var found: [(String, Int)] = []
    var start: Int?
    for (offset, byte) in code.enumerated() {
      if isWordByte(byte) {
        start = start ?? offset
      } else if let first = start {
        found.append((String(decoding: code[first..<offset], as: UTF8.self), first))
        start = nil
      }
    }
    if let first = start { found.append((String(decoding: code[first...], as: UTF8.self), first)) }
    return found
  }

  /// The line that holds an offset of `code`.
  func line(at offset: Int) -> Int {
    var line = 1
    for byte in code[..<offset] where byte == UInt8(ascii: "\n") { line += 1 }
    return line
  }

  private static func split(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// True for a byte of an identifier or keyword.
func isWordByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
    true
  default: false
  }
}

/// Replaces comments and string literals with spaces.
private struct Blanker {
  private var bytes: [UInt8]
  private var position = 0
  /// Where line comments start.
  private(set) var lineComments: [Int] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func blanked() -> [UInt8] {
    while position < bytes.count {
      if starts(with: "//") {
        blankLineComment()
      } else if starts(with: "/*") {
        blankBlockComment()
      } else if let hashes = hashesOfString() {
        blankString(hashes: hashes)
      } else {
        position += 1
      }
    }
    return bytes
  }

  private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
    let first = position + offset
    guard first + text.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[first + $0] == text.utf8Start[$0] }
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
      position += 1
    }
  }

  private mutating func blankLineComment() {
    lineComments.append(position)
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { blank() }
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blank(2)
      } else if starts(with: "*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < bytes.count
  }

  /// The number of `#` before a string literal that starts here; nil when none starts.
  private func hashesOfString() -> Int? {
    var hashes = 0
    while starts(with: "#", at: hashes) { hashes += 1 }
    return starts(with: "\"", at: hashes) ? hashes : nil
  }

  private mutating func blankString(hashes: Int) {
    blank(hashes)
    let isMultiline = starts(with: "\"\"\"")
    let quotes = isMultiline ? 3 : 1
    blank(quotes)
    while position < bytes.count {
      if isDelimiter(UInt8(ascii: "\\"), 1, hashes, before: true) {
        blank(1 + hashes)
        if starts(with: "(") { blankInterpolation() } else { blank() }
      } else if isDelimiter(UInt8(ascii: "\""), quotes, hashes, before: false) {
        blank(quotes + hashes)
        return
      } else if !isMultiline, bytes[position] == UInt8(ascii: "\n") {
        return
      } else {
        blank()
      }
    }
  }

  /// True when `count` times `mark` and then the literal's hashes stand here.
  private func isDelimiter(_ mark: UInt8, _ count: Int, _ hashes: Int, before: Bool) -> Bool {
    let end = position + count + hashes
    guard end <= bytes.count else { return false }
    return bytes[position..<position + count].allSatisfy { $0 == mark }
      && bytes[position + count..<end].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  private mutating func blankInterpolation() {
    var depth = 0
    repeat {
      if let hashes = hashesOfString() {
        blankString(hashes: hashes)
        continue
      }
      if starts(with: "(") { depth += 1 }
      if starts(with: ")") { depth -= 1 }
      blank()
    } while depth > 0 && position < bytes.count
  }
}
