import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess

/// One running helper, as the caller that has checked it out sees it.
struct VerifierProcess: Sendable {
  /// The end of one request.
  enum Answer: Sendable {
    /// The helper answered and is ready for the next request.
    case answered(WireAnswer)
    /// The helper is of no more use, and the document may be why.
    case broken(detail: String)
    /// Somebody else killed the helper, such as a system that is short of memory.
    case killed(detail: String)
    /// The helper ended before it read the request; the document is not to blame.
    case endedBefore(detail: String)
    /// The caller cancelled; the helper is killed.
    case cancelled
  }

  let child: ChildProcess
  let engine: String
  /// Which `close()` of the pool it belongs to.
  let generation: Int
  var servedCount = 0

  /// Starts a helper and waits for its greeting; nil when cancelled.
  init?(
    program: BytePath, generation: Int, patience: Patience
  ) throws(SettleError) {
    var command = Command(program.bytes)
    command.input = .pipe
    command.errors = .null
    // A crash is an expected answer; the Swift runtime must not spend seconds explaining it.
    command.environment = environment(replacing: [("SWIFT_BACKTRACE", "enable=no")])
    do {
      child = try ChildProcess(command)
    } catch {
      var error = error
      error.stage = .verification
      throw error
    }
    self.generation = generation
    var line: [UInt8] = []
    switch Self.readLine(from: child, into: &line, patience: patience) {
    case .line: break
    case .cancelled: return nil
    case .timedOut: throw Self.failure(program, "it did not greet in time")
    case .ended:
      throw Self.failure(program, "it \(Self.describe(child.kill())) before its greeting")
    case .tooLong: throw Self.failure(program, "it does not speak the helper's language")
    }
    guard let engine = Wire.engine(inGreeting: line) else {
      throw Self.failure(
        program, "it does not speak the helper's language, version \(Wire.version)")
    }
    self.engine = engine
  }

  /// Asks about one file. After any answer but `answered` the helper is dead and collected.
  mutating func ask(_ path: BytePath, patience: Patience) -> Answer {
    servedCount += 1
    switch child.write(Wire.request(path: path.bytes), patience: patience) {
    case .written: break
    case .closed: return .endedBefore(detail: Self.describe(child.kill()))
    case .timedOut: return broken("no answer in time")
    case .cancelled: return cancelled()
    }
    var line: [UInt8] = []
    switch Self.readLine(from: child, into: &line, patience: patience) {
    case .line:
      guard line.first == Wire.begun, let answer = WireAnswer(line: Array(line.dropFirst())) else {
        return broken("it answered out of turn")
      }
      return .answered(answer)
    case .timedOut: return broken("no answer in time")
    case .cancelled: return cancelled()
    case .tooLong: return broken("it answered out of turn")
    case .ended:
      let status = child.kill()
      let detail = Self.describe(status)
      if line.isEmpty { return .endedBefore(detail: detail) }
      // The helper's own limits end it by other signals, and ours are not seen as an end.
      if status == .signalled(SIGKILL) || status == .signalled(SIGTERM) {
        return .killed(detail: detail)
      }
      return .broken(detail: "it \(detail)")
    }
  }

  private func broken(_ detail: String) -> Answer {
    child.kill()
    return .broken(detail: detail)
  }

  private func cancelled() -> Answer {
    child.kill()
    return .cancelled
  }

  static func failure(_ program: BytePath, _ detail: String) -> SettleError {
    SettleError(.toolFailed, stage: .verification, subject: program.bytes, detail: detail)
  }

  private static func describe(_ status: ChildProcess.ExitStatus) -> String {
    switch status {
    case .exited(let code): "ended with code \(code)"
    case .signalled(let number): "was ended by signal \(number)"
    case .lost: "ended"
    }
  }
}

extension VerifierProcess {
  private enum LineEnding { case line, ended, tooLong, timedOut, cancelled }

  /// Reads one line and nothing after it: a helper that says more than it was asked is broken.
  private static func readLine(
    from child: ChildProcess, into line: inout [UInt8], patience: Patience
  ) -> LineEnding {
    while true {
      switch child.read(upTo: Wire.longestAnswer + 2 - line.count, patience: patience) {
      case .bytes(let bytes):
        line += bytes
        if let end = line.firstIndex(of: Wire.newline) {
          guard end == line.count - 1 else { return .tooLong }
          line.removeLast()
          return .line
        }
        if line.count > Wire.longestAnswer { return .tooLong }
      case .end: return .ended
      case .timedOut: return .timedOut
      case .cancelled: return .cancelled
      }
    }
  }
}
