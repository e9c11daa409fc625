import Settle
import SettleTerminal

/// `settle check`.
enum CheckCommand {
  static func run(_ context: Context) async throws -> Ending {
    let library = try await context.openForReading()
    defer { library.close() }
    let console = context.console
    let isDeep = context.invocation.has(.deep)
    let told = Reported<[Finding.Kind: Int]>([:])
    let report = try await context.cancellable(
      lastLines: { number in
        told.abandon().map { [cancelled($0, checked: nil, number)] } ?? []
      },
      {
        try await library.check(deep: isDeep) { finding in
          told.add { counts in
            counts[finding.kind, default: 0] += 1
            console.data(FindingLines.line(finding, isDryRun: false))
            console.json(FindingLines.members(finding))
          }
        }
      })
    let signal = report.wasCancelled ? context.interruptions.first : nil
    let status: ExitStatus = report.isClean ? .success : .mismatch
    let documents = Quantity.count(report.checkedCount, "document", "documents")
    if let signal {
      let found = report.counts.isEmpty ? "nothing was found" : FindingLines.counts(report.counts)
      console.talk("Cancelled after \(documents): \(found). The rest was not checked.")
      let line = cancelled(report.counts, checked: report.checkedCount, signal)
      if !told.finish({ console.lastJSON(line) }) { await Interruptions.waitForTheEnd() }
      return .signal(signal)
    }
    if report.isClean {
      console.talk("Checked \(documents): every one is there and as it was.")
    } else {
      console.talk("Checked \(documents): \(FindingLines.counts(report.counts)).")
      for advice in FindingLines.advice(report.counts) { console.talk("Next: " + advice) }
    }
    let line = FindingLines.summary(report.counts, checked: report.checkedCount, status)
    if !told.finish({ console.lastJSON(line) }) { await Interruptions.waitForTheEnd() }
    return .exit(status)
  }

  /// The last line of a check that did not look at everything; what it looked at may be unknown.
  private static func cancelled(
    _ counts: [Finding.Kind: Int], checked: Int?, _ signal: Int32
  ) -> [(String, JSON)] {
    [
      ("type", .text("summary")), ("state", .text(RunState.cancelled.rawValue)),
      ("checked", checked.map { .int(Int64($0)) } ?? .null),
      ("findings", FindingLines.json(counts)),
      ("exit_code", .int(Int64(ExitStatus(signal: signal).rawValue))),
    ]
  }
}
