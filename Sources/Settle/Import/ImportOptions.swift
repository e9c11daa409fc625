import SettleCore
import SettleFiles

/// One path that a user named: a file, or a folder that is searched for documents.
public struct ImportSource: Sendable, Hashable {
  /// The path, as bytes.
  public var path: BytePath

  /// Names a path.
  public init(_ path: BytePath) { self.path = path }
}

extension ImportSource: ExpressibleByStringLiteral {
  /// Names a path by a literal.
  public init(stringLiteral value: String) { self.init(BytePath(stringLiteral: value)) }
}

/// What to do with content that the library holds already (IMP-12).
public enum DuplicatePolicy: String, Sendable, Hashable, CaseIterable {
  /// The item is skipped and the entry that has its content is named.
  case skip
  /// A second copy is stored.
  case keep
  /// The item fails.
  case fail
}

/// How to import.
public struct ImportOptions: Sendable {
  /// What to do with content that is there already.
  public var onDuplicate = DuplicatePolicy.skip
  /// Fails with `noInput` when there is nothing to import, instead of succeeding at once (RUN-8).
  public var failsIfEmpty = false
  /// Finds and verifies, but stores and records nothing.
  public var isDryRun = false
  /// How often an item whose source changes while it is copied is tried.
  public var attemptLimit = 3
  /// Called once for each item when it has its outcome, one call at a time, on a thread of the
  /// run. Being slow here slows the import.
  public var onItem: (@Sendable (ImportedItem) -> Void)?

  /// The values for everyday use.
  public init() {}
}

/// One item of an import and how it ended.
public struct ImportedItem: Sendable {
  /// Its place in the batch.
  public var index: Int
  /// The path it was imported from.
  public var source: BytePath
  /// How it ended.
  public var outcome: Outcome
  /// The entry that was made, when it succeeded.
  public var entry: Entry?
  /// Its size, as far as it was read.
  public var byteCount: Int64
  /// How many times it was tried; 0 when it never started.
  public var attemptCount: Int

  /// The last component of the path: the name that is shown.
  public var name: [UInt8] { source.lastComponent }
}

/// How an import ended.
public struct ImportReport: Sendable {
  /// The run.
  public var run: RunID
  /// Its final state.
  public var state: RunState
  /// Items by outcome; they add up to the number of items.
  public var counts: OutcomeCounts
  /// Bytes stored.
  public var byteCount: Int64
  /// How long it took.
  public var duration: Duration
  /// The error that ended the run before its items could: such as `noInput`.
  public var failure: SettleError?
}
