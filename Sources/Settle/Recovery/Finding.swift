import SettleCore

/// One thing that a check or a recovery found, and what was or would be done about it.
public struct Finding: Sendable, Hashable {
  /// What was found.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An import was interrupted before its file was published.
    case interrupted
    /// A published file was not recorded yet.
    case unrecorded
    /// A staging file that no living run owns.
    case leftover
    /// A removal was interrupted.
    case unfinishedRemoval
    /// An entry whose file is gone.
    case missing
    /// An entry whose file came back.
    case returned
    /// An entry whose file has another size or content.
    case changed
    /// A file among the documents that no entry names.
    case unknown
    /// A file or folder that the disk or its rights do not let read.
    case unreadable
  }

  /// What was or, in a dry run, would be done.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// Only reported.
    case none
    /// The entry was completed: verified, hashed and recorded.
    case completed
    /// The file was removed.
    case removed
    /// The entry is no longer listed.
    case hidden
    /// The entry is listed again.
    case restored
    /// The file was moved to the library's `quarantine` folder.
    case quarantined
    /// The entry was marked as failed; importing the source again is safe.
    case markedFailed
    /// It could not be judged now; nothing was changed and the next recovery tries again.
    case postponed
  }

  /// What was found.
  public var kind: Kind
  /// The entry, if there is one.
  public var id: EntryID?
  /// The path below the library.
  public var path: String
  /// What was or would be done.
  public var action: Action
}

/// What a recovery did.
public struct RecoveryReport: Sendable, Hashable {
  /// Findings by kind.
  public var counts: [Finding.Kind: Int] = [:]
  /// How many of them could not be judged and wait for the next recovery.
  public var postponedCount = 0
  /// True when nothing was found.
  public var isClean: Bool { counts.isEmpty }

  /// Nothing was found.
  public init() {}
}

/// What a check found.
public struct CheckReport: Sendable, Hashable {
  /// Entries that were looked at.
  public var checkedCount = 0
  /// Findings by kind.
  public var counts: [Finding.Kind: Int] = [:]
  /// True when a cancellation ended it before everything was looked at.
  public var wasCancelled = false
  /// True when every entry has its file and every file its entry.
  public var isClean: Bool { counts.isEmpty && !wasCancelled }

  /// Nothing was looked at yet.
  public init() {}
}
