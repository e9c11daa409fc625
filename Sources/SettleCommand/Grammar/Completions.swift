/// Completion scripts for three shells, made from the tables.
enum Completions {
  /// The script for a shell; nil for a shell that is not known.
  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash()
    case "zsh": zsh()
    case "fish": fish()
    default: nil
    }
  }

  // MARK: bash

  private static func bash() -> String {
    var lines = [
      "# bash completion for settle, made by: settle completions bash",
      "_settle() {",
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"\" command=\"\" word",
      "  (( COMP_CWORD > 0 )) && previous=\"${COMP_WORDS[COMP_CWORD-1]}\"",
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do",
      "    case \"$word\" in",
      "      " + commandNames.joined(separator: "|") + ") command=\"$word\"; break ;;",
      "    esac",
      "  done",
      "  COMPREPLY=()",
      "  case \"$previous\" in",
    ]
    for spec in OptionSpec.all {
      guard let value = spec.value else { continue }
      let names = ["--" + spec.long] + (spec.short.map { ["-" + String($0)] } ?? [])
      lines.append("    \(names.joined(separator: "|"))) \(bashReply(value)); return ;;")
    }
    lines += ["  esac", "  case \"$command\" in"]
    lines.append("    \"\") \(bashWords(commandNames + longOptions(OptionSpec.common))) ;;")
    for spec in CommandSpec.all { lines += bashCommand(spec) }
    lines += ["  esac", "}", "complete -F _settle settle"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func bashCommand(_ spec: CommandSpec) -> [String] {
    let options = bashWords(spec.allOptions.map { "--" + $0.long })
    var plain = ":"
    switch spec.argument?.kind {
    case .path:
      plain = "compopt -o filenames 2>/dev/null; \(bashLines("compgen -f -- \"$current\""))"
    case .choice(let words): plain = bashWords(words)
    case .entry, nil: break
    }
    return [
      "    \(spec.name.rawValue))",
      "      if [[ \"$current\" == -* ]]; then \(options)",
      "      else \(plain); fi ;;",
    ]
  }

  private static func bashReply(_ value: ValueSpec) -> String {
    switch value.kind {
    case .file: "compopt -o filenames 2>/dev/null; \(bashLines("compgen -f -- \"$current\""))"
    case .folder: "compopt -o filenames 2>/dev/null; \(bashLines("compgen -d -- \"$current\""))"
    case .number: ":"
    case .choice(let words): bashWords(words)
    }
  }

  private static func bashWords(_ words: [String]) -> String {
    bashLines("compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"")
  }

  /// Lines, not words: names with spaces stay whole.
  private static func bashLines(_ command: String) -> String {
    "local IFS=$'\\n'; COMPREPLY=( $(IFS=$' \\n'; \(command)) )"
  }

  // MARK: zsh

  private static func zsh() -> String {
    var lines = [
      "#compdef settle", "# zsh completion for settle, made by: settle completions zsh", "",
      "_settle() {", "  local state line", "  local -a commands=(",
    ]
    lines += CommandSpec.all.map { "    \(zshQuoted("\($0.name.rawValue):\($0.summary)"))" }
    lines += [
      "  )", "  _arguments -C '1: :->command' '*:: :->rest'", "  case $state in",
      "    command) _describe command commands ;;", "    rest)", "      case $line[1] in",
    ]
    for spec in CommandSpec.all {
      lines.append("        \(spec.name.rawValue)) _arguments -s \\")
      for option in spec.allOptions { lines += zshOption(option).map { "          \($0) \\" } }
      lines.append("          \(zshArgument(spec.argument)) ;;")
    }
    lines += ["      esac ;;", "  esac", "}", "", "compdef _settle settle"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshOption(_ spec: OptionSpec) -> [String] {
    let help = spec.help.replacing(":") { "\\:" }.replacing("[") { "(" }.replacing("]") { ")" }
    var action = ""
    if let value = spec.value {
      switch value.kind {
      case .file: action = ":\(value.placeholder):_files"
      case .folder: action = ":\(value.placeholder):_files -/"
      case .number: action = ":\(value.placeholder): "
      case .choice(let words): action = ":word:(\(words.joined(separator: " ")))"
      }
    }
    let long = "--\(spec.long)\(spec.value == nil ? "" : "=")[\(help)]\(action)"
    let short = spec.short.map { "-\($0)[\(help)]\(action)" }
    return [long, short].compactMap { $0 }.map(zshQuoted)
  }

  private static func zshArgument(_ argument: ArgumentSpec?) -> String {
    switch argument?.kind {
    case .path: "'*:path:_files'"
    case .choice(let words): "'1:shell:(\(words.joined(separator: " ")))'"
    case .entry: "'*:id: '"
    case nil: "':: :'"
    }
  }

  private static func zshQuoted(_ text: String) -> String {
    "'" + text.replacing("'") { "'\\''" } + "'"
  }

  // MARK: fish

  private static func fish() -> String {
    var lines = [
      "# fish completion for settle, made by: settle completions fish", "complete -c settle -f",
    ]
    for spec in CommandSpec.all {
      lines.append(
        "complete -c settle -n __fish_use_subcommand -a \(spec.name.rawValue) "
          + "-d \(fishQuoted(spec.summary))")
    }
    for name in OptionSpec.common { lines.append(fishOption(OptionSpec.of(name), nil)) }
    for spec in CommandSpec.all {
      for name in spec.options { lines.append(fishOption(OptionSpec.of(name), spec.name)) }
      switch spec.argument?.kind {
      case .path: lines.append("complete -c settle -n \(fishSeen(spec.name)) -F")
      case .choice(let words):
        lines.append(
          "complete -c settle -n \(fishSeen(spec.name)) -a "
            + fishQuoted(words.joined(separator: " ")))
      case .entry, nil: break
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishOption(_ spec: OptionSpec, _ command: CommandName?) -> String {
    var line = "complete -c settle"
    if let command { line += " -n " + fishSeen(command) }
    line += " -l " + spec.long + (spec.short.map { " -s \($0)" } ?? "")
    if let value = spec.value {
      switch value.kind {
      case .file: line += " -r -F"
      case .folder: line += " -x -a '(__fish_complete_directories)'"
      case .number: line += " -x"
      case .choice(let words): line += " -x -a " + fishQuoted(words.joined(separator: " "))
      }
    }
    return line + " -d " + fishQuoted(spec.help)
  }

  private static func fishSeen(_ command: CommandName) -> String {
    "'__fish_seen_subcommand_from \(command.rawValue)'"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\") { "\\\\" }.replacing("'") { "\\'" } + "'"
  }

  // MARK: Words

  private static let commandNames = CommandName.allCases.map(\.rawValue)

  private static func longOptions(_ names: [OptionName]) -> [String] {
    names.map { "--" + OptionSpec.of($0).long }
  }
}

extension String {
  /// Replaces one character wherever it is; the standard library alone has no such call.
  fileprivate func replacing(_ character: Character, _ replacement: () -> String) -> String {
    reduce(into: "") { $0 += $1 == character ? replacement() : String($1) }
  }
}
