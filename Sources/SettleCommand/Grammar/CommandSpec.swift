/// The commands of the tool. Each is one row of ``CommandSpec/all``.
enum CommandName: String, CaseIterable, Sendable {
  case `import`, ls, show, export, rm, check, recover, status, doctor, demo
  case checkTrace = "check-trace"
  case selftest
  case completions, man
}

/// An example of use: the command line and what it does.
struct Example: Sendable {
  var line: String
  var note: String
}

/// What a command takes besides options.
struct ArgumentSpec: Sendable {
  /// What a completion offers.
  enum Kind: Sendable, Equatable {
    case path, entry
    case choice([String])
  }

  var placeholder: String
  var kind: Kind
  /// Fewest and most allowed; `most` nil means any number.
  var fewest: Int
  var most: Int?
  /// Options that make it right to give none.
  var replacedBy: [OptionName] = []

  /// `PATH...`, in brackets when it may be left out.
  var usage: String {
    let text = placeholder + (most == 1 ? "" : "...")
    return fewest == 0 || !replacedBy.isEmpty ? "[" + text + "]" : text
  }
}

/// One command: a row of the table that makes parsing, help, completions and the man page.
struct CommandSpec: Sendable {
  var name: CommandName
  var summary: String
  var examples: [Example]
  var argument: ArgumentSpec?
  var options: [OptionName] = []
  /// Sentences for help and man page, one a paragraph.
  var description: [String]

  /// `settle import [OPTION]... PATH...`.
  var usage: String {
    "settle \(name.rawValue) [OPTION]..." + (argument.map { " " + $0.usage } ?? "")
  }

  /// The row of one command.
  static func of(_ name: CommandName) -> CommandSpec {
    guard let row = all.first(where: { $0.name == name }) else {
      preconditionFailure("no row for the command \(name)")
    }
    return row
  }

  /// Options that this command takes, its own first.
  var allOptions: [OptionSpec] { (options + OptionSpec.common).map(OptionSpec.of) }
}
