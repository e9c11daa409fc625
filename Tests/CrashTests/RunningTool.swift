import CSettleSystem
import SettleTestSupport

@testable import SettleProcess

/// A `settle` that runs while a test watches it, line by line.
final class RunningTool {
  let child: ChildProcess
  private var buffer: [UInt8] = []
  private var isEnded = false
  /// All that was read so far.
  private(set) var lines: [JSONLine] = []

  /// Starts a command whose standard output is a pipe.
  init(_ command: Command) throws { child = try ChildProcess(command) }

  var process: pid_t { child.processIdentifier }

  /// The next line; nil when the tool closed its output, or was silent for too long.
  func nextLine() -> JSONLine? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = JSONLine(text: String(decoding: buffer[..<end], as: UTF8.self))
        buffer.removeSubrange(...end)
        lines.append(line)
        return line
      }
      guard !isEnded, let more = readMore() else { return nil }
      buffer += more
    }
  }

  /// Reads up to the n-th line of a type; false when the output ends before.
  @discardableResult
  func read(upTo count: Int, of type: String) -> Bool {
    var left = count
    while left > 0 {
      guard let line = nextLine() else { return false }
      if line["type"] == type { left -= 1 }
    }
    return true
  }

  /// Reads to the end as fast as it can and waits for the process; nil when it does not end.
  func finish(within limit: Duration = .seconds(60)) -> ChildProcess.ExitStatus? {
    var rest = buffer
    while !isEnded, let more = readMore() { rest += more }
    let status = child.wait(patience: Patience(for: limit))
    buffer = []
    lines += JSONLine.all(in: rest)
    return status
  }

  private func readMore() -> [UInt8]? {
    switch child.read(upTo: 65_536, patience: Patience(for: .seconds(60))) {
    case .bytes(let bytes): return bytes
    case .end, .timedOut, .cancelled:
      isEnded = true
      return nil
    }
  }

  /// Reads the standard error until it holds a text; false when it ends before.
  func waitForError(_ text: String) -> Bool {
    var seen: [UInt8] = []
    var patience = 3_000
    while patience > 0 {
      var entries = [pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0)]
      _ = Patience(for: .seconds(1)).wait(for: &entries)
      patience -= 1
      guard entries[0].revents != 0, let more = child.readNow(child.errors, upTo: 4_096) else {
        continue
      }
      if more.isEmpty { return false }
      seen += more
      if seen.firstRange(of: Array(text.utf8)) != nil { return true }
    }
    return false
  }

  /// Sends a signal to the tool alone, not to its helpers.
  func signal(_ number: Int32) { _ = CSettleSystem.kill(process, number) }

  /// What was printed, with how it ended.
  func result(_ status: ChildProcess.ExitStatus?) -> ToolResult {
    switch status {
    case .exited(let code): ToolResult(ending: .exited(code), lines: lines)
    case .signalled(let number): ToolResult(ending: .signalled(number), lines: lines)
    case .lost, nil: ToolResult(ending: .timedOut, lines: lines)
    }
  }
}
