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
  private let activity = Mutex(Activity.idle)

  private enum Activity: Sendable {
    case idle
    case busy(String)
    case closed
  }

  /// Opens a library, and makes or repairs it as the options say.
  ///
  /// **After cancellation:** opening is short and runs to its end. **After a crash:** opening again
  /// goes on where it was; a half-made library is completed.
  /// - Throws: `noLibrary`, `notALibrary`, `libraryBusy` (names the holder), `networkFileSystem`,
  ///   `notOneFileSystem`, `newerFormat`, `ledgerDamaged`, `permissionDenied`, `noSpace`, `ioError`.
  public static func open(
    at path: BytePath, options: Options = Options()
  ) async throws -> Library {
    try await WorkerThread.run { () throws(SettleError) -> Library in
      try Library(opening: path, options: options)
    }
  }

  private init(opening path: BytePath, options: Options) throws(SettleError) {
    let opened = try LibraryOpening.run(path, options)
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
  /// A run that is going on must have ended: wait for its report first.
  public func close() {
    let closes = activity.withLock { activity in
      if case .closed = activity { return false }
      activity = .closed
      return true
    }
    guard closes else { return }
    if options.verifier == nil { verifier.close() }
    if lock != nil { LibraryOpening.forgetHolder(ledger) }
    ledger.close()
    folders.close()
    if let lock { options.files.close(lock) }
  }

  deinit { close() }

  /// Begins something that writes; the library does one such thing at a time.
  func begin(_ work: String) throws(SettleError) {
    guard lock != nil else {
      throw SettleError(
        .permissionDenied, subject: path.bytes, detail: "the library was opened for reading only")
    }
    let holder: String? = activity.withLock { activity in
      switch activity {
      case .idle:
        activity = .busy(work)
        return nil
      case .busy(let other): return "this process, \(other)"
      case .closed: return "this process, which closed it"
      }
    }
    if let holder { throw SettleError(.libraryBusy, subject: path.bytes, detail: holder) }
  }

  /// Ends what ``begin(_:)`` began.
  func end() {
    activity.withLock { activity in
      if case .busy = activity { activity = .idle }
    }
  }

  /// Runs something that writes on a thread of its own.
  func writing<Value: Sendable>(
    _ work: String, _ body: @escaping @Sendable () throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    try begin(work)
    defer { end() }
    return try await WorkerThread.run(body)
  }
}
