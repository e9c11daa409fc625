import SettleCore

/// A JSON value that is written on one line (without Foundation).
indirect enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([(String, JSON)])

  /// The value as one line of JSON, without a line end.
  var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Text for a reader and, where the bytes are no UTF-8, the bytes in base 64 beside it (FIL-6).
  static func name(_ key: String, _ bytes: [UInt8]) -> [(String, JSON)] {
    if let text = String(validating: bytes, as: UTF8.self) { return [(key, .text(text))] }
    return [(key, .text(shown(bytes))), (key + "_bytes", .text(Base64.encoded(bytes)))]
  }

  /// Items by outcome.
  static func counts(_ counts: OutcomeCounts) -> JSON {
    .object(OutcomeKind.allCases.map { ($0.rawValue, .int(Int64(counts[$0]))) })
  }

  /// Why an item did not succeed.
  static func reason(_ error: SettleError) -> JSON {
    .object([
      ("code", .text(error.code.rawValue)),
      ("stage", error.stage.map { .text($0.rawValue) } ?? .null),
      ("message", .text(error.message)), ("next", .text(error.nextStep)),
      ("retryable", .bool(error.isRetryable)),
    ])
  }

  static func == (left: JSON, right: JSON) -> Bool { left.line == right.line }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .number(let value): text += value.isFinite ? String(value) : "null"
    case .text(let value): Self.write(value, to: &text)
    case .list(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.0, to: &text)
        text += ":"
        member.1.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // Line separators are legal in JSON but end a line for many readers; the rest are controls.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        text += "\\u" + hex4(scalar.value)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func hex4(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
