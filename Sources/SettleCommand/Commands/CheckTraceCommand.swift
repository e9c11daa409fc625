import SettleCore
import SettleTerminal
import SettleTestKit

/// `settle check-trace FILE|-`.
enum CheckTraceCommand {
  static func run(_ context: Context) async throws -> Ending {
    let path = context.invocation.arguments[0]
    guard let bytes = try await InputFile.read(path) else {
      throw UsageError(
        message: "settle check-trace needs a file, and \(quoted(path)) is a folder.",
        command: .checkTrace)
    }
    let console = context.console
    let events: [TraceEvent]
    do throws(TraceError) {
      events = try TraceReader.events(bytes)
    } catch {
      refuse(path, error, console)
      return .exit(.usage)
    }
    let judgement = RuleSet.settle.judge(events)
    for violation in judgement.violations {
      console.data(violation.description)
      console.json(members(violation))
    }
    let status: ExitStatus = judgement.isClean ? .success : .mismatch
    talk(judgement, console)
    console.json(summary(judgement, status))
    return .exit(status)
  }

  private static func refuse(_ path: [UInt8], _ error: TraceError, _ console: Console) {
    let text = "\(quoted(path)) is not a trace: \(error)."
    console.json([
      ("type", .text("error")), ("code", .text("notATrace")), ("message", .text(text)),
      ("line", .int(Int64(error.line))), ("column", .int(Int64(error.column))),
      ("exit_code", .int(Int64(ExitStatus.usage.rawValue))),
    ])
    if !console.settings.isJSON { console.urgent(console.style.bad("settle: ") + text) }
  }

  private static func talk(_ judgement: Judgement, _ console: Console) {
    let events = Quantity.count(judgement.eventCount, "event", "events")
    let broken = judgement.results.count { !$0.finding.violations.isEmpty }
    console.talk(
      "Judged \(events) by \(judgement.results.count) rules: \(judgement.passed.count) passed, "
        + "\(broken) broken, \(judgement.vacuous.count) saw nothing.")
    if !judgement.vacuous.isEmpty {
      console.talk("Saw none of their events: " + judgement.vacuous.joined(separator: ", ") + ".")
    }
  }

  private static func members(_ violation: Violation) -> [(String, JSON)] {
    let witnesses = violation.witnesses.map { witness in
      JSON.object([
        ("event", .int(Int64(witness.number))), ("kind", .text(witness.event.kind.rawValue)),
        ("text", .text(witness.event.description)),
      ])
    }
    return [
      ("type", .text("violation")), ("rule", .text(violation.rule)),
      ("message", .text(violation.message)), ("witnesses", .list(witnesses)),
    ]
  }

  private static func summary(_ judgement: Judgement, _ status: ExitStatus) -> [(String, JSON)] {
    let broken = judgement.results.filter { !$0.finding.violations.isEmpty }.map(\.rule)
    return [
      ("type", .text("summary")), ("events", .int(Int64(judgement.eventCount))),
      ("violations", .int(Int64(judgement.violations.count))),
      ("passed", .list(judgement.passed.map { .text($0) })),
      ("broken", .list(broken.map { .text($0) })),
      ("saw_nothing", .list(judgement.vacuous.map { .text($0) })),
      ("exit_code", .int(Int64(status.rawValue))),
    ]
  }
}
