import CSettleSystem
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

/// How a held tool is started.
struct Holding {
  /// Not even the first line fits into the pipe.
  var isFull = false
  /// What the shell that starts the tool runs first.
  var before = ""
  /// Where standard output and standard error lead.
  var streams = "2>&1 >\"$OUTPUT_PIPE\""
}

/// The tool with its standard output in a named pipe that the test holds: nobody reads until the
/// test says so, so the tool is held at its first line that does not fit.
///
/// What it says on standard error arrives at once, so a test can wait for it.
final class HeldTool {
  let child: ChildProcess
  private let pipe: Int32
  private var talk = ""
  /// Longest wait for anything; reached only when a test fails.
  static let limit: Duration = .seconds(60)

  /// Starts `settle ARGUMENTS`.
  init(_ tool: ToolRun, _ line: String, _ holding: Holding = Holding()) throws {
    let path = tool.folder.appending("output-pipe".utf8)
    _ = path.withCString { unlink($0) }
    #expect(path.withCString { mkfifo($0, 0o600) } == 0)
    // Open for both directions: then neither this nor the tool waits for the other to open it.
    pipe = path.withCString { settle_openat(AT_FDCWD, $0, O_RDWR | O_NONBLOCK, 0) }
    #expect(pipe >= 0)
    if holding.isFull { Self.fill(pipe) }
    let script = holding.before + "exec \"$0\" \"$@\" " + holding.streams
    var command = Command(
      Array("/bin/sh".utf8),
      [Array("-c".utf8), Array(script.utf8), tool.program.bytes] + tool.split(line))
    let variable = (name: "OUTPUT_PIPE", value: String(decoding: path.bytes, as: UTF8.self))
    command.environment = tool.variables([variable])
    child = try ChildProcess(command)
  }

  deinit { close(pipe) }

  /// Waits until the tool has written something to standard output.
  func waitForOutput() {
    var entry = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 60_000) == 1, "the tool wrote nothing")
  }

  /// Waits until the tool has said this on standard error.
  func waitForTalk(_ text: String) throws {
    let patience = Patience(for: Self.limit)
    while !talk.contains(text) {
      guard case .bytes(let bytes) = child.read(upTo: 4_096, patience: patience) else {
        Issue.record("the tool did not say \(text), only \(talk)")
        return
      }
      talk += String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Reads all output until the tool has ended.
  func finish() throws -> ToolRun.Result {
    var output: [UInt8] = []
    let deadline = ContinuousClock.now + Self.limit
    var ending: ChildProcess.ExitStatus?
    while ending == nil, ContinuousClock.now < deadline {
      ending = child.poll()
      var entry = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 20) == 1 { output += Self.readNow(pipe) }
    }
    output += Self.readNow(pipe)
    while case .bytes(let bytes) = child.read(upTo: 4_096, patience: Patience(for: Self.limit)) {
      talk += String(decoding: bytes, as: UTF8.self)
    }
    return ToolRun.Result(
      ending: try #require(ending?.asEnding), output: String(decoding: output, as: UTF8.self),
      talk: talk)
  }

  private static func fill(_ pipe: Int32) {
    // Whole blank lines: a reader of JSON lines passes over them.
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
    while write(pipe, lines, lines.count) > 0 {}
    while write(pipe, lines, 1) > 0 {}
  }

  private static func readNow(_ pipe: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(pipe, &piece, piece.count), count > 0 { all += piece[..<count] }
    return all
  }
}

extension ChildProcess.ExitStatus {
  fileprivate var asEnding: CommandResult.Ending? {
    switch self {
    case .exited(let code): .exited(code)
    case .signalled(let number): .signalled(number)
    case .lost: nil
    }
  }
}
