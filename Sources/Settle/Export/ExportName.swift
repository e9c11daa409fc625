import SettleCore

/// Turns a display name, which may be any bytes, into a file name that is safe anywhere (IMP-13).
///
/// Valid UTF-8; no slash, backslash, colon or control or direction character; never begins with `-`
/// or `.`; at most 255 bytes, cut between characters; numbered when the name is taken:
/// `a.pdf`, `a (2).pdf`, …
struct ExportName: Sendable, Hashable {
  private static let limit = 255
  private static let fallback = "document"
  private let stem: String
  private let suffix: String

  /// The safe form of a display name.
  init(_ name: [UInt8]) {
    let isPDF = name.count > 4 && name.suffix(4).map { $0 | 0x20 } == Array(".pdf".utf8)
    suffix = ".pdf"
    let text = String(decoding: isPDF ? name.dropLast(4) : name[...], as: UTF8.self)
    var safe = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.safeScalar)))
    while let first = safe.first, first == "-" || first == "." || first == " " {
      safe.removeFirst()
    }
    stem = safe.isEmpty ? Self.fallback : safe
  }

  /// The name, numbered from the second on.
  func bytes(number: Int) -> [UInt8] {
    let tail = (number > 1 ? " (\(number))" : "") + suffix
    var cut = stem
    while cut.utf8.count + tail.utf8.count > Self.limit { cut.removeLast() }
    // One character may be longer than all of the room: a letter with a hundred accents.
    return Array(((cut.isEmpty ? Self.fallback : cut) + tail).utf8)
  }

  /// The same for all names that get the same numbered names, because they are cut there.
  var numbered: [UInt8] { bytes(number: .max) }

  private static func safeScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "/", "\\", ":": return "_"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      return "_"
    default: return scalar
    }
  }
}
