/// A parsed command line.
struct Invocation: Sendable, Equatable {
  /// The command, or nil when none was named.
  var command: CommandName?
  /// Options that were given; flags have an empty value, of a repeated option the last one counts.
  var options: [OptionName: [UInt8]] = [:]
  /// Everything else, as bytes.
  var arguments: [[UInt8]] = []

  /// True when the option was given.
  func has(_ name: OptionName) -> Bool { options[name] != nil }

  /// The value as text, for options whose values were checked against a list of words.
  func word(_ name: OptionName) -> String? {
    options[name].map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A command line that cannot be understood: exit code 2.
struct UsageError: Error, Sendable, Equatable {
  /// What is wrong, safe to print.
  var message: String
  /// The nearest right word, if there is one.
  var suggestion: String?
  /// The command it is about, as far as it was read.
  var command: CommandName?

  /// The whole text for people.
  var text: String {
    let hint = suggestion.map { " Did you mean \($0)?" } ?? ""
    let help = command.map { "settle \($0.rawValue) --help" } ?? "settle --help"
    return "\(message)\(hint) See \(help)."
  }
}
