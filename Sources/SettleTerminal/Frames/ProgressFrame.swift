import SettleCore

/// A snapshot as the few lines that a terminal shows while a run works (OBS-2).
///
/// Pure: the same snapshot always gives the same text. No line is wider than `columns`.
package enum ProgressFrame {
  /// The frame: one line while counting or on a narrow terminal, else a bar and a line of facts.
  package static func lines(
    snapshot: RunSnapshot, estimate: FrameEstimate, columns: Int
  ) -> [String] {
    guard columns > 0 else { return [] }
    let parts = FrameParts(snapshot: snapshot, estimate: estimate)
    guard let percent = parts.percent else { return [unmeasured(parts, columns: columns)] }
    guard columns >= 30 else { return narrow(parts, percent: percent, columns: columns) }
    return [bar(parts, percent: percent, columns: columns), parts.details(columns: columns)]
  }

  /// Without a percentage: counting, or ended with nothing to measure.
  private static func unmeasured(_ parts: FrameParts, columns: Int) -> String {
    let counted =
      parts.isCounting ? parts.counted : Quantity.count(parts.snapshot.counts.settled) + " items"
    let short = Quantity.count(parts.snapshot.items.count, "file", "files")
    return firstFitting(["\(parts.activity): \(counted)", short, parts.activity], columns: columns)
  }

  private static func bar(_ parts: FrameParts, percent: Int, columns: Int) -> String {
    let number = right("\(percent)", 3) + " %"
    let room = columns - parts.activity.count - number.count - 4
    let width = min(40, max(0, room))
    let filled = parts.filledColumns(of: width)
    let drawn =
      String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    return "\(parts.activity) [\(drawn)] \(number)"
  }

  private static func narrow(_ parts: FrameParts, percent: Int, columns: Int) -> [String] {
    let first = firstFitting(
      ["\(parts.activity) \(percent) %", "\(percent) %", "\(percent)%"], columns: columns)
    let details = parts.details(columns: columns)
    return details.isEmpty ? [first] : [first, details]
  }

  /// The first text that fits whole. A cut number would be a wrong number, so the last resort is
  /// one dot: something is going on.
  private static func firstFitting(_ texts: [String], columns: Int) -> String {
    texts.first { ColumnWidth.of($0) <= columns } ?? "."
  }

  private static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.count)) + text
  }
}
