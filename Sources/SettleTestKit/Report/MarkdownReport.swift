import SettleCore

extension AcceptanceReport {
  /// The report as Markdown that fits in a comment of a pull request: verdict, failures, totals by
  /// source, environment; with another report also what has changed since.
  public func markdown(comparedTo old: AcceptanceReport? = nil) -> String {
    // A comment of GitHub takes 65,536 characters; long lists are cut before that.
    for lineCount in [40, 10] {
      let text = MarkdownReport(report: self, mostLines: lineCount).text(comparedTo: old)
      if text.utf8.count <= 60_000 { return text }
    }
    return MarkdownReport(report: self, mostLines: 1).text(comparedTo: old)
  }
}

/// One comment, whose lists have so many lines at most.
private struct MarkdownReport {
  let report: AcceptanceReport
  let mostLines: Int

  func text(comparedTo old: AcceptanceReport?) -> String {
    let md = ReportText.markdown
    var parts = ["## \(md(report.title)): \(report.isAccepted ? "✅ accepted" : "❌ not accepted")"]
    let faults = report.faults
    parts.append(
      "\(report.totalsText). Planned faults that happened: \(faults.fired) of \(faults.planned).")
    if let old { parts += comparison(report.compared(to: old)) }
    parts += section("Failed", report.failures.map(Self.item))
    parts += section(
      "Skipped, so not passed", report.cells.filter { $0.verdict == .skipped }.map(Self.item))
    parts.append(table)
    let facts = report.environment.facts.map {
      "| \($0.heading) | \($0.value.map(md) ?? "unknown") |"
    }
    parts.append(
      "<details><summary>Environment</summary>\n\n"
        + (["| | |", "|---|---|"] + facts).joined(separator: "\n") + "\n\n</details>")
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Characters of a name or a reason.
  private static let longestText = 300

  private func section(_ heading: String, _ items: [String]) -> [String] {
    if items.isEmpty { return [] }
    var lines = items.prefix(mostLines).map { "- \($0)" }
    if items.count > lines.count { lines.append("- … and \(items.count - lines.count) more") }
    return ["### \(heading) (\(items.count))", lines.joined(separator: "\n")]
  }

  private static func item(_ cell: ReportCell) -> String {
    let name = ReportText.markdown(shortened(cell.combination.description))
    let reason = cell.reason.isEmpty ? "" : ": " + ReportText.markdown(shortened(cell.reason))
    return "**\(name)**: \(cell.verdict.words)\(reason)"
  }

  /// Cut before it is escaped, so that no escape is cut.
  private static func shortened(_ text: String) -> String {
    text.count > longestText ? String(text.prefix(longestText)) + "…" : text
  }

  private func comparison(_ comparison: ReportComparison) -> [String] {
    var parts = ["**Compared with the older report:** \(comparison.summary)."]
    parts += section("New failures", comparison.newFailures.map(Self.item))
    parts += section("Mended", comparison.mended.map(Self.item))
    parts += section("Now skipped", comparison.nowSkipped.map(Self.item))
    parts += section("New cells", comparison.newCells.map(Self.item))
    parts += section("Cells that are gone", comparison.goneCells.map(Self.item))
    parts += section(
      "Changed environment",
      comparison.environment.map { change in
        let old = change.old.map(ReportText.markdown) ?? "unknown"
        let new = change.new.map(ReportText.markdown) ?? "unknown"
        return "\(change.heading): \(old) → \(new)"
      })
    return parts
  }

  /// Verdicts by action and source.
  private var table: String {
    let verdicts = CellVerdict.allCases.filter { report.count($0) > 0 }
    var lines = ["| | " + verdicts.map(\.words).joined(separator: " | ") + " |"]
    lines.append("|---|" + verdicts.map { _ in "--:|" }.joined())
    let rows = ReportRows(report.cells)
    for row in rows.sources.prefix(mostLines) {
      let name = ReportText.markdown(Self.shortened(row.name))
      let counts = verdicts.map { verdict in
        String(row.cells.count { $0.verdict == verdict })
      }
      lines.append("| \(name) | " + counts.joined(separator: " | ") + " |")
    }
    let rest = rows.sources.count - mostLines
    if rest > 0 {
      lines.append("| … and \(rest) more |" + verdicts.map { _ in " |" }.joined())
    }
    return lines.joined(separator: "\n")
  }
}

/// The cells of a report by action and source, in the order in which they come.
package struct ReportRows: Sendable {
  /// The cells of one action and source.
  package struct Source: Sendable {
    /// `import: link`.
    package var name: String
    /// Its cells.
    package var cells: [ReportCell]
  }

  /// One for each action and source.
  package private(set) var sources: [Source] = []

  /// Sorts cells by action and source.
  package init(_ cells: [ReportCell]) {
    var places: [String: Int] = [:]
    for cell in cells {
      let name = "\(cell.combination.action): \(cell.combination.source)"
      if let place = places[name] {
        sources[place].cells.append(cell)
      } else {
        places[name] = sources.count
        sources.append(Source(name: name, cells: [cell]))
      }
    }
  }
}
