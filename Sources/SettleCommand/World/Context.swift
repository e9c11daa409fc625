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
        .libraryNotNamed, detail: "neither --library nor SETTLE_LIBRARY nor HOME is set")
    }
    return path
  }

  /// The ids among the arguments, each once. The parser has checked their shape.
  var ids: [EntryID] {
    var seen: Set<EntryID> = []
    return invocation.arguments.compactMap { EntryID(typed: $0) }
      .filter { seen.insert($0).inserted }
  }
}

extension SortableID {
  /// Reads an id as somebody types it, in small letters or capitals.
  init?(typed bytes: [UInt8]) {
    self.init(bytes: bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 })
  }
}
