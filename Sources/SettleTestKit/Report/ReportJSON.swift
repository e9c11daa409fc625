import SettleCore

extension AcceptanceReport {
  /// The schema's name, as it stands in every report.
  public static let schema = "settle-acceptance"
  /// The schema's version. Members may be added in one version; a change of meaning is a new one.
  public static let schemaVersion = 1

  /// The report as JSON, a cell on each line: what ``init(json:)`` reads.
  public func json() -> String {
    var text = "{\n\(head),\n\"environment\":\(ReportJSON.environment(environment)),\n"
    text += "\"totals\":\(ReportJSON.totals(self)),\n\"cells\":["
    for (index, cell) in cells.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      text += ReportJSON.object(ReportJSON.members(of: cell))
    }
    return text + (cells.isEmpty ? "]\n}\n" : "\n]\n}\n")
  }

  /// The report as JSON Lines: the environment, each cell, the totals.
  public func jsonLines() -> String {
    ([environmentLine] + cells.map(Self.line) + [totalsLine]).joined(separator: "\n") + "\n"
  }

  /// The first of the JSON Lines, without a line end.
  public var environmentLine: String {
    "{\"type\":\"environment\",\(head),\"environment\":\(ReportJSON.environment(environment))}"
  }

  /// The line of one cell, without a line end: a report can be written while its cells are run.
  public static func line(_ cell: ReportCell) -> String {
    ReportJSON.object([("type", "\"cell\"")] + ReportJSON.members(of: cell))
  }

  /// The last of the JSON Lines, without a line end.
  public var totalsLine: String { "{\"type\":\"totals\",\"totals\":\(ReportJSON.totals(self))}" }

  private var head: String {
    let title = TraceWriter.quotedJSON(title)
    return "\"schema\":\"\(Self.schema)\",\"version\":\(Self.schemaVersion),\"title\":\(title)"
  }
}

/// The parts of a report as JSON.
enum ReportJSON {
  static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  static func environment(_ environment: ReportEnvironment) -> String {
    let numbers: Set<String> = ["cores", "freeBytes", "seed"]
    return object(
      environment.facts.map { fact in
        guard let value = fact.value else { return (fact.key, "null") }
        if fact.key == "caseSensitive" { return (fact.key, value == "yes" ? "true" : "false") }
        return (fact.key, numbers.contains(fact.key) ? value : TraceWriter.quotedJSON(value))
      })
  }

  static func totals(_ report: AcceptanceReport) -> String {
    let verdicts = CellVerdict.allCases.map { ($0.rawValue, String(report.count($0))) }
    let faults = report.faults
    return object(
      [("cells", String(report.cells.count))] + verdicts + [
        ("faultsPlanned", String(faults.planned)), ("faultsFired", String(faults.fired)),
        ("interruption", report.interruption.map(text) ?? "null"),
        ("accepted", report.isAccepted ? "true" : "false"),
      ])
  }

  static func members(of cell: ReportCell) -> [(String, String)] {
    let (combination, seen) = (cell.combination, cell.observation)
    return [
      ("action", text(combination.action)), ("fileType", text(combination.fileType)),
      ("source", text(combination.source)),
      ("fault", combination.hasFault ? text(combination.fault) : "null"),
      ("fired", seen.fired.map { $0 ? "true" : "false" } ?? "null"),
      ("cancelAt", combination.isCancelled ? text(combination.cancelAt) : "null"),
      ("expected", text(cell.cell.expected.description)),
      ("actual", seen.actual.map { text($0.description) } ?? "null"),
      ("verdict", text(cell.verdict.rawValue)), ("reason", text(cell.reason)),
      ("counts", seen.counts.map(counts) ?? "null"),
      ("bytes", seen.byteCount.map { String($0) } ?? "null"),
      ("completions", seen.completionCount.map { String($0) } ?? "null"),
      ("leftovers", list(seen.leftovers)), ("problems", list(seen.problems)),
      ("duration", cell.duration.map(ReportText.seconds) ?? "null"),
      ("schedule", seen.schedule.map(text) ?? "null"),
      ("trace", seen.trace.map(text) ?? "null"),
    ]
  }

  private static func text(_ value: String) -> String { TraceWriter.quotedJSON(value) }

  private static func list(_ values: [String]) -> String {
    "[" + values.map(text).joined(separator: ",") + "]"
  }

  private static func counts(_ counts: OutcomeCounts) -> String {
    object(OutcomeKind.allCases.map { ($0.rawValue, String(counts[$0])) })
  }
}
