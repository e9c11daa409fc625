import Testing

@testable import SettleCommand

/// One row: a command line and what it means, or the message of its usage error.
struct ParserRow: Sendable, CustomTestStringConvertible {
  var line: String
  var command: CommandName?
  var options: [OptionName: String] = [:]
  var arguments: [String] = []
  var testDescription: String { line }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func words(_ line: String) -> [[UInt8]] { line.split(separator: " ").map { bytes(String($0)) } }

let idText = "01jz3k5w8p9q2r4t6v8x0y1z2a"

@Suite struct ParserTests {
  // FIL-6
  @Test(arguments: [
    ParserRow(line: "", command: nil),
    ParserRow(line: "ls", command: .ls),
    ParserRow(line: "ls --json", command: .ls, options: [.json: ""]),
    ParserRow(line: "--json ls", command: .ls, options: [.json: ""]),
    ParserRow(line: "--library x ls", command: .ls, options: [.library: "x"]),
    ParserRow(line: "ls --library=x", command: .ls, options: [.library: "x"]),
    ParserRow(line: "ls --library=a=b", command: .ls, options: [.library: "a=b"]),
    ParserRow(line: "ls --library --json", command: .ls, options: [.library: "--json"]),
    ParserRow(
      line: "import -nqv a", command: .import,
      options: [.dryRun: "", .quiet: "", .verbose: ""], arguments: ["a"]),
    ParserRow(line: "import -j4 a", command: .import, options: [.jobs: "4"], arguments: ["a"]),
    ParserRow(
      line: "import -nj 4 a", command: .import, options: [.dryRun: "", .jobs: "4"],
      arguments: ["a"]),
    ParserRow(
      line: "import a -q b", command: .import, options: [.quiet: ""], arguments: ["a", "b"]),
    ParserRow(line: "import -- -q --json", command: .import, arguments: ["-q", "--json"]),
    ParserRow(line: "import -", command: .import, arguments: ["-"]),
    ParserRow(
      line: "import -0 --files-from -", command: .import, options: [.null: "", .filesFrom: "-"]),
    ParserRow(
      line: "import --on-duplicate keep --on-duplicate=fail a", command: .import,
      options: [.onDuplicate: "fail"], arguments: ["a"]),
    ParserRow(
      line: "export --all -o out", command: .export, options: [.all: "", .output: "out"]),
    ParserRow(line: "rm \(idText) --yes", command: .rm, options: [.yes: ""], arguments: [idText]),
    ParserRow(line: "completions fish", command: .completions, arguments: ["fish"]),
    ParserRow(line: "import --help", command: .import, options: [.help: ""]),
    ParserRow(line: "-h", command: nil, options: [.help: ""]),
  ])
  func commandLinesAreUnderstood(row: ParserRow) throws {
    let parsed = try Parser.parse(words(row.line))
    #expect(parsed.command == row.command)
    #expect(parsed.options == row.options.mapValues(bytes))
    #expect(parsed.arguments == row.arguments.map(bytes))
  }

  // FIL-6
  @Test func pathsAreBytesAndNeverDecoded() throws {
    let path: [UInt8] = [0x2F, 0xFF, 0x0A, 0x80]
    #expect(try Parser.parse([bytes("import"), path]).arguments == [path])
    let option = try Parser.parse([bytes("ls"), bytes("--library=") + path])
    #expect(option.options[.library] == path)
  }

  // RUN-8
  @Test(arguments: [
    ("lss", #"There is no command "lss". Did you mean ls? See settle --help."#),
    ("improt a", #"There is no command "improt". Did you mean import? See settle --help."#),
    ("resume x", #"There is no command "resume". See settle --help."#),
    ("frobnicate", #"There is no command "frobnicate". See settle --help."#),
    (
      "ls --jsn",
      "There is no option --jsn. Did you mean --json? See settle ls --help."
    ),
    ("ls -z", "There is no option -z. See settle ls --help."),
    ("ls --json=yes", "The option --json takes no value. See settle ls --help."),
    ("ls --library", "The option --library needs a value: DIR. See settle ls --help."),
    ("ls --library=", #"The option --library cannot be "". See settle ls --help."#),
    ("ls --deep", "settle ls has no option --deep. See settle ls --help."),
    ("ls extra", #"settle ls takes no argument "extra". See settle ls --help."#),
    ("import", "settle import needs PATH or --files-from. See settle import --help."),
    ("import -0 a", "The option --null needs --files-from. See settle import --help."),
    (
      "import -j 0 a",
      #"The option --jobs cannot be "0", only a whole number from 1 to 1024. "#
        + "See settle import --help."
    ),
    (
      "import --on-duplicate=skipp a",
      #"The option --on-duplicate cannot be "skipp", only skip, keep, fail. "#
        + "Did you mean skip? See settle import --help."
    ),
    ("show", "settle show needs ID. See settle show --help."),
    ("show x", #""x" is not an id; settle ls lists them. See settle show --help."#),
    ("export --all", "settle export needs -o DIR. See settle export --help."),
    (
      "export --all \(idText) -o x", "Give ids or --all, not both. See settle export --help."
    ),
    (
      "completions bsh",
      #"SHELL cannot be "bsh", only bash, zsh, fish. Did you mean bash? "#
        + "See settle completions --help."
    ),
    ("completions bash fish", #"Too many arguments: "fish". See settle completions --help."#),
    ("--json", "The option --json needs a command. See settle --help."),
  ])
  func mistakesAreNamedWithASuggestion(line: String, text: String) {
    #expect(usageError(line)?.text == text)
  }

  // FIL-6
  @Test func aMistakeNeverPrintsRawBytes() {
    let error = usageError([[0x1B, 0x5B, 0xFF]])
    #expect(error?.text == #"There is no command "\x1B[\xFF". See settle --help."#)
  }

  private func usageError(_ line: String) -> UsageError? { usageError(words(line)) }

  private func usageError(_ arguments: [[UInt8]]) -> UsageError? {
    do throws(UsageError) {
      _ = try Parser.parse(arguments)
      return nil
    } catch { return error }
  }
}
