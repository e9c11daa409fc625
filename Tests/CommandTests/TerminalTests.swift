import Foundation
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

@testable import SettleCommand
@testable import SettleTerminal

/// The tool on a pseudo terminal, which a small Python program makes.
@Suite struct TerminalTests {
  /// Runs a program on a terminal of some columns, types an answer, and copies what it shows.
  /// With a second width the terminal is resized once something was shown.
  private static let helper = """
    import fcntl, os, pty, struct, sys, termios
    columns, later, answer = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
    def resize(descriptor, columns):
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child, terminal = pty.fork()
    if child == 0:
        resize(0, columns)
        os.execv(sys.argv[4], sys.argv[4:])
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
        if later and b"#" in seen:
            resize(terminal, later)
            later = 0
        if answer and b"[y/N] " in seen:
            os.write(terminal, answer + b"\\n")
            answer = b""
    status = os.waitpid(child, 0)[1]
    os.write(1, seen)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
    """

  // OBS-2, PRG-9
  @Test func theBarIsDrawnInPlaceAndGivesWayToTheSummary() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(300)
      guard let result = try onTerminal(tool, "import @/in") else { return }
      #expect(result.code == 0)
      #expect(result.output.contains("\u{1B}[2K"))
      #expect(result.output.contains("importing ["))
      #expect(!result.output.contains("100 %"), "the outcome is told by the summary")
      #expect(!result.output.contains("\u{1B}[?25l"), "the cursor stays visible")
      let screen = Screen(columns: 80).showing(result.output)
      #expect(screen.first?.hasPrefix("Imported 300 of 300 items") == true, "\(screen)")
      #expect(!screen.contains { $0.contains("importing") }, "\(screen)")
    }
  }

  // OBS-2
  @Test func failuresStandAboveTheBarAndStay() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(200)
      try tool.write(Documents.html, to: bytes("bad.pdf"))
      guard let result = try onTerminal(tool, "import @/in --color never") else { return }
      #expect(result.code == 3)
      let screen = Screen(columns: 80).showing(result.output)
      #expect(screen.contains { $0.hasPrefix("failed: Not a PDF") }, "\(screen)")
      #expect(!screen.contains { $0.contains("importing") }, "\(screen)")
    }
  }

  // OBS-2
  @Test func narrowAndResizedTerminalsNeverWrapTheFrame() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(300)
      for (columns, later) in [(20, 0), (80, 24)] {
        let line = "import --on-duplicate keep @/in"
        let result = try onTerminal(tool, line, Setup(columns: columns, later: later))
        guard let result else { return }
        #expect(result.code == 0)
        let frames = result.output.components(separatedBy: "\u{1B}[2K").dropFirst().dropLast()
        for frame in frames where !frame.contains("\n") && later == 0 {
          #expect(ColumnWidth.of(frame.filter { $0 != "\r" }) <= columns, "\(frame)")
        }
        #expect(result.output.contains(" %"))
      }
    }
  }

  // OBS-2
  @Test func aDumbTerminalGetsPlainLines() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(50)
      let result = try onTerminal(tool, "import @/in", Setup(variables: [("TERM", "dumb")]))
      guard let result else { return }
      #expect(result.code == 0)
      #expect(!result.output.contains("\u{1B}"))
      #expect(result.output.contains("Imported 50 of 50 items"))
    }
  }

  // IMP-13
  @Test func deletingAsksOnATerminalAndTakesNoForAnAnswer() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let id = try #require(try tool.run("ls").output.split(separator: " ").first)
      guard let refused = try onTerminal(tool, "rm \(id)", Setup(answer: "n")) else { return }
      #expect(refused.code == 0)
      #expect(refused.output.contains("Nothing was deleted."))
      #expect(try tool.run("ls").output.contains(id))
      let unasked = try onTerminal(tool, "rm --no-input \(id)")
      #expect(unasked?.code == 2)
      let agreed = try onTerminal(tool, "rm \(id)", Setup(answer: "y"))
      #expect(agreed?.code == 0)
      #expect(try tool.run("ls").output == "")
    }
  }

  /// How the terminal is.
  struct Setup {
    var columns = 80
    var later = 0
    var answer = ""
    var variables: [(name: String, value: String)] = []
  }

  /// nil, with a printed reason, when there is no Python.
  private func onTerminal(
    _ tool: ToolRun, _ line: String, _ setup: Setup = Setup()
  ) throws -> ToolRun.Result? {
    let path = environmentValue("PATH") ?? []
    guard let python = findExecutable(named: bytes("python3"), path: path) else {
      print("skipped: there is no python3 here")
      return nil
    }
    let first = ["-c", Self.helper, "\(setup.columns)", "\(setup.later)", setup.answer].map(bytes)
    var command = Command(python, first + [tool.program.bytes] + tool.split(line))
    command.environment = tool.variables(setup.variables)
    return try tool.run(command, input: "")
  }
}

/// What a terminal shows after some output: just enough of one for what the tool writes.
struct Screen {
  let columns: Int

  /// The rows, without those at the end that are empty.
  func showing(_ output: String) -> [String] {
    var rows: [[Character]] = [[]]
    var (row, column) = (0, 0)
    var rest = Array(output.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        if row == rows.count { rows.append([]) }
      case "\u{1B}":
        let code = rest.prefix { !("a"..."z" ~= $0) && !("A"..."Z" ~= $0) }
        rest = rest.dropFirst(code.count)
        switch rest.popFirst() {
        case "K": rows[row] = []
        case "A": row = max(0, row - 1)
        default: break
        }
      default:
        if column == columns {
          (row, column) = (row + 1, 0)
          if row == rows.count { rows.append([]) }
        }
        while rows[row].count <= column { rows[row].append(" ") }
        rows[row][column] = Character(scalar)
        column += 1
      }
    }
    let lines = rows.map { String($0) }
    return Array(lines[..<((lines.lastIndex { !$0.isEmpty } ?? -1) + 1)])
  }
}
