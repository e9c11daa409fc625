import CSettleSystem
import Settle
import SettleTerminal
import Synchronization

/// `settle import PATH...`.
enum ImportCommand {
  static func run(_ context: Context) async throws -> Ending {
    let sources = try await SourceList.read(context.invocation)
    let isDryRun = context.settings.isDryRun
    // A dry run changes nothing, so it neither makes nor repairs a library.
    let library = try await context.openForWriting(creates: !isDryRun, recovers: !isDryRun)
    defer { library.close() }
    let display = ImportDisplay(console: context.console)
    let run = try start(sources, library, display, context)
    display.attach(run.snapshot())
    let report = await watch(run, display)
    context.console.clear()
    return await finish(report, display, context)
  }

  /// Shows the run ten times a second, also while nothing moves: silence would look like a hang.
  private static func watch(_ run: ImportRun, _ display: ImportDisplay) async -> ImportReport {
    let ticker = Task {
      while !Task.isCancelled {
        display.show(run.snapshot())
        // Cancelled by the end of the run, which ends the loop too.
        try? await ContinuousClock().sleep(for: .milliseconds(100))
      }
    }
    let report = await run.report()
    ticker.cancel()
    await ticker.value
    display.show(run.snapshot())
    return report
  }

  private static func start(
    _ sources: [ImportSource], _ library: Library, _ display: ImportDisplay, _ context: Context
  ) throws -> ImportRun {
    var options = ImportOptions()
    let policy = context.invocation.word(.onDuplicate).flatMap(DuplicatePolicy.init(rawValue:))
    if let policy { options.onDuplicate = policy }
    options.failsIfEmpty = context.invocation.has(.failIfEmpty)
    options.isDryRun = context.settings.isDryRun
    let box = RunBox()
    let list = LineEnds(context.invocation)
    options.onItem = { item in display.item(list.explained(item)) { box.run?.snapshot() } }
    // Before the first item can be stored: from here on a signal is answered by what is known.
    context.interruptions.handle(with: handler(box, display, context.console))
    let run = try library.import(sources, options: options)
    box.set(run)
    return run
  }

  /// The first signal cancels; the second leaves with what is known.
  private static func handler(
    _ box: RunBox, _ display: ImportDisplay, _ console: Console
  ) -> Interruptions.Handler {
    Interruptions.Handler(
      cancel: { number in
        switch box.cancel() {
        case .accepted, .alreadyRequested:
          let again = number == SIGINT ? "Ctrl-C again" : "A second signal"
          console.urgent(
            "Cancelling: the documents in hand finish or roll back. \(again) leaves now.")
        case .tooLate:
          console.urgent("Too late to cancel: the last document is being published.")
        }
      },
      lastLines: { number in
        guard let reported = display.abandon() else { return [] }
        let status = ExitStatus(signal: number)
        guard let run = box.run else { return [ImportLines.neverStarted(status)] }
        return [ImportLines.abandoned(run.snapshot(), reported, status)]
      })
  }

  private static func finish(
    _ report: ImportReport, _ display: ImportDisplay, _ context: Context
  ) async -> Ending {
    let signal = context.interruptions.first
    let isCancelled = report.state == .cancelled && signal != nil
    let cameTooLate = signal != nil && !isCancelled
    let status = status(
      report.failure, report.counts, display.reasons,
      failsIfEmpty: context.invocation.has(.failIfEmpty))
    let code = isCancelled ? ExitStatus(signal: signal ?? 0) : status
    let console = context.console
    if let failure = report.failure { console.fail(failure, code) }
    var facts = SummaryFacts(state: report.state, counts: report.counts)
    facts.byteCount = report.byteCount
    facts.duration = report.duration
    facts.reasons = display.reasons
    facts.cancelCameTooLate = cameTooLate
    facts.isDryRun = context.settings.isDryRun
    // Without an item there is nothing to sum up but the failure.
    if report.failure == nil || report.counts.settled > 0 {
      SummaryText.lines(facts).forEach(console.talk)
    }
    let note = cameTooLate ? "the cancellation came after the last commit" : nil
    let line = ImportLines.finished(report, code.rawValue, note: note)
    if !display.finish(line) { await Interruptions.waitForTheEnd() }
    if let signal, isCancelled { return .signal(signal) }
    return .exit(status)
  }

  /// What became of the items says more than an error beside them.
  static func status(
    _ failure: SettleError?, _ counts: OutcomeCounts, _ reasons: ReasonTally, failsIfEmpty: Bool
  ) -> ExitStatus {
    if let failure, counts.settled == 0 {
      return failure.code == .noInput && failsIfEmpty ? .nothingToDo : ExitStatus(for: failure)
    }
    if failsIfEmpty, counts.settled == 0 { return .nothingToDo }
    // Nothing could be imported because of the machine, not because of the documents.
    let failures = reasons.groups.filter { $0.kind == .failed }
    if counts.succeeded == 0, !failures.isEmpty,
      failures.allSatisfy({ $0.code == .toolMissing })
    {
      return .missingToolOrRight
    }
    return ExitStatus(counts: counts)
  }
}

/// A run that is known only once `import` has returned.
private final class RunBox: Sendable {
  private struct State: Sendable {
    var run: ImportRun?
    var isCancelled = false
  }

  private let state = Mutex(State())
  var run: ImportRun? { state.withLock { $0.run } }

  func set(_ run: ImportRun) {
    let isCancelled = state.withLock { state in
      state.run = run
      return state.isCancelled
    }
    if isCancelled { run.cancel() }
  }

  /// Cancels the run, at once or as soon as it is known.
  func cancel() -> CancelAnswer {
    let run = state.withLock { state in
      state.isCancelled = true
      return state.run
    }
    return run?.cancel() ?? .accepted
  }
}
