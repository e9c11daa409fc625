import SettleCore
import SettleFiles

/// The options that every command takes, resolved against the surroundings.
struct Settings: Sendable, Equatable {
  /// How progress is shown on standard error.
  enum ProgressMode: Sendable, Equatable {
    case bar, plain, none
  }

  var isJSON: Bool
  var isQuiet: Bool
  var isVerbose: Bool
  var isDryRun: Bool
  /// nil: as many as suit the machine.
  var jobCount: Int?
  var progress: ProgressMode
  /// False when `--progress none` was given; then JSON has no progress lines either.
  var tellsProgress: Bool
  var colorsOutput: Bool
  var colorsErrors: Bool
  var answersYes: Bool
  var canAsk: Bool
  /// nil when nothing names one and there is no home folder.
  var library: BytePath?

  /// Resolves what was given: options over variables over defaults.
  init(_ invocation: Invocation, _ around: Surroundings) {
    isJSON = invocation.has(.json)
    isQuiet = invocation.has(.quiet)
    isVerbose = invocation.has(.verbose)
    isDryRun = invocation.has(.dryRun)
    jobCount = invocation.word(.jobs).flatMap { Int($0) }
    answersYes = invocation.has(.yes)
    canAsk = !invocation.has(.noInput) && around.isInputTerminal && around.isErrorTerminal
    let named = invocation.options[.library] ?? around.value("SETTLE_LIBRARY")
    library = named.map { BytePath($0) } ?? around.defaultLibrary
    let mode = invocation.word(.progress) ?? "auto"
    tellsProgress = mode != "none"
    progress = Self.progress(mode, isSilent: isQuiet || isJSON, around)
    let color = invocation.word(.color) ?? "auto"
    colorsOutput = Self.colors(color, isTerminal: around.isOutputTerminal, around)
    colorsErrors = Self.colors(color, isTerminal: around.isErrorTerminal, around)
  }

  private static func progress(
    _ mode: String, isSilent: Bool, _ around: Surroundings
  ) -> ProgressMode {
    switch mode {
    case "none": return .none
    case "plain": return .plain
    case "bar":
      // A bar moves the cursor, which only a terminal that is not dumb can do.
      return around.isErrorTerminal && !around.isDumb ? .bar : .plain
    default:
      if isSilent { return .none }
      return around.isErrorTerminal && !around.isDumb ? .bar : .plain
    }
  }

  private static func colors(_ mode: String, isTerminal: Bool, _ around: Surroundings) -> Bool {
    switch mode {
    case "always": return true
    case "never": return false
    default:
      if around.value("NO_COLOR") != nil { return false }
      if let forced = around.value("CLICOLOR_FORCE"), forced != [UInt8(ascii: "0")] { return true }
      return isTerminal && !around.isDumb
    }
  }
}
