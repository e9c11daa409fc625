import Settle
import SettleTerminal

/// `settle check`.
enum CheckCommand {
  static func run(_ context: Context) async throws -> Ending {
    let library = try await context.openForReading()
    defer { library.close() }
    let console = context.console
    let isDeep = context.invocation.has(.deep)
    let report = try await context.cancellable {
      try await library.check(deep: isDeep) { finding in
        console.data(FindingLines.line(finding, isDryRun: false))
        console.json(FindingLines.members(finding))
      }
    }
    let status: ExitStatus = report.isClean ? .success : .mismatch
    let documents = Quantity.count(report.checkedCount, "document", "documents")
    if report.isClean {
      console.talk("Checked \(documents): every one is there and as it was.")
    } else {
      console.talk("Checked \(documents): \(FindingLines.counts(report.counts)).")
      console.talk(
        "Next: settle recover; a document that is gone comes back by importing it again, and "
          + "settle rm forgets it.")
    }
    console.json(FindingLines.summary(report.counts, checked: report.checkedCount, status))
    return .exit(status)
  }
}
