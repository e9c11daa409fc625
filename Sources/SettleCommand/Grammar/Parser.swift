import SettleCore

/// Reads a command line by the tables, with the habits of GNU tools: `--name value`,
/// `--name=value`, bundled short flags, options anywhere, `--` before names with a dash.
///
/// Arguments are bytes and are never decoded (FIL-6).
struct Parser {
  private var waiting: ArraySlice<[UInt8]>
  private var result = Invocation()

  private static let dash = UInt8(ascii: "-")

  private init(_ arguments: [[UInt8]]) { waiting = arguments[...] }

  /// Parses the arguments without the program's name.
  static func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Invocation {
    var parser = Parser(arguments)
    try parser.readAll()
    try parser.check()
    return parser.result
  }

  private mutating func readAll() throws(UsageError) {
    while let argument = waiting.popFirst() {
      if argument == [Self.dash, Self.dash] {
        while let rest = waiting.popFirst() { try readPlain(rest) }
      } else if argument.starts(with: [Self.dash, Self.dash]) {
        try readLong(argument.dropFirst(2))
      } else if argument.first == Self.dash, argument.count > 1 {
        try readShort(argument.dropFirst())
      } else {
        try readPlain(argument)
      }
    }
  }

  private mutating func readPlain(_ argument: [UInt8]) throws(UsageError) {
    guard result.command == nil else {
      result.arguments.append(argument)
      return
    }
    guard let text = String(validating: argument, as: UTF8.self),
      let command = CommandName(rawValue: text)
    else {
      throw failure(
        "There is no command \(quoted(argument)).",
        near: shown(argument), among: CommandName.allCases.map(\.rawValue))
    }
    result.command = command
  }

  private mutating func readLong(_ text: ArraySlice<UInt8>) throws(UsageError) {
    let equals = text.firstIndex(of: UInt8(ascii: "="))
    let name = text[..<(equals ?? text.endIndex)]
    let attached = equals.map { Array(text[($0 + 1)...]) }
    guard let spec = OptionSpec.all.first(where: { Array($0.long.utf8) == Array(name) }) else {
      throw failure(
        "There is no option --\(shown(name)).",
        near: "--" + shown(name), among: OptionSpec.all.map { "--" + $0.long })
    }
    if spec.value == nil, attached != nil {
      throw failure("The option --\(spec.long) takes no value.")
    }
    try set(spec, attached)
  }

  private mutating func readShort(_ text: ArraySlice<UInt8>) throws(UsageError) {
    var rest = text
    while let letter = rest.popFirst() {
      let spec = OptionSpec.all.first { $0.short?.asciiValue == letter }
      guard let spec else { throw failure("There is no option -\(shown([letter])).") }
      guard spec.value != nil else {
        try set(spec, nil)
        continue
      }
      if rest.first == UInt8(ascii: "=") { rest.removeFirst() }
      let attached = Array(rest)
      rest = []
      try set(spec, attached.isEmpty ? nil : attached)
    }
  }

  private mutating func set(_ spec: OptionSpec, _ attached: [UInt8]?) throws(UsageError) {
    guard let value = spec.value else {
      result.options[spec.name] = []
      return
    }
    guard let bytes = attached ?? waiting.popFirst() else {
      throw failure("The option --\(spec.long) needs a value: \(value.placeholder).")
    }
    try check(bytes, spec, value)
    result.options[spec.name] = bytes
  }

  private func check(
    _ bytes: [UInt8], _ spec: OptionSpec, _ value: ValueSpec
  ) throws(UsageError) {
    let text = String(decoding: bytes, as: UTF8.self)
    let problem = "The option --\(spec.long) cannot be \(quoted(bytes))"
    switch value.kind {
    case .choice(let words) where !words.contains(text):
      throw failure(
        "\(problem), only \(words.joined(separator: ", ")).", near: shown(bytes), among: words)
    case .number where Int(text).map { (1...1024).contains($0) } != true:
      throw failure("\(problem), only a whole number from 1 to 1024.")
    case .file, .folder:
      if bytes.isEmpty || bytes.contains(0) { throw failure("\(problem).") }
    case .choice, .number: break
    }
  }

  /// What can be judged only when everything was read.
  private func check() throws(UsageError) {
    if result.has(.help) || result.has(.version) { return }
    guard let command = result.command else {
      let only = result.options.keys.map { OptionSpec.of($0).long }.sorted().first
      if let only { throw failure("The option --\(only) needs a command.") }
      return
    }
    let spec = CommandSpec.of(command)
    for option in result.options.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard spec.options.contains(option) || OptionSpec.common.contains(option) else {
        throw failure("settle \(command.rawValue) has no option --\(OptionSpec.of(option).long).")
      }
    }
    try checkArguments(spec)
    try checkNeeds(command)
  }

  private func checkArguments(_ spec: CommandSpec) throws(UsageError) {
    let count = result.arguments.count
    guard let argument = spec.argument else {
      guard let first = result.arguments.first else { return }
      throw failure("settle \(spec.name.rawValue) takes no argument \(quoted(first)).")
    }
    let replaced = argument.replacedBy.contains(where: result.has)
    if count < argument.fewest, !replaced {
      let others = argument.replacedBy.map { " or --\(OptionSpec.of($0).long)" }.joined()
      throw failure("settle \(spec.name.rawValue) needs \(argument.placeholder)\(others).")
    }
    if let most = argument.most, count > most {
      throw failure("Too many arguments: \(quoted(result.arguments[most])).")
    }
    for bytes in result.arguments { try checkArgument(bytes, argument) }
  }

  private func checkArgument(_ bytes: [UInt8], _ argument: ArgumentSpec) throws(UsageError) {
    switch argument.kind {
    case .path:
      if bytes.isEmpty { throw failure("A path cannot be empty.") }
    case .entry:
      if SortableID(typed: bytes) == nil {
        throw failure("\(quoted(bytes)) is not an id; settle ls lists them.")
      }
    case .choice(let words):
      guard !words.contains(String(decoding: bytes, as: UTF8.self)) else { return }
      throw failure(
        "\(argument.placeholder) cannot be \(quoted(bytes)), only "
          + "\(words.joined(separator: ", ")).", near: shown(bytes), among: words)
    }
  }

  private func checkNeeds(_ command: CommandName) throws(UsageError) {
    if command == .export {
      if result.has(.all), !result.arguments.isEmpty {
        throw failure("Give ids or --all, not both.")
      }
      if !result.has(.output) { throw failure("settle export needs -o DIR.") }
    }
    if command == .selftest, result.has(.output), !result.has(.report) {
      throw failure("The option --output needs --report.")
    }
    if command == .import, result.has(.null), !result.has(.filesFrom) {
      throw failure("The option --null needs --files-from.")
    }
  }

  private func failure(
    _ message: String, near word: String = "", among words: [String] = []
  ) -> UsageError {
    UsageError(
      message: message, suggestion: Suggestion.nearest(to: word, among: words),
      command: result.command)
  }
}
