import Settle
import Synchronization

/// `settle recover`.
enum RecoverCommand {
  static func run(_ context: Context) async throws -> Ending {
    let isDryRun = context.settings.isDryRun
    // Opening repairs nothing here, so that every finding is told.
    let library = try await context.openForWriting(creates: false, recovers: false)
    defer { library.close() }
    let console = context.console
    let isPostponed = Flag()
    let report = try await library.recover(dryRun: isDryRun) { finding in
      if finding.action == .postponed { isPostponed.set() }
      console.data(FindingLines.line(finding, isDryRun: isDryRun))
      console.json(FindingLines.members(finding))
    }
    let status: ExitStatus = isPostponed.isSet ? .missingToolOrRight : .success
    if report.isClean {
      console.talk("There is nothing to recover.")
    } else {
      let done = isDryRun ? "Would recover" : "Recovered"
      console.talk("\(done): \(FindingLines.counts(report.counts)).")
    }
    if isPostponed.isSet {
      console.urgent("Some could not be verified for want of the verifier; see settle doctor.")
    }
    console.json(FindingLines.summary(report.counts, status))
    return .exit(status)
  }
}

/// A flag that any thread may set.
private final class Flag: Sendable {
  private let value = Mutex(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
