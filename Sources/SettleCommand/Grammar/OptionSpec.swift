/// The options of the tool. Each is one row of ``OptionSpec/all``.
enum OptionName: String, CaseIterable, Sendable {
  case library, dryRun, jobs, quiet, verbose, json, progress, color, noInput, yes, help, version
  case filesFrom, null, onDuplicate, failIfEmpty
  case all, output, deep
  case report, compare
}

/// What an option's value is.
struct ValueSpec: Sendable, Equatable {
  /// What a completion offers.
  enum Kind: Sendable, Equatable {
    case file, folder, number
    case choice([String])
  }

  var placeholder: String
  var kind: Kind

  /// The words that are allowed, or none when anything is.
  var choices: [String] {
    if case .choice(let words) = kind { words } else { [] }
  }
}

/// One option: a row of the table that makes parsing, help, completions and the man page.
struct OptionSpec: Sendable {
  var name: OptionName
  var long: String
  var short: Character?
  var value: ValueSpec?
  var help: String

  /// `-o, --output DIR`.
  var usage: String {
    let shortPart = short.map { "-\($0), " } ?? "    "
    return shortPart + "--" + long + (value.map { " " + $0.placeholder } ?? "")
  }

  /// A row; the spelling is `--long` or `-s --long`.
  private static func row(
    _ name: OptionName, _ spelling: String, value: ValueSpec? = nil, _ help: String
  ) -> OptionSpec {
    let words = spelling.split(separator: " ")
    let long = words.last?.dropFirst(2) ?? ""
    let short = words.count == 2 ? words[0].last : nil
    return OptionSpec(name: name, long: String(long), short: short, value: value, help: help)
  }

  private static func choice(_ words: String...) -> ValueSpec {
    ValueSpec(placeholder: words.joined(separator: "|"), kind: .choice(words))
  }

  /// The row of one option.
  static func of(_ name: OptionName) -> OptionSpec {
    guard let row = all.first(where: { $0.name == name }) else {
      preconditionFailure("no row for the option \(name)")
    }
    return row
  }

  /// Options that every command takes.
  static let common: [OptionName] = [
    .library, .dryRun, .jobs, .quiet, .verbose, .json, .progress, .color, .noInput, .yes, .help,
    .version,
  ]

  /// Every option of the tool.
  static let all: [OptionSpec] = [
    row(
      .library, "--library", value: ValueSpec(placeholder: "DIR", kind: .folder),
      "The library; otherwise $SETTLE_LIBRARY, otherwise the default folder."),
    row(.dryRun, "-n --dry-run", "Say what would be done and change nothing."),
    row(
      .jobs, "-j --jobs", value: ValueSpec(placeholder: "N", kind: .number),
      "Work on N documents at once."),
    row(.quiet, "-q --quiet", "Print nothing but data and errors."),
    row(.verbose, "-v --verbose", "Print a line for every item."),
    row(.json, "--json", "Print one JSON object a line on standard output."),
    row(
      .progress, "--progress", value: choice("auto", "bar", "plain", "none"),
      "How progress is shown on standard error."),
    row(.color, "--color", value: choice("auto", "always", "never"), "When to use colour."),
    row(.noInput, "--no-input", "Never ask a question."),
    row(.yes, "--yes", "Answer every question with yes."),
    row(.help, "-h --help", "Show this help."),
    row(.version, "--version", "Show the version."),
    row(
      .filesFrom, "--files-from", value: ValueSpec(placeholder: "FILE", kind: .file),
      "Read more paths from FILE, one a line; - is standard input."),
    row(.null, "-0 --null", "The paths of --files-from end with a zero byte, not a line end."),
    row(
      .onDuplicate, "--on-duplicate", value: choice("skip", "keep", "fail"),
      "What to do when the library holds the same content already."),
    row(.failIfEmpty, "--fail-if-empty", "End with exit code 9 when there was nothing to import."),
    row(.all, "--all", "Every document of the library."),
    row(
      .output, "-o --output", value: ValueSpec(placeholder: "PATH", kind: .file),
      "Where to write: export to a folder, which is made when it does not exist; selftest to a "
        + "file."),
    row(.deep, "--deep", "Also read every document and compare its hash."),
    row(
      .report, "--report", value: choice("html", "json", "junit", "md"),
      "Print the acceptance report in this format, or write it to the file of --output."),
    row(
      .compare, "--compare", value: ValueSpec(placeholder: "FILE", kind: .file),
      "Say what has changed since an older report, a file of --report json."),
  ]
}
