/// A JSON value of a trace, with the column at which it starts.
struct JSONValue {
  /// The six shapes of JSON.
  enum Shape {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([(key: JSONKey, value: JSONValue)])
  }

  var shape: Shape
  var column: Int
}

/// A member's name and where it stands.
struct JSONKey {
  var text: String
  var column: Int
}

/// Why a line is no JSON, and at which byte of it, from 1.
struct JSONProblem: Error {
  var message: String
  var column: Int
}

/// Reads one line of JSON (RFC 8259), without Foundation. Duplicate names and depth beyond 32 are
/// refused: a trace needs neither.
struct JSONScanner {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var depth = 0

  private init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The one value of a line.
  static func value(of line: ArraySlice<UInt8>) throws(JSONProblem) -> JSONValue {
    var scanner = JSONScanner(line)
    let value = try scanner.value()
    scanner.skipSpace()
    if scanner.next != nil { throw scanner.problem("something follows the object") }
    return value
  }

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }
  private var column: Int { position - bytes.startIndex + 1 }

  private func problem(_ message: String) -> JSONProblem {
    JSONProblem(message: message, column: column)
  }

  /// The four characters that JSON calls space. A line of a trace holds no line end; a report does.
  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { position += 1 }
  }

  private mutating func value() throws(JSONProblem) -> JSONValue {
    skipSpace()
    let start = column
    guard let byte = next else { throw problem("the line ends where a value should be") }
    let shape: JSONValue.Shape
    switch byte {
    case UInt8(ascii: "{"): shape = try object()
    case UInt8(ascii: "["): shape = try list()
    case UInt8(ascii: "\""): shape = .text(try string())
    case UInt8(ascii: "t"): shape = try word("true", .bool(true))
    case UInt8(ascii: "f"): shape = try word("false", .bool(false))
    case UInt8(ascii: "n"): shape = try word("null", .null)
    default: shape = .number(try number())
    }
    return JSONValue(shape: shape, column: start)
  }

  private mutating func word(
    _ word: String, _ shape: JSONValue.Shape
  ) throws(JSONProblem) -> JSONValue.Shape {
    guard bytes[position...].starts(with: word.utf8) else { throw problem("no JSON value") }
    position += word.utf8.count
    return shape
  }

  private mutating func enter() throws(JSONProblem) {
    depth += 1
    if depth > 32 { throw problem("too deeply nested") }
    position += 1
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func object() throws(JSONProblem) -> JSONValue.Shape {
    try enter()
    defer { depth -= 1 }
    var members: [(key: JSONKey, value: JSONValue)] = []
    var names: Set<String> = []
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw problem("a name in quotes should be here") }
      let start = column
      let key = try string()
      if !names.insert(key).inserted {
        throw JSONProblem(message: "the name stands here a second time", column: start)
      }
      guard take(":") else { throw problem("a colon should be here") }
      members.append((JSONKey(text: key, column: start), try value()))
      if take("}") { return .object(members) }
      guard take(",") else { throw problem("a comma or } should be here") }
    }
  }

  private mutating func list() throws(JSONProblem) -> JSONValue.Shape {
    try enter()
    defer { depth -= 1 }
    var values: [JSONValue] = []
    if take("]") { return .list(values) }
    while true {
      values.append(try value())
      if take("]") { return .list(values) }
      guard take(",") else { throw problem("a comma or ] should be here") }
    }
  }

  private mutating func number() throws(JSONProblem) -> Double {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let isZero = next == UInt8(ascii: "0")
    let whole = digits()
    var isRight = whole > 0 && (!isZero || whole == 1)
    if next == UInt8(ascii: ".") {
      position += 1
      isRight = digits() > 0 && isRight
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
      isRight = digits() > 0 && isRight
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard isRight, let value = Double(text), value.isFinite else {
      position = start
      throw problem("no JSON value")
    }
    return value
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func string() throws(JSONProblem) -> String {
    let start = column
    position += 1
    var raw: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: raw, as: UTF8.self) else {
          throw JSONProblem(message: "the text is not UTF-8", column: start)
        }
        return text
      case UInt8(ascii: "\\"): raw += Array(String(try escape()).utf8)
      case 0..<0x20: throw problem("a control character stands in a text")
      default:
        raw.append(byte)
        position += 1
      }
    }
    throw problem("the line ends inside a text")
  }

  private mutating func escape() throws(JSONProblem) -> Unicode.Scalar {
    position += 1
    guard let byte = next else { throw problem("the line ends inside a text") }
    if byte == UInt8(ascii: "u") { return try unicodeEscape() }
    let simple: [UInt8: Unicode.Scalar] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
      UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
      UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    guard let scalar = simple[byte] else { throw problem("there is no such escape") }
    position += 1
    return scalar
  }

  private mutating func unicodeEscape() throws(JSONProblem) -> Unicode.Scalar {
    let high = try fourDigits()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard (0xD800..<0xDC00).contains(high), next == UInt8(ascii: "\\") else {
      throw problem("half a character")
    }
    position += 1
    guard next == UInt8(ascii: "u") else { throw problem("half a character") }
    let low = try fourDigits()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    else { throw problem("half a character") }
    return scalar
  }

  private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
    position += 1
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80
      else { throw problem("four hexadecimal digits should be here") }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
