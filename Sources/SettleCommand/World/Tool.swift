import CSettleSystem
import SettleCore
import SettleFiles

/// The tool from arguments to ending: parse, wire, run, report.
enum Tool {
  /// Runs a command line (without the program's name) and says how the process is to end.
  static func run(_ arguments: [[UInt8]], _ around: Surroundings) async -> Ending {
    let output = OutputPipe(STDOUT_FILENO)
    let errors = OutputPipe(STDERR_FILENO)
    var invocation = Invocation()
    var problem: UsageError?
    do throws(UsageError) {
      invocation = try Parser.parse(arguments)
    } catch {
      problem = error
      invocation = Invocation(command: error.command)
      if asksForJSON(arguments) { invocation.options[.json] = [] }
    }
    let settings = Settings(invocation, around)
    let console = Console(settings: settings, output: output, errors: errors)
    let ending =
      if let problem {
        fail(problem, console)
      } else {
        await perform(invocation, console)
      }
    return checked(ending, console)
  }

  /// True when `--json` stands before the first `--`, however wrong the rest is.
  private static func asksForJSON(_ arguments: [[UInt8]]) -> Bool {
    arguments.prefix { $0 != Array("--".utf8) }.contains(Array("--json".utf8))
  }

  private static func fail(_ problem: UsageError, _ console: Console) -> Ending {
    if console.settings.isJSON {
      console.json([
        ("type", .text("error")), ("code", .text("usage")), ("message", .text(problem.text)),
        ("exit_code", .int(Int64(ExitStatus.usage.rawValue))),
      ])
      if problem.command == .import { console.json(ImportLines.neverStarted(.usage)) }
    } else {
      console.urgent(console.style.bad("settle: ") + problem.text)
    }
    return .exit(.usage)
  }

  private static func perform(_ invocation: Invocation, _ console: Console) async -> Ending {
    if invocation.has(.help) {
      let text = invocation.command.map { HelpText.command(.of($0)) } ?? HelpText.tool()
      console.document("help", text)
      return .exit(.success)
    }
    if invocation.has(.version) {
      console.document("version", "settle \(ToolVersion.text)\n")
      return .exit(.success)
    }
    guard let command = invocation.command else {
      console.document("start", HelpText.startPage)
      return .exit(.success)
    }
    let interruptions = Interruptions(command, console: console)
    do {
      try interruptions.start()
      let context = Context(
        invocation: invocation, settings: console.settings, console: console,
        interruptions: interruptions)
      return try await run(command, context)
    } catch let problem as UsageError {
      return fail(problem, console)
    } catch {
      return fail(error, command, (console, interruptions.first))
    }
  }

  /// Reports an error that ended a command; a cancellation by signal ends by that signal.
  private static func fail(
    _ error: any Error, _ command: CommandName, _ world: (console: Console, signal: Int32?)
  ) -> Ending {
    let error = error as? SettleError ?? SettleError(.unexpected, detail: "\(error)")
    let (console, signal) = world
    let isCancelled = error.code == .cancelled
    let status = isCancelled ? signal.map(ExitStatus.init(signal:)) : nil
    if isCancelled, signal != nil, !console.settings.isJSON {
      console.clear()
      // Of most commands the shell says enough; some say what is left.
      if !error.detail.isEmpty { console.urgent("settle: " + error.message) }
    } else {
      console.fail(error, status ?? ExitStatus(for: error))
    }
    if command == .import {
      console.lastJSON(ImportLines.neverStarted(status ?? ExitStatus(for: error)))
    }
    if isCancelled, let signal { return .signal(signal) }
    return .exit(ExitStatus(for: error))
  }

  /// Data that could not be written is a failure, whatever the command thought.
  private static func checked(_ ending: Ending, _ console: Console) -> Ending {
    guard let number = console.output.failure, ending == .exit(.success) else { return ending }
    let cause = SettleError.Cause(call: "write", number: number)
    let error = SettleError(.ioError, subject: Array("standard output".utf8), cause: cause)
    console.urgent(console.style.bad("settle: ") + error.message)
    return .exit(.unexpected)
  }

  private static func run(_ command: CommandName, _ context: Context) async throws -> Ending {
    switch command {
    case .import: try await ImportCommand.run(context)
    case .ls: try await ListCommand.run(context)
    case .show: try await ShowCommand.run(context)
    case .export: try await ExportCommand.run(context)
    case .rm: try await RemoveCommand.run(context)
    case .check: try await CheckCommand.run(context)
    case .recover: try await RecoverCommand.run(context)
    case .status: try await StatusCommand.run(context)
    case .doctor: try await DoctorCommand.run(context)
    case .demo: try await DemoCommand.run(context)
    case .checkTrace: try await CheckTraceCommand.run(context)
    case .selftest: try await SelftestCommand.run(context)
    case .completions: CompletionsCommand.run(context)
    case .man: ManCommand.run(context)
    }
  }
}
