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
    let report = try await library.recover(dryRun: isDryRun) { finding in
      console.data(FindingLines.line(finding, isDryRun: isDryRun))
      console.json(FindingLines.members(finding))
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
        "\(Quantity.count(report.postponedCount)) could not be verified now and stay as they are; "
          + "see settle doctor, then run settle recover again.")
    }
    console.json(FindingLines.summary(report.counts, status))
    return .exit(status)
  }
}
