import SettleCore

extension AcceptanceReport {
  /// The report as one HTML page: a matrix to read at a glance, what failed, every cell.
  ///
  /// No script and nothing from outside; light and dark, on a phone and in print.
  public func html(comparedTo old: AcceptanceReport? = nil) -> String {
    HTMLReport(report: self, old: old).page
  }
}

/// One page.
private struct HTMLReport {
  let report: AcceptanceReport
  let old: AcceptanceReport?

  private func text(_ value: String) -> String { ReportText.markup(value) }

  var page: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(text(report.title)): \(verdict)</title>
    <style>
    \(HTMLStyle.text)</style>
    </head>
    <body>
    <main>
    <h1>\(text(report.title))</h1>
    <p class="verdict \(report.isAccepted ? "good" : "bad")">\(verdict)</p>
    <p>\(text(report.totalsText)). \(faults)</p>
    \(comparison)\(failures)<h2>Matrix</h2>
    \(legend)
    \(matrices)\(allCells)<h2>Environment</h2>
    <dl>
    \(environment)</dl>
    </main>
    </body>
    </html>

    """
  }

  private var verdict: String { report.isAccepted ? "Accepted" : "Not accepted" }

  private var faults: String {
    "Planned faults that happened: \(report.faults.fired) of \(report.faults.planned)."
  }

  private var environment: String {
    report.environment.facts.map { fact in
      let value = fact.value.map(text) ?? "<span class=\"unknown\">unknown</span>"
      return "<div><dt>\(fact.heading)</dt><dd>\(value)</dd></div>\n"
    }.joined()
  }

  // MARK: What failed

  private var failures: String {
    let failed = report.cells.indices.filter { report.cells[$0].hasFailed }
    let skipped = report.cells.indices.filter { report.cells[$0].verdict == .skipped }
    return list("What failed", failed) + list("Skipped, so not passed", skipped)
  }

  private func list(_ heading: String, _ indices: [Int]) -> String {
    if indices.isEmpty { return "" }
    let items = indices.map { index in
      let cell = report.cells[index]
      return "<li><a href=\"#c\(index + 1)\">\(text(cell.combination.description))</a>: "
        + "\(text(cell.verdict.words)). \(text(cell.reason))</li>\n"
    }
    return "<h2>\(heading) (\(indices.count))</h2>\n<ul class=\"told\">\n\(items.joined())</ul>\n"
  }

  private var comparison: String {
    guard let old else { return "" }
    let comparison = report.compared(to: old)
    var rows = [
      ("New failures", comparison.newFailures), ("Mended", comparison.mended),
      ("Now skipped", comparison.nowSkipped), ("New cells", comparison.newCells),
      ("Cells that are gone", comparison.goneCells),
    ].filter { !$0.1.isEmpty }.map { heading, cells in
      let names = cells.map { "<li>\(text($0.combination.description))</li>" }.joined()
      return "<h3>\(heading) (\(cells.count))</h3>\n<ul class=\"told\">\(names)</ul>\n"
    }
    if !comparison.environment.isEmpty {
      let changes = comparison.environment.map {
        "<li>\($0.heading): \(text($0.old ?? "unknown")) → \(text($0.new ?? "unknown"))</li>"
      }
      rows.append(
        "<h3>Changed environment</h3>\n<ul class=\"told\">\(changes.joined())</ul>\n")
    }
    return "<h2>Compared with the older report</h2>\n<p>\(text(comparison.summary)).</p>\n"
      + rows.joined()
  }

  // MARK: The matrix

  private static func mark(_ verdict: CellVerdict) -> String {
    switch verdict {
    case .asExpected: "✓"
    case .notAsExpected: "✗"
    case .skipped: "–"
    case .inconclusive: "?"
    case .hung: "∞"
    case .crashed: "!"
    }
  }

  private var legend: String {
    let items = CellVerdict.allCases.map {
      "<span><b class=\"\($0.rawValue)\">\(Self.mark($0))</b> \($0.words)</span>"
    }
    return "<p class=\"legend\">\(items.joined(separator: " "))</p>"
  }

  /// A table for each action, in the order in which they come.
  private var matrices: String {
    var actions: [String] = []
    var places: [String: [Int]] = [:]
    for (index, cell) in report.cells.enumerated() {
      if places[cell.combination.action] == nil { actions.append(cell.combination.action) }
      places[cell.combination.action, default: []].append(index)
    }
    return actions.map { matrix($0, places[$0] ?? []) }.joined()
  }

  private func matrix(_ action: String, _ indices: [Int]) -> String {
    var rows: [String] = []
    var columns: [String] = []
    var fields: [String: [String: [Int]]] = [:]
    var known: Set<String> = []
    for index in indices {
      let combination = report.cells[index].combination
      let row = combination.fileType + ", " + combination.source
      let column = Self.column(combination)
      if fields[row] == nil { rows.append(row) }
      if known.insert(column).inserted { columns.append(column) }
      fields[row, default: [:]][column, default: []].append(index)
    }
    let heads = columns.map { "<th scope=\"col\"><span>\(text($0))</span></th>" }.joined()
    let body = rows.map { row in
      let cells = columns.map { "<td>\(field(fields[row]?[$0] ?? []))</td>" }.joined()
      return "<tr><th scope=\"row\">\(text(row))</th>\(cells)</tr>\n"
    }
    return "<div class=\"scroll\" tabindex=\"0\"><table class=\"matrix\">\n"
      + "<caption>\(text(action))</caption>\n<thead><tr><td></td>\(heads)</tr></thead>\n<tbody>\n"
      + body.joined() + "</tbody></table></div>\n"
  }

  private static func column(_ combination: MatrixCombination) -> String {
    switch (combination.hasFault, combination.isCancelled) {
    case (false, false): "undisturbed"
    case (true, false): combination.fault
    case (false, true): "cancelled \(combination.cancelAt)"
    case (true, true): "\(combination.fault), cancelled \(combination.cancelAt)"
    }
  }

  private func field(_ indices: [Int]) -> String {
    indices.map { index in
      let cell = report.cells[index]
      let told = cell.reason.isEmpty ? cell.verdict.words : "\(cell.verdict.words): \(cell.reason)"
      return "<a class=\"\(cell.verdict.rawValue)\" href=\"#c\(index + 1)\" "
        + "title=\"\(text(told))\" aria-label=\"\(text(cell.verdict.words))\">"
        + "\(Self.mark(cell.verdict))</a>"
    }.joined()
  }

  // MARK: Every cell

  private var allCells: String {
    let heads = [
      "Cell", "Verdict", "Expected", "Actual", "Fault happened", "Stored bytes", "Completions",
      "Seconds",
    ]
    let rows = report.cells.indices.map(row)
    return "<h2>Every cell</h2>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"cells\">\n"
      + "<thead><tr>" + heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
      + "</tr></thead>\n<tbody>\n" + rows.joined() + "</tbody></table></div>\n"
  }

  private func row(_ index: Int) -> String {
    let cell = report.cells[index]
    let seen = cell.observation
    var verdict = cell.verdict.words
    if !cell.reason.isEmpty { verdict += ": " + cell.reason }
    if let schedule = seen.schedule { verdict += " (schedule: \(schedule))" }
    if let trace = seen.trace { verdict += " (trace: \(trace))" }
    let fields = [
      cell.cell.expected.description, seen.actual?.description ?? "",
      seen.fired.map { $0 ? "yes" : "no" } ?? "", seen.byteCount.map { String($0) } ?? "",
      seen.completionCount.map { String($0) } ?? "",
      cell.duration.map(ReportText.seconds) ?? "",
    ]
    return "<tr id=\"c\(index + 1)\"><th scope=\"row\">"
      + "\(text(cell.combination.description))</th>"
      + "<td class=\"\(cell.verdict.rawValue)\">\(Self.mark(cell.verdict)) \(text(verdict))</td>"
      + fields.map { "<td>\(text($0))</td>" }.joined() + "</tr>\n"
  }
}
