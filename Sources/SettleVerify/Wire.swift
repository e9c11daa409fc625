import SettleFiles

/// The lines between ``VerifierPool`` and `settle-verify`.
///
/// Greeting: `settle-verify 1 qpdf 11.3.0`. Request: `verify` and the path in hexadecimal digits,
/// so that any byte works. Answer: a `+` as soon as the request is read and before the file is
/// touched, then either `facts` with fields or `unreadable` with a reason and an error number. All
/// ASCII.
package enum Wire {
  /// The version of these lines.
  package static let version = 1
  /// The word that every greeting starts with.
  package static let name = "settle-verify"
  /// The first byte of an answer: from here on the document may be to blame.
  package static let begun = UInt8(ascii: "+")
  /// What ends each line.
  package static let newline = UInt8(ascii: "\n")
  /// No line of a helper is longer; a longer one breaks the protocol.
  package static let longestAnswer = 2_048
  /// The parser's words are cut to this many bytes.
  package static let longestDetail = 400

  /// The greeting of a helper, without the newline.
  package static func greeting(engine: String) -> String { "\(name) \(version) \(engine)" }

  /// The engine that a greeting names; nil for any other line.
  package static func engine(inGreeting line: [UInt8]) -> String? {
    let start = Array("\(name) \(version) ".utf8)
    guard line.starts(with: start), line.count > start.count, line.allSatisfy(isPrintable) else {
      return nil
    }
    return String(decoding: line[start.count...], as: UTF8.self)
  }

  /// A request with its newline.
  package static func request(path: [UInt8]) -> [UInt8] {
    Array("verify \(Digest.hex(path))".utf8) + [newline]
  }

  /// The path in a request line; nil for any other line.
  package static func path(inRequest line: [UInt8]) -> [UInt8]? {
    let start = Array("verify ".utf8)
    guard line.starts(with: start) else { return nil }
    return bytes(hexadecimal: line[start.count...])
  }

  static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  static func bytes(hexadecimal text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var index = text.startIndex
    while index < text.endIndex {
      guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
      index += 2
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
