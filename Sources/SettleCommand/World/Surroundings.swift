import CSettleSystem
import SettleFiles

/// What the process finds around itself, read once so that tests can give their own.
struct Surroundings: Sendable {
  /// Environment variables as bytes, those that matter to the tool.
  var variables: [String: [UInt8]] = [:]
  var isInputTerminal = false
  var isOutputTerminal = false
  var isErrorTerminal = false

  /// The variables that the tool reads.
  static let names = [
    "SETTLE_LIBRARY", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "XDG_DATA_HOME", "HOME", "TMPDIR",
  ]

  /// The real surroundings.
  static func ofThisProcess() -> Surroundings {
    var result = Surroundings()
    for name in names {
      if let value = getenv(name) {
        result.variables[name] = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
      }
    }
    result.isInputTerminal = isatty(STDIN_FILENO) == 1
    result.isOutputTerminal = isatty(STDOUT_FILENO) == 1
    result.isErrorTerminal = isatty(STDERR_FILENO) == 1
    return result
  }

  /// A variable that is set and not empty; an empty one counts as unset.
  func value(_ name: String) -> [UInt8]? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// True for a terminal that understands nothing but text.
  var isDumb: Bool { value("TERM").map { $0 == Array("dumb".utf8) } ?? true }

  /// The library that is used when neither option nor variable names one; nil without a home.
  var defaultLibrary: BytePath? {
    #if os(macOS)
      // Apple's place for data that an app manages on its own.
      return value("HOME").map {
        BytePath($0).appending(Array("Library/Application Support/Settle/Library".utf8))
      }
    #else
      let slash = UInt8(ascii: "/")
      // The base directory rules say that a relative path is to be ignored.
      if let data = value("XDG_DATA_HOME"), data.first == slash {
        return BytePath(data).appending(Array("settle/library".utf8))
      }
      return value("HOME").map { BytePath($0).appending(Array(".local/share/settle/library".utf8)) }
    #endif
  }
}
