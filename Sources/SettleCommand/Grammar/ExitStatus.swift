/// The frozen table of exit codes; the man page prints it. Any other code means a failure.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case unexpected = 1
  case usage = 2
  case someNotPublished = 3
  case nonePublished = 4
  case mismatch = 5
  case missingToolOrRight = 6
  case nothingToDo = 9
  case noLibrary = 10
  case libraryBusy = 11
  case needsRecovery = 12
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// What the code means, as the man page says it.
  var meaning: String {
    switch self {
    case .success: "Everything settled well, or there was nothing to do."
    case .unexpected: "Something unexpected happened."
    case .usage: "The command line is wrong, or a file is not what the command reads."
    case .someNotPublished: "Some items were not done."
    case .nonePublished: "No item was done."
    case .mismatch:
      "A check found a document that is missing or changed, a broken rule or a failing cell."
    case .missingToolOrRight: "A tool or a right is missing; settle doctor says which."
    case .nothingToDo: "There was nothing to do and --fail-if-empty was given."
    case .noLibrary: "There is no library there."
    case .libraryBusy: "Another process is writing to the library; the message names it."
    case .needsRecovery:
      "The library must be recovered or its ledger restored first; the message says how."
    case .hungUp: "Cancelled by a hangup (the signal HUP)."
    case .interrupted: "Cancelled by Ctrl-C (the signal INT)."
    case .terminated: "Cancelled by the signal TERM."
    }
  }
}
