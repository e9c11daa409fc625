import SettleCore
import SettleFiles
import SettleLedger
import SettleVerify
import Synchronization

/// A folder of documents that Settle owns: verified copies, recorded in a ledger.
///
/// Invariants, by clause of `Documentation/Contract.md`:
/// - IMP-7: a listed entry is *available*, which follows the publication of its file.
/// - IMP-14: one writer across processes, decided by a lock on `library.lock`; readers go on.
/// - FIL-8: a crash at any system call leaves a state that the next open repairs.
///
/// A library is safe to use from any thread. Work that blocks runs on threads of its own.
public final class Library: Sendable {
  /// What a process may do with a library.
  public enum Access: Sendable, Hashable {
    /// Takes the writer lock and repairs what a crash left.
    case readWrite
    /// Reads beside a writer. Repairs nothing.
    case readOnly
  }

  /// How to open a library.
  public struct Options: Sendable {
    /// What this process will do.
    public var access = Access.readWrite
    /// Makes the library when there is none (`readWrite` only).
    public var createsIfMissing = true
    /// Repairs what a crash left while opening (`readWrite` only).
    public var recoversOnOpen = true
    /// Opens documents safely. nil: the `settle-verify` helper, found next to the program.
    public var verifier: (any DocumentVerifier)?
    /// How many documents are copied and verified at once.
    public var workerCount = 2
    /// The seam for tests.
    public var probe: any Probe = NoProbe()
    /// The clock that stamps ids and entries.
    public var time = SystemTime.machine
    package var files: any FileSystem = PosixFileSystem()

    /// The values for everyday use.
    public init() {}
  }

  /// Where the library is.
  public let path: BytePath
  /// What opening repaired.
  public let recovery: RecoveryReport

  let folders: LibraryFolders
  let ledger: Ledger
  let options: Options
  let verifier: any DocumentVerifier
  private let lock: Handle?
  private let activity = Mutex(Activity())

  /// What goes on now. Handles live until nothing uses them any more.
  private struct Activity {
    /// What writes.
    var writer: String?
    /// Calls that use the handles, the writing one included.
    var userCount = 0
    var isClosed = false

    /// A closed library that nothing uses lets its handles go; this is true once.
    var isOver: Bool { isClosed && userCount == 0 }
  }

  /// Opens a library, and makes or repairs it as the options say.
  ///
  /// **After cancellation:** opening is short and runs to its end. **After a crash:** opening again
  /// goes on where it was; a half-made library is completed.
  /// - Throws: `noLibrary`, `notALibrary`, `notARegularFile`, `libraryBusy` (names the holder),
  ///   `networkFileSystem`,
  ///   `notOneFileSystem`, `newerFormat`, `ledgerDamaged`, `permissionDenied`, `noSpace`, `ioError`.
  public static func open(
    at path: BytePath, options: Options = Options()
  ) async throws -> Library {
    try await WorkerThread.run { () throws(SettleError) -> Library in
      try Library(opening: path, options: options)
    }
  }

  private init(opening path: BytePath, options: Options) throws(SettleError) {
    let opened: OpenedLibrary
    do throws(SettleError) {
      opened = try LibraryOpening.run(path, options)
    } catch { throw error.ofACall }
    self.path = path
    self.options = options
    folders = opened.folders
    ledger = opened.ledger
    lock = opened.lock
    verifier = opened.verifier
    recovery = opened.recovery
  }

  /// Ends the library's handles, its helper processes and its lock. Harmless when repeated.
  ///
  /// Takes nothing from work that is going on: with a run or another call in hand, new calls are
  /// refused from now on and the last one that returns closes the library. Else it is closed, and
  /// its lock free, when this returns; a writer's last words to the ledger may wait for the disk.
  public func close() {
    let isOver = activity.withLock { activity in
      if activity.isClosed { return false }
      activity.isClosed = true
      return activity.isOver
    }
    if isOver { release() }
  }

  deinit { close() }

  /// Once only: nothing uses the handles and nothing can begin.
  private func release() {
    if options.verifier == nil { verifier.close() }
    if lock != nil { LibraryOpening.forgetHolder(ledger) }
    ledger.close()
    folders.close()
    if let lock { LibraryOpening.giveBack(lock, options.files) }
  }

  /// Begins something that writes; the library does one such thing at a time.
  func begin(_ work: String) throws(SettleError) {
    guard lock != nil else {
      throw SettleError(
        .permissionDenied, subject: path.bytes, detail: "the library was opened for reading only")
    }
    try use { (activity) throws(SettleError) in
      if let writer = activity.writer {
        throw SettleError(.libraryBusy, subject: path.bytes, detail: "this process, \(writer)")
      }
      activity.writer = work
    }
  }

  /// Ends what ``begin(_:)`` began.
  func end() {
    leave { $0.writer = nil }
  }

  private func use(
    _ enter: (inout Activity) throws(SettleError) -> Void = { _ in }
  ) throws(SettleError) {
    try activity.withLock { (activity: inout Activity) throws(SettleError) in
      guard !activity.isClosed else {
        throw SettleError(
          .unexpected, subject: path.bytes, detail: "the library was closed by this process")
      }
      try enter(&activity)
      activity.userCount += 1
    }
  }

  private func leave(_ change: (inout Activity) -> Void = { _ in }) {
    let isOver = activity.withLock { activity in
      change(&activity)
      activity.userCount -= 1
      return activity.isOver
    }
    if isOver { release() }
  }

  /// Runs something that reads on a thread of its own.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    try use()
    defer { leave() }
    return try await run(body)
  }

  /// Runs something that writes on a thread of its own.
  func writing<Value: Sendable>(
    _ work: String, _ body: @escaping @Sendable () throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    try begin(work)
    defer { end() }
    return try await run(body)
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    do throws(SettleError) {
      return try await WorkerThread.run(body)
    } catch { throw error.ofACall }
  }
}

extension SettleError {
  /// The same error of a call that imports nothing: it has no stage, and its words speak of no
  /// source.
  var ofACall: SettleError {
    var error = self
    error.stage = nil
    return error
  }
}
