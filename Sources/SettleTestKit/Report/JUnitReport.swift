import SettleCore

extension AcceptanceReport {
  /// The report as JUnit XML: one `testcase` for each cell.
  ///
  /// `failure` is a cell that ended otherwise or proves nothing, `error` one that hung or whose
  /// process ended, `skipped` one that was not run.
  public func junit() -> String {
    let failures = count(.notAsExpected) + count(.inconclusive)
    let numbers =
      " tests=\"\(cells.count)\" failures=\"\(failures)\""
      + " errors=\"\(count(.hung) + count(.crashed))\" skipped=\"\(count(.skipped))\""
    let total = cells.compactMap(\.duration).reduce(.zero, +)
    let head = JUnitReport.head(self, numbers + " time=\"\(ReportText.seconds(total))\"")
    return head + cells.map(JUnitReport.testCase).joined() + JUnitReport.tail
  }
}

/// Writes JUnit XML while the cells are run, so that a report is left whatever happens.
///
/// The same as ``AcceptanceReport/junit()`` without the numbers in its head, which nobody knows
/// yet. Text that was not closed lacks only ``tail``.
public struct JUnitReport: Sendable {
  /// The end of the file.
  public static let tail = "  </testsuite>\n</testsuites>\n"

  /// The start of the file, from a report that has no cells yet.
  public static func head(of report: AcceptanceReport) -> String { head(report, "") }

  static func head(_ report: AcceptanceReport, _ numbers: String) -> String {
    let title = ReportText.markup(report.title)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"\(title)\"\(numbers)>\n"
    text += "  <testsuite name=\"\(title)\"\(numbers)>\n    <properties>\n"
    for fact in report.environment.facts {
      text += property(fact.key, fact.value ?? "unknown", indent: 6)
    }
    return text + "    </properties>\n"
  }

  /// One cell.
  public static func testCase(_ cell: ReportCell) -> String {
    let combination = cell.combination
    let time = cell.duration.map { " time=\"\(ReportText.seconds($0))\"" } ?? ""
    let className = ReportText.markup(combination.action)
    let name = ReportText.markup(combination.description)
    var text = "    <testcase classname=\"\(className)\" name=\"\(name)\"\(time)>\n"
    text += "      <properties>\n"
    for (key, value) in facts(cell) { text += property(key, value, indent: 8) }
    text += "      </properties>\n"
    let reason = ReportText.markup(cell.reason)
    let detail = " message=\"\(reason)\" type=\"\(cell.verdict.rawValue)\">\(reason)"
    switch cell.verdict {
    case .asExpected: break
    case .notAsExpected, .inconclusive: text += "      <failure\(detail)</failure>\n"
    case .hung, .crashed: text += "      <error\(detail)</error>\n"
    case .skipped: text += "      <skipped message=\"\(reason)\"/>\n"
    }
    return text + "    </testcase>\n"
  }

  private static func facts(_ cell: ReportCell) -> [(String, String)] {
    let (combination, seen) = (cell.combination, cell.observation)
    var facts = [
      ("fileType", combination.fileType), ("source", combination.source),
      ("fault", combination.fault), ("cancelAt", combination.cancelAt),
      ("expected", cell.cell.expected.description),
      ("actual", seen.actual?.description ?? "unknown"), ("verdict", cell.verdict.rawValue),
    ]
    if let fired = seen.fired { facts.append(("fired", fired ? "true" : "false")) }
    if let bytes = seen.byteCount { facts.append(("bytes", String(bytes))) }
    if let count = seen.completionCount { facts.append(("completions", String(count))) }
    facts += seen.leftovers.map { ("leftover", $0) }
    if let schedule = seen.schedule { facts.append(("schedule", schedule)) }
    if let trace = seen.trace { facts.append(("trace", trace)) }
    return facts
  }

  private static func property(_ name: String, _ value: String, indent: Int) -> String {
    String(repeating: " ", count: indent)
      + "<property name=\"\(name)\" value=\"\(ReportText.markup(value))\"/>\n"
  }
}
