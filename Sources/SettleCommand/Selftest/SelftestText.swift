import SettleCore
import SettleTerminal
import SettleTestKit

/// A report for people at a terminal: a small table, then what failed and what to do.
struct SelftestText {
  let report: AcceptanceReport
  let style: Style

  /// All lines.
  var lines: [String] { table + failures + skipped }

  /// Verdicts by action and source; only those that occur.
  private var table: [String] {
    let verdicts = CellVerdict.allCases.filter { report.count($0) > 0 }
    let rows = ReportRows(report.cells).sources
    let width = rows.map(\.name.count).max() ?? 0
    let heads = verdicts.map(\.words)
    var lines = [padded("", width) + heads.map { "  " + $0 }.joined()]
    for row in rows {
      let fields = zip(verdicts, heads).map { verdict, head in
        let count = row.cells.count { $0.verdict == verdict }
        let text = count == 0 ? "." : Quantity.count(count)
        let field = String(repeating: " ", count: max(0, head.count - text.count)) + text
        return "  " + (verdict == .asExpected || count == 0 ? field : style.bad(field))
      }
      lines.append(padded(shown(row.name.utf8), width) + fields.joined())
    }
    return lines
  }

  private var failures: [String] {
    let failed = report.failures
    if failed.isEmpty { return [] }
    return [""] + failed.map { style.bad("failed: ") + Self.told($0) } + [
      "",
      "Next: settle doctor checks tools, rights and disk. If it finds nothing, Settle is at fault "
        + "here: keep a report (settle selftest --report html -o FILE) and file it as an issue.",
    ]
  }

  private var skipped: [String] {
    let skipped = report.cells.filter { $0.verdict == .skipped }
    if skipped.isEmpty || report.interruption != nil { return [] }
    return [""] + skipped.map { style.strong("skipped: ") + Self.told($0) }
  }

  private static func told(_ cell: ReportCell) -> String {
    CellFailure(cell: cell.cell, verdict: cell.verdict, reason: cell.reason).description
  }

  /// The last line.
  var verdict: String {
    let faults = report.faults
    return report.totalsText + ". Planned faults that happened: \(faults.fired) of "
      + "\(faults.planned)."
  }

  /// What has changed since an older report.
  static func changes(_ comparison: ReportComparison) -> [String] {
    var lines = ["Compared with the older report: \(comparison.summary)."]
    let lists = [
      ("new failure", comparison.newFailures), ("mended", comparison.mended),
      ("now skipped", comparison.nowSkipped), ("new cell", comparison.newCells),
      ("gone", comparison.goneCells),
    ]
    for (word, cells) in lists { lines += cells.map { "  \(word): \($0.combination)" } }
    lines += comparison.environment.map { change in
      let (old, new) = (change.old ?? "unknown", change.new ?? "unknown")
      return "  \(change.heading): \(shown(old.utf8)), now \(shown(new.utf8))"
    }
    return lines
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
