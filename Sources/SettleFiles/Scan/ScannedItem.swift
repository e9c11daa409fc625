import SettleCore

/// One input as a scan finds it.
package struct ScannedItem: Sendable, Equatable {
  /// How a path became an input.
  package enum Origin: Sendable, Hashable {
    /// The user named it.
    case named
    /// It was found in a folder that the user named.
    case found
  }

  /// What is at the path.
  package enum Content: Sendable, Equatable {
    /// What it is and how large; only a regular file can be imported.
    case file(FileKind, byteCount: Int64)
    /// It could not be looked at. A folder that fails stands for all that may be in it.
    case failed(SettleError)
  }

  /// The path, as the user named it or below what the user named.
  package var path: BytePath
  /// How it became an input.
  package var origin: Origin
  /// What is at the path.
  package var content: Content

  /// An item.
  package init(path: BytePath, origin: Origin, content: Content) {
    self.path = path
    self.origin = origin
    self.content = content
  }
}

/// How a scan ended.
package struct ScanSummary: Sendable, Hashable {
  /// False when it was stopped; then more may be there.
  package var isComplete = true
  /// Files and folders passed over because systems leave them behind, such as `.DS_Store`.
  package var junkCount = 0
  /// Folders that were met again on the way and not entered again.
  package var repeatedFolderCount = 0

  /// A scan that found nothing odd.
  package init() {}
}
