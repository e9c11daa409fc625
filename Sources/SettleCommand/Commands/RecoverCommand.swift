import Settle
import SettleTerminal

/// `settle recover`.
enum RecoverCommand {
  static func run(_ context: Context) async throws -> Ending {
    let isDryRun = context.settings.isDryRun
    // Opening repairs nothing here, so that every finding is told.
    let library = try await context.openForWriting(creates: false, recovers: false)
    defer { library.close() }
    let console = context.console
    let report = try await context.cancellable(
      saying: "Stopping, unless a repair has begun: then all are finished. A second signal leaves "
        + "now.",
      {
        try await library.recover(dryRun: isDryRun) { finding in
          console.data(FindingLines.line(finding, isDryRun: isDryRun))
          console.json(FindingLines.members(finding))
        }
      })
    if context.interruptions.first != nil {
      console.urgent("Too late to cancel: the recovery had begun.")
    }
    let status: ExitStatus = report.postponedCount > 0 ? .missingToolOrRight : .success
    if report.isClean {
      console.talk("There is nothing to recover.")
    } else {
      let done = isDryRun ? "Would recover" : "Recovered"
      console.talk("\(done): \(FindingLines.counts(report.counts)).")
    }
    if report.postponedCount > 0 {
      console.urgent(
        "\(Quantity.count(report.postponedCount)) could not be finished now and stay as they are; "
          + "see settle doctor, then run settle recover again.")
    }
    console.lastJSON(FindingLines.summary(report.counts, status))
    return .exit(status)
  }
}
