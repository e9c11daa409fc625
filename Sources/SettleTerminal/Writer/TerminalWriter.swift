import Synchronization

/// Draws frames in place on a terminal, and messages above them. It only writes.
///
/// It erases nothing but the lines that it drew itself, never hides the cursor, and copes with a
/// terminal that became narrower since the last frame: it counts how many rows its own lines take
/// now. Calls come from any thread.
package final class TerminalWriter: Sendable {
  private let output: @Sendable (String) -> Void
  private let drawn = Mutex<[String]>([])

  /// A writer that sends its text to `output`, one call for each change.
  package init(output: @escaping @Sendable (String) -> Void) { self.output = output }

  /// Replaces the frame. The same frame again writes nothing.
  package func draw(_ lines: [String], columns: Int) {
    drawn.withLock { old in
      guard old != lines else { return }
      output(Self.erasing(old, columns: columns) + Self.drawing(lines))
      old = lines
    }
  }

  /// Writes a line above the frame; the frame stays.
  package func message(_ text: String, columns: Int) {
    drawn.withLock { lines in
      output(Self.erasing(lines, columns: columns) + text + "\n" + Self.drawing(lines))
    }
  }

  /// Takes the frame away and leaves the cursor where it began.
  package func clear(columns: Int) {
    drawn.withLock { lines in
      guard !lines.isEmpty else { return }
      output(Self.erasing(lines, columns: columns))
      lines = []
    }
  }

  private static func drawing(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  /// Clears the rows of the lines, last row first; the cursor is at the end of the last line.
  private static func erasing(_ lines: [String], columns: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + rowCount($1, columns: columns) }
    let clearRow = "\r\u{1B}[2K"
    return clearRow + String(repeating: "\u{1B}[1A" + clearRow, count: rows - 1)
  }

  private static func rowCount(_ line: String, columns: Int) -> Int {
    guard columns > 0 else { return 1 }
    return max(1, (ColumnWidth.of(line) + columns - 1) / columns)
  }
}
