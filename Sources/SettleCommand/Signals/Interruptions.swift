import CSettleSystem
import SettleCore
import SettleFiles
import Synchronization

/// The signals that ask the tool to stop: INT, TERM and HUP.
///
/// The first one goes to the command at work, which cancels cooperatively; the second leaves at
/// once. A command without work to cancel leaves at the first. Once the last JSON line is written
/// the process ends as that line says.
final class Interruptions: Sendable {
  /// What a command does about signals.
  struct Handler: Sendable {
    /// Asks the work to stop and says so.
    var cancel: @Sendable (Int32) -> Void
    /// The last JSON lines when the process leaves in the middle of the work. None when the work
    /// has just ended and prints its own.
    var lastLines: @Sendable (Int32) -> [[(String, JSON)]]

    /// The same after the work: a first signal comes too late.
    func afterWork(_ console: Console) -> Handler {
      Handler(
        cancel: { _ in console.urgent("Too late to cancel: it is done.") }, lastLines: lastLines)
    }
  }

  private struct State: Sendable {
    var handler: Handler?
    var first: Int32?
    var count = 0
  }

  private let state = Mutex(State())
  private let console: Console
  private let command: CommandName

  /// Interruptions of a command, which say what they have to say on a console.
  init(_ command: CommandName, console: Console) {
    self.command = command
    self.console = console
  }

  /// The first signal that came, if any.
  var first: Int32? { state.withLock { $0.first } }

  /// Sets what the next signal does; nil: leave at once. A signal that came before is delivered.
  func handle(with handler: Handler?) {
    let early = state.withLock { state in
      state.handler = handler
      return state.first
    }
    if let early { handler?.cancel(early) }
  }

  /// Sets what the next signal does. One that came before is not delivered again.
  func replace(with handler: Handler) { state.withLock { $0.handler = handler } }

  /// Starts watching. A signal that the parent had ignored, as nohup does, stays ignored.
  ///
  /// A write to a closed pipe becomes an error of that write: SIGPIPE is caught here and its byte
  /// is not acted upon. Caught and not ignored, because children would inherit that.
  func start() throws(SettleError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw SettleError(.unexpected, cause: .init(call: "pipe", number: settle_errno()))
    }
    let (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = settle_fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = settle_fcntl(writer, F_SETFL, O_NONBLOCK)
    try WorkerThread.start { [self] in listen(reader) }
    for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] where settle_signal_is_ignored(number) == 0 {
      guard settle_watch_signal(number, writer) == 0 else {
        throw SettleError(.unexpected, cause: .init(call: "sigaction", number: settle_errno()))
      }
    }
  }

  private func listen(_ reader: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = read(reader, &byte, 1)
      if count < 0, settle_errno() == EINTR { continue }
      guard count == 1 else { return }
      if Int32(byte) != SIGPIPE { receive(Int32(byte)) }
    }
  }

  private func receive(_ number: Int32) {
    let (handler, count) = state.withLock { state in
      if state.first == nil { state.first = number }
      state.count += 1
      return (state.handler, state.count)
    }
    if count == 1, let handler {
      cancel(handler, number)
      return
    }
    if console.settings.isJSON {
      let lines = handler?.lastLines(number) ?? Self.lastLines(of: command, number)
      let text = lines.map { JSON.object($0).line + "\n" }.joined()
      // The last line is there and the process about to end. Only who insists is served first.
      if !console.output.endNow(with: text), count < 3 { return }
    }
    console.errors.endNow(with: "")
    Self.leave(by: number)
  }

  /// Cancels on a thread of its own: what it says may be held up by a reader that does not read,
  /// and then the second signal must still be heard.
  private func cancel(_ handler: Handler, _ number: Int32) {
    do throws(SettleError) {
      try WorkerThread.start { handler.cancel(number) }
    } catch {
      handler.cancel(number)
    }
  }

  /// The last JSON lines of a command that a signal ends; those of an import end as always.
  static func lastLines(of command: CommandName, _ number: Int32) -> [[(String, JSON)]] {
    let status = ExitStatus(signal: number)
    let error = Console.errorMembers(SettleError(.cancelled), status)
    return command == .import ? [error, ImportLines.neverStarted(status)] : [error]
  }

  /// For a thread that has nothing more to say because another one is about to end the process.
  static func waitForTheEnd() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  /// Ends the process by the real signal, so that the shell sees what happened.
  static func leave(by number: Int32) -> Never {
    settle_restore_signal(number)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
    // The signal ends the process; should it not, the code says the same.
    _exit(128 + number)
  }
}
