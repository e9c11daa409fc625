/// The manual page in roff, made from the tables.
enum ManPage {
  /// The whole page.
  static func text() -> String {
    var lines = [
      ".\\\" Made by settle man; do not edit.",
      ".TH SETTLE 1 \"\" \"settle \(ToolVersion.text)\" \"User Commands\"",
      ".SH NAME", "settle \\- import documents so that each ends in one known outcome",
      ".SH SYNOPSIS", ".B settle", ".I COMMAND", "[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...",
      ".SH DESCRIPTION",
    ]
    lines += description.map(escaped)
    lines.append(".SH COMMANDS")
    for spec in CommandSpec.all { lines += command(spec) }
    lines.append(".SH OPTIONS")
    for name in OptionSpec.common { lines += option(OptionSpec.of(name)) }
    lines += signals + exitStatus + environment + files
    lines += [".SH EXAMPLES"]
    for example in CommandSpec.all.flatMap(\.examples) {
      lines += [".TP", ".B " + escaped(example.line), escaped(example.note)]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let description = [
    "A library owns its documents: each was copied, opened with a real parser, made durable and "
      + "recorded before it was reported as imported.",
    "Data goes to standard output, talk and progress to standard error.",
  ]

  private static func command(_ spec: CommandSpec) -> [String] {
    var lines = [".SS \"\(escaped(spec.usage))\"", escaped(spec.summary)]
    for paragraph in spec.description { lines += [".PP", escaped(paragraph)] }
    for name in spec.options { lines += option(OptionSpec.of(name)) }
    return lines
  }

  private static func option(_ spec: OptionSpec) -> [String] {
    var tag = spec.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
    tag += "\\fB\\-\\-" + escaped(spec.long) + "\\fR"
    if let value = spec.value { tag += " \\fI" + escaped(value.placeholder) + "\\fR" }
    return [".TP", tag, escaped(spec.help)]
  }

  private static let signals = [
    ".SH SIGNALS",
    "The first INT, TERM or HUP cancels: the document in hand finishes or rolls back. The second",
    "leaves within a second. Either way the shell sees the signal that ended the command.",
    "A cancellation after the last commit changes nothing, and the exit code is 0.",
    ".PP",
    "With \\-\\-json the last line is a summary also then. After a second signal its counts are",
    "those of the item lines before it, and the last line of an import has the member unknown: the",
    "number of items of which nothing was said. Each of them is either stored or not there at all,",
    "which settle ls tells; null means that the items were still being counted.",
  ]

  private static let exitStatus =
    [".SH \"EXIT STATUS\""]
    + ExitStatus.allCases.flatMap {
      [".TP", ".B " + String($0.rawValue), escaped($0.meaning)]
    }

  private static let environment = [
    ".SH ENVIRONMENT",
    ".TP", ".B SETTLE_LIBRARY", "The library, when \\-\\-library is not given.",
    ".TP", ".B XDG_DATA_HOME", "Where the default library is, below settle/library.",
    ".TP", ".B NO_COLOR", "No colour, when set and not empty.",
    ".TP", ".B CLICOLOR_FORCE", "Colour even off a terminal, when set, not empty and not 0.",
    ".TP", ".B SETTLE_COMMIT", "The commit that settle selftest names in its report.",
    ".TP", ".B SETTLE_SEED", "Where chance starts in settle selftest; a number.",
    ".TP", ".B TERM", "No bar and no colour when it is dumb.",
  ]

  private static let files = [
    ".SH FILES",
    ".TP", ".I ~/.local/share/settle/library", "The default library.",
    ".TP", ".I ~/Library/Application Support/Settle/Library",
    "The default library on macOS.",
  ]

  /// Roff gives a meaning to backslashes, to hyphens and to a dot or quote that begins a line.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case ".", "\n": result += (result.isEmpty ? "\\&" : "") + String(character)
      default: result.append(character)
      }
    }
    return result
  }
}
