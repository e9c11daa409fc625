import CSettleSystem
import SettleCore
import SettleFiles
import SettleTerminal
import SettleTestKit

/// `settle selftest`.
enum SelftestCommand {
  static func run(
    _ context: Context, _ suite: Selftest.Suite = Selftest.Suite()
  ) async throws -> Ending {
    let console = context.console
    let old = try await olderReport(context)
    guard let file = try await reportFile(context) else { return .exit(.success) }
    // From here a signal must not leave at once, because the folder has to go. One that comes now
    // is delivered when the cells begin.
    context.interruptions.handle(
      with: Interruptions.Handler(
        cancel: { _ in }, lastLines: { Interruptions.lastLines(of: .selftest, $0) }))
    let folder = try DemoFolder(below: place(context), named: ".settle-selftest-")
    defer { folder.remove() }
    let selftest = Selftest(suite: suite, folder: folder, seed: seed())
    var report = AcceptanceReport(
      title: "settle selftest", environment: environment(folder, selftest.seed))
    let result = try await cells(of: selftest, report, context)
    report.cells = result.cells
    report.interruption = result.interruption
    console.clear()
    try print(report, comparedTo: old, to: file.map(\.self), context)
    return end(report, context)
  }

  /// Runs the cells; the first signal skips those that are not begun.
  private static func cells(
    of selftest: Selftest, _ report: AcceptanceReport, _ context: Context
  ) async throws -> MatrixResult {
    let console = context.console
    let total = selftest.suite.matrix.cells.count
    let counter = Reported(0)
    let streamsJUnit = streamsJUnit(context)
    return try await context.cancellable(
      saying: "Stopping after the cell at work. A second signal leaves now, and leaves "
        + "\(selftest.folder.path) behind."
    ) {
      if streamsJUnit { console.output.write(JUnitReport.head(of: report)) }
      raw(report.environmentLine, console)
      return await selftest.run { cell in
        counter.add { count in
          count += 1
          raw(AcceptanceReport.line(cell), console)
          if streamsJUnit { console.output.write(JUnitReport.testCase(cell)) }
          if context.settings.progress == .bar {
            console.draw(["settle selftest: \(count) of \(total) cells"])
          }
        }
      }
    }
  }

  private static func end(_ report: AcceptanceReport, _ context: Context) -> Ending {
    let signal = report.interruption == nil ? nil : context.interruptions.first
    let status =
      signal.map(ExitStatus.init(signal:)) ?? (report.isAccepted ? .success : .mismatch)
    let console = context.console
    console.talk(SelftestText(report: report, style: console.style).verdict)
    var members: [(String, JSON)] = [
      ("type", .text("summary")), ("cells", .int(Int64(report.cells.count))),
    ]
    members += CellVerdict.allCases.map { ($0.rawValue, .int(Int64(report.count($0)))) }
    members += [
      ("faults_planned", .int(Int64(report.faults.planned))),
      ("faults_fired", .int(Int64(report.faults.fired))),
      ("accepted", .bool(report.isAccepted)),
      ("interruption", report.interruption.map { .text($0) } ?? .null),
      ("exit_code", .int(Int64(status.rawValue))),
    ]
    console.lastJSON(members)
    return signal.map { .signal($0) } ?? .exit(status)
  }

  // MARK: The report

  /// JUnit on standard output is written cell by cell, so that something is left in any case.
  private static func streamsJUnit(_ context: Context) -> Bool {
    context.invocation.word(.report) == "junit" && !context.invocation.has(.output)
      && !context.settings.isJSON
  }

  /// The document that was asked for, to its file or to standard output, or the text for people.
  private static func print(
    _ report: AcceptanceReport, comparedTo old: AcceptanceReport?, to file: ReportFile?,
    _ context: Context
  ) throws(SettleError) {
    let console = context.console
    let format = context.invocation.word(.report)
    let document = format.map { text(of: report, $0, comparedTo: old) }
    if streamsJUnit(context) {
      console.output.write(JUnitReport.tail)
    } else if let document, file == nil {
      console.document("report", document)
    } else {
      let style = Style(isColored: context.settings.colorsOutput)
      SelftestText(report: report, style: style).lines.forEach(console.data)
    }
    if let old {
      let comparison = report.compared(to: old)
      let lines = SelftestText.changes(comparison)
      lines.forEach(document == nil || file != nil ? console.data : console.talk)
      console.json(members(comparison))
    }
    if let document, let file {
      try file.write(document)
      console.talk("The report is at \(file.path).")
    }
  }

  /// The report in a format of `--report`.
  static func text(
    of report: AcceptanceReport, _ format: String, comparedTo old: AcceptanceReport? = nil
  ) -> String {
    switch format {
    case "html": report.html(comparedTo: old)
    case "junit": report.junit()
    case "md": report.markdown(comparedTo: old)
    default: report.json()
    }
  }

  private static func members(_ comparison: ReportComparison) -> [(String, JSON)] {
    func names(_ cells: [ReportCell]) -> JSON { .list(cells.map { .text("\($0.combination)") }) }
    return [
      ("type", .text("comparison")), ("summary", .text(comparison.summary)),
      ("new_failures", names(comparison.newFailures)), ("mended", names(comparison.mended)),
      ("now_skipped", names(comparison.nowSkipped)), ("new_cells", names(comparison.newCells)),
      ("gone_cells", names(comparison.goneCells)),
    ]
  }

  private static func raw(_ line: String, _ console: Console) {
    if console.settings.isJSON { console.output.write(line + "\n") }
  }

  // MARK: What was asked for

  private static func olderReport(_ context: Context) async throws -> AcceptanceReport? {
    guard let path = context.invocation.options[.compare] else { return nil }
    guard let bytes = try await InputFile.read(path) else {
      throw UsageError(
        message: "--compare needs a file, and \(quoted(path)) is a folder.", command: .selftest)
    }
    do throws(ReportError) {
      return try AcceptanceReport(json: bytes)
    } catch {
      throw UsageError(
        message: "\(quoted(path)) is no report of settle selftest --report json: "
          + "\(shown(error.description.utf8)).", command: .selftest)
    }
  }

  /// The file to write, if one was named; nil when the user does not want it replaced.
  private static func reportFile(_ context: Context) async throws -> ReportFile?? {
    guard let path = context.invocation.options[.output] else { return .some(nil) }
    var file = ReportFile(path: BytePath(path))
    guard try file.exists() else { return file }
    let settings = context.settings
    if !settings.answersYes {
      guard settings.canAsk else {
        throw UsageError(
          message: "\(file.path) is there already: name another file, or give --yes to replace "
            + "it.", command: .selftest)
      }
      guard await context.agrees("Replace \(file.path)? [y/N] ") else { return nil }
    }
    file.replaces = true
    return file
  }

  /// Beside the library, because its file system matters; without a library the temporary folder.
  private static func place(_ context: Context) -> BytePath {
    if let library = context.settings.library, let parent = library.parent,
      library.withCString({ access($0, F_OK) }) == 0,
      parent.withCString({ access($0, W_OK | X_OK) }) == 0
    {
      return parent
    }
    return BytePath(Surroundings.ofThisProcess().value("TMPDIR") ?? Array("/tmp".utf8))
  }

  private static func environment(_ folder: DemoFolder, _ seed: UInt64) -> ReportEnvironment {
    var environment = ReportEnvironment.current(in: folder.path)
    environment.package = "settle \(ToolVersion.text)"
    environment.seed = seed
    return environment
  }

  /// That of `SETTLE_SEED`, to run the same documents again, or a new one.
  private static func seed() -> UInt64 {
    let given = getenv("SETTLE_SEED").flatMap { UInt32(String(cString: $0)) }
    return UInt64(given ?? UInt32.random(in: 0...UInt32.max))
  }
}
