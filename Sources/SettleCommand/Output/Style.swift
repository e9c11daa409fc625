/// Colours for a stream that wants them; plain text for one that does not.
struct Style: Sendable {
  let isColored: Bool

  func bad(_ text: String) -> String { wrapped(text, "31;1") }
  func good(_ text: String) -> String { wrapped(text, "32;1") }
  func strong(_ text: String) -> String { wrapped(text, "1") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
