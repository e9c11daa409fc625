/// Help as whole text, made from the tables.
enum HelpText {
  /// What `settle` alone prints: twelve lines to start from.
  static let startPage = """
    settle imports documents so that each ends in one known outcome.

      settle import ~/Scans          copy, verify and record every PDF below a folder
      settle ls                      list the library
      settle export --all -o DIR     copy the documents out again
      settle check --deep            read every document and compare its hash
      settle doctor                  is everything in place?
      settle demo                    a tour on made-up documents, offline, 20 seconds

    Ctrl-C stops at a clean point; a crash is repaired by the next command that writes.
    The library is a folder of its own; --library DIR or $SETTLE_LIBRARY names another one.
    All commands: settle --help. The manual: settle man | man -l -

    """

  /// What `settle --help` prints.
  static func tool() -> String {
    var lines = examples(CommandSpec.of(.import).examples)
    lines += ["Usage: settle COMMAND [OPTION]... [ARGUMENT]...", "", "Commands:"]
    lines += CommandSpec.all.map { row($0.name.rawValue, $0.summary, width: 14) }
    lines += ["", "Options of every command:"] + options(OptionSpec.common.map(OptionSpec.of))
    lines += ["", "Exit codes:"]
    lines += ExitStatus.allCases.map { row(String($0.rawValue), $0.meaning, width: 6) }
    lines += ["", "settle COMMAND --help says more about a command."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// What `settle COMMAND --help` prints.
  static func command(_ spec: CommandSpec) -> String {
    var lines = examples(spec.examples) + ["Usage: " + spec.usage, ""]
    for paragraph in spec.description { lines += wrapped(paragraph, width: 80) }
    if !spec.options.isEmpty {
      lines += ["", "Options:"] + options(spec.options.map(OptionSpec.of))
    }
    lines += ["", "Options of every command:"] + options(OptionSpec.common.map(OptionSpec.of))
    return lines.joined(separator: "\n") + "\n"
  }

  /// Cuts a paragraph into lines at spaces.
  static func wrapped(_ paragraph: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  private static func examples(_ examples: [Example]) -> [String] {
    var lines = ["Examples:"]
    for example in examples { lines += ["  " + example.line, "      " + example.note] }
    return lines + [""]
  }

  private static func options(_ specs: [OptionSpec]) -> [String] {
    specs.flatMap { spec in
      let usage = "  " + spec.usage
      let text = wrapped(spec.help, width: 54)
      guard usage.count < 26 else { return [usage] + text.map { indent(26) + $0 } }
      let first = usage + indent(26 - usage.count) + (text.first ?? "")
      return [first] + text.dropFirst().map { indent(26) + $0 }
    }
  }

  private static func row(_ left: String, _ right: String, width: Int) -> String {
    "  " + left + indent(max(1, width - left.count)) + right
  }

  private static func indent(_ count: Int) -> String { String(repeating: " ", count: count) }
}
