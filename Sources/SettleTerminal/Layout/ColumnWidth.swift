/// How many columns text takes on a terminal, and cutting it to fit.
///
/// The table is small on purpose: East Asian wide and full-width blocks, emoji by their Unicode
/// property, and marks that take no column. Where terminals disagree it errs to the wide side, so
/// that a line never wraps.
package enum ColumnWidth {
  /// Columns of a text without line breaks.
  package static func of(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// Columns of one grapheme: 0, 1 or 2.
  package static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      if scalar == emojiSelector { return 2 }
      width = max(width, of(scalar))
    }
    return width
  }

  /// The text, cut so that it takes at most `columns`. A cut shows as three dots where they fit.
  package static func fitted(_ text: String, columns: Int) -> String {
    guard of(text) > columns else { return text }
    let dots = String(repeating: ".", count: min(3, max(0, columns)))
    return prefix(of: text, columns: columns - dots.count) + dots
  }

  /// The text, cut or filled with spaces so that it takes exactly `columns`.
  package static func padded(_ text: String, columns: Int) -> String {
    let cut = fitted(text, columns: columns)
    return cut + String(repeating: " ", count: max(0, columns - of(cut)))
  }

  private static func prefix(of text: String, columns: Int) -> String {
    var kept = ""
    var used = 0
    for character in text {
      let width = of(character)
      guard used + width <= columns else { break }
      kept.append(character)
      used += width
    }
    return kept
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return isControl(scalar) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wideBlocks.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
  }

  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

  private static let wideBlocks: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F1E6...0x1F2FF,
    0x20000...0x3FFFD,
  ]
}
