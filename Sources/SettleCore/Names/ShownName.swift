/// A name as text that is safe on any terminal, page or log line (FIL-6).
///
/// Bytes that are not UTF-8 appear as `\xNN`; controls, line breaks, bidirectional and invisible
/// format characters and the backslash itself as escapes, so that two different names never look
/// the same and no name moves the cursor or turns text around. Complexity: linear.
public func shown(_ name: some Collection<UInt8>) -> String {
  var text = ""
  var decoder = UTF8Pieces(Array(name))
  while let piece = decoder.next() {
    switch piece {
    case .scalar(let scalar): text += escaped(scalar)
    case .invalid(let byte): text += hexEscape(UInt32(byte))
    }
  }
  return text
}

/// A name in quotation marks, shown safely.
public func quoted(_ name: some Collection<UInt8>) -> String { "\"" + shown(name) + "\"" }

/// True when the bytes are well-formed UTF-8.
public func isUTF8(_ name: [UInt8]) -> Bool {
  String(validating: name, as: UTF8.self) != nil
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": return "\\n"
  case "\r": return "\\r"
  case "\t": return "\\t"
  case "\\": return "\\\\"
  case "\"": return "\\\""
  default: break
  }
  switch scalar.properties.generalCategory {
  // From 0x80 on, "\xNN" stands for a byte that belongs to no scalar.
  case .control where scalar.value < 0x80: return hexEscape(scalar.value)
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
    .surrogate:
    return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  default: return String(scalar)
  }
}

private func hexEscape(_ value: UInt32) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
}

/// Splits bytes into scalars and the bytes that belong to none.
private struct UTF8Pieces {
  enum Piece {
    case scalar(Unicode.Scalar)
    case invalid(UInt8)
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Piece? {
    guard position < bytes.count else { return nil }
    let length = Self.sequenceLength(bytes[position])
    let end = position + length
    if length > 0, end <= bytes.count,
      let text = String(validating: bytes[position..<end], as: UTF8.self),
      let scalar = text.unicodeScalars.first
    {
      position = end
      return .scalar(scalar)
    }
    defer { position += 1 }
    return .invalid(bytes[position])
  }

  private static func sequenceLength(_ lead: UInt8) -> Int {
    switch lead {
    case 0x00...0x7F: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }
}
