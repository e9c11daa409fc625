import CSettleSystem
import SettleCore
import SettleFiles

/// Ends what hangs: on a thread of its own, so that no starved pool can stop it.
///
/// When the time is over it prints who waits where and the end of the trace on standard error,
/// writes the whole trace as a report, and ends the process: neither Swift Testing nor XCTest can
/// end a test that is stuck.
public final class Watchdog: Sendable {
  /// What a watchdog does.
  public struct Options: Sendable {
    /// What is watched, as the report calls it.
    public var name: String
    /// How long the work may take. More than the limit of any single wait, which says more.
    public var limit: Duration = .waitLimit * 4
    /// The file to which the report is written: the trace as JSON Lines, with one note for each
    /// waiter. A file that is there is replaced. None: no report.
    public var report: BytePath?
    /// Ends the process with ``Watchdog/exitCode``; otherwise the work goes on hanging, told of.
    public var endsProcess = true

    /// The values for everyday use. A test's name is a good name.
    public init(_ name: String) { self.name = name }
  }

  /// The exit code of a process that a watchdog ended.
  public static let exitCode: Int32 = 97

  private let trace: Trace
  private let parking: Parking
  private let options: Options
  /// True once the work has ended.
  private let isOver = Monitor(false)

  private init(_ kit: TestKit, _ options: Options) {
    trace = kit.trace
    parking = kit.parking
    self.options = options
  }

  /// Runs work under a watchdog. Throws what the work throws, or that no thread could be started.
  public static func watching<Result>(
    _ kit: TestKit, _ options: Options, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Result
  ) async throws -> Result {
    let dog = Watchdog(kit, options)
    try WorkerThread.start { dog.watch() }
    defer { dog.isOver.withLock { $0 = true } }
    return try await work()
  }

  /// The same for a test that runs on a thread.
  public static func watchingBlocking<Result>(
    _ kit: TestKit, _ options: Options, _ work: () throws -> Result
  ) throws -> Result {
    let dog = Watchdog(kit, options)
    try WorkerThread.start { dog.watch() }
    defer { dog.isOver.withLock { $0 = true } }
    return try work()
  }

  private func watch() {
    let ended: Void? = isOver.wait(atMost: options.limit) { $0 ? () : nil }
    if ended != nil { return }
    say(told())
    if let report = options.report { write(to: report) }
    if options.endsProcess { _exit(Self.exitCode) }
  }

  /// What is printed.
  private func told() -> String {
    let events = trace.events
    let tail = events.enumerated().suffix(20).map { "  event \($0.offset + 1): \($0.element)" }
    let name = quoted(Array(options.name.utf8))
    return
      (["settle: \(name) has not ended within \(options.limit). Who waits where:"]
      + [parking.table, "The end of its trace, of \(events.count) events:"] + tail)
      .joined(separator: "\n") + "\n"
  }

  private func write(to path: BytePath) {
    var events = trace.events
    events.append(TraceEvent(.note, name: "hung", detail: options.name))
    for waiter in parking.waiters {
      events.append(TraceEvent(.note, name: "parked", detail: waiter.description))
    }
    let descriptor = path.withCString {
      settle_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0, put(Array(TraceWriter.text(events).utf8), descriptor),
      close(descriptor) == 0
    else { return say("settle: no report at \(path): error \(settle_errno())\n") }
    say("settle: the report is at \(path)\n")
  }

  private func say(_ text: String) { _ = put(Array(text.utf8), STDERR_FILENO) }

  private func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { CSettleSystem.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, settle_errno() == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
