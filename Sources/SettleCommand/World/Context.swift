import SettleCore
import SettleFiles

/// What a command is given: what was asked, and the means to answer.
struct Context: Sendable {
  var invocation: Invocation
  var settings: Settings
  var console: Console
  var interruptions: Interruptions

  /// The library's path; an error when nothing names one.
  func libraryPath() throws(SettleError) -> BytePath {
    guard let path = settings.library else {
      throw SettleError(
        .noLibrary, detail: "neither --library nor SETTLE_LIBRARY nor HOME is set")
    }
    return path
  }

  /// The ids among the arguments. The parser has checked their shape.
  var ids: [EntryID] { invocation.arguments.compactMap { EntryID(bytes: $0) } }
}
