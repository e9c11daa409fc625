import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess

/// Runs the real tool as a child process and reads its JSON lines.
struct DemoChild {
  /// One line that a child printed, with the few members that the demo looks at.
  struct Line: Sendable {
    let text: String

    /// A member that holds plain text. The demo's own names need no escapes.
    func text(_ key: String) -> String? {
      value(after: "\"\(key)\":\"").map { String($0.prefix { $0 != "\"" }) }
    }

    /// A member that holds a whole number.
    func number(_ key: String) -> Int? {
      value(after: "\"\(key)\":").flatMap { Int($0.prefix { $0.isNumber }) }
    }

    private func value(after start: String) -> Substring? {
      var rest = text[...]
      while !rest.isEmpty {
        if rest.hasPrefix(start) { return rest.dropFirst(start.count) }
        rest = rest.dropFirst()
      }
      return nil
    }
  }

  /// What a child left.
  struct Result: Sendable {
    var lines: [Line]
    var ending: ChildProcess.ExitStatus

    /// Lines of a type.
    func lines(_ type: String) -> [Line] { lines.filter { $0.text("type") == type } }

    /// Items that ended so.
    func items(_ outcome: String) -> [Line] {
      lines("item").filter { $0.text("outcome") == outcome }
    }
  }

  let program: BytePath
  let library: BytePath
  /// True once somebody asked the demo itself to stop.
  let isCancelled: @Sendable () -> Bool

  /// Longest time for one child, so that the demo cannot hang.
  private static let limit: Duration = .seconds(15)

  /// Runs `settle ARGUMENTS --json`; after `count` settled items the child gets the signal.
  func run(
    _ arguments: [[UInt8]], signal: Int32? = nil, afterItems count: Int = 0
  ) throws(SettleError) -> Result {
    let common = ["--json", "--no-input", "--library"].map { Array($0.utf8) } + [library.bytes]
    var command = Command(program.bytes, common + arguments)
    command.errors = .null
    let child = try ChildProcess(command)
    let patience = Patience(for: Self.limit, isCancelled: isCancelled)
    var reader = LineReader()
    var waiting = signal
    reading: while true {
      switch child.read(upTo: 65_536, patience: patience) {
      case .bytes(let bytes): reader.add(bytes)
      case .end: break reading
      case .timedOut, .cancelled: throw end(child, arguments)
      }
      if let signal = waiting, reader.itemCount >= count {
        child.signalGroup(signal)
        waiting = nil
      }
    }
    guard let ending = child.wait(patience: patience) else { throw end(child, arguments) }
    return Result(lines: reader.lines, ending: ending)
  }

  /// Ends a child that took too long or that nobody wants any more.
  private func end(_ child: ChildProcess, _ arguments: [[UInt8]]) -> SettleError {
    child.kill()
    return SettleError(isCancelled() ? .cancelled : .timeout, subject: arguments.first ?? [])
  }

  private struct LineReader {
    var lines: [Line] = []
    var itemCount = 0
    private var rest: [UInt8] = []

    mutating func add(_ bytes: [UInt8]) {
      rest += bytes
      var start = rest.startIndex
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Line(text: String(decoding: rest[start..<end], as: UTF8.self))
        if line.text("type") == "item" { itemCount += 1 }
        lines.append(line)
        start = end + 1
      }
      rest = Array(rest[start...])
    }
  }
}
