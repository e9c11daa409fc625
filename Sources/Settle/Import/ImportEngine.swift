import SettleCore
import SettleFiles
import SettleVerify
import Synchronization

/// What every thread of one import shares: the frozen batch, the machine, the progress tree and the
/// two queues. Threads: one coordinator (``ImportCoordinator``), which alone touches the ledger and
/// publishes, and a fixed number of workers (``ImportWorker``), which copy and verify.
final class ImportEngine: Sendable {
  let library: Library
  let run: RunID
  let items: ImportItems
  let options: ImportOptions
  let control: RunControl
  let tree: ProgressTree
  /// The name of the run's staging folder.
  let stagingName: FileName
  private let stagingFolder = Mutex<Handle?>(nil)
  let work = Mailbox<ImportWork>()
  let inbox = Mailbox<ImportMessage>()

  init(library: Library, run: RunID, items: ImportItems, options: ImportOptions) {
    self.library = library
    self.run = run
    self.items = items
    self.options = options
    stagingName = FileName(own: run.description)
    control = RunControl(StepLinks(independent: items.count))
    tree = ProgressTree(total: .exactly(items.totalWeight), unit: .steps)
  }

  /// Makes the run's staging folder. Before that nothing can be copied.
  func makeStaging() throws(SettleError) {
    do throws(FileError) {
      _ = try files.makeFolder(stagingName, in: library.folders.staging)
      let folder = try files.openFolder(stagingName, in: library.folders.staging)
      stagingFolder.withLock { $0 = folder }
    } catch { throw SettleError(error, stage: .copy, subject: library.path.bytes) }
  }

  /// The run's staging folder.
  var staging: Handle {
    guard let folder = stagingFolder.withLock({ $0 }) else {
      preconditionFailure("nothing is copied before the staging folder was made")
    }
    return folder
  }

  var files: any FileSystem { library.folders.files }
  var probe: any Probe { library.options.probe }

  /// True once the run was cancelled; asked before each unit of work.
  var isCancelled: Bool { control.isCancelled }

  /// Cancels; what follows from it is done by the coordinator.
  @discardableResult
  func cancel() -> CancelAnswer {
    let effects = control.apply(.cancel)
    inbox.send(.effects(effects))
    for case .answered(let answer) in effects { return answer }
    preconditionFailure("the machine answers every cancellation")
  }

  /// The run as it is shown while it works. It has no outcome, and so no 100 %, before its report
  /// exists (PRG-9).
  func snapshot() -> RunSnapshot {
    var snapshot = finalSnapshot()
    snapshot.progress.isSettled = false
    if let fraction = snapshot.progress.fractionCompleted {
      snapshot.progress.fractionCompleted = min(fraction, 1.0.nextDown)
    }
    return snapshot
  }

  /// The run as it is once the tree has its outcome.
  func finalSnapshot() -> RunSnapshot {
    let status = control.status
    var snapshot = RunSnapshot(run: run)
    snapshot.state =
      status.state.isSettled
      ? (status.isCancelled ? .cancelling : .running)
      : status.state
    snapshot.phase = .importing
    snapshot.counts = status.counts
    snapshot.items = .exactly(Int64(items.count))
    snapshot.progress = tree.snapshot()
    snapshot.progress.bytes.total = .exactly(items.byteCount)
    return snapshot
  }

  /// Ends every item that has no outcome because of an error of the whole run, and reports each.
  /// Nothing has started by then. Returns how the run ended.
  func failAll(_ error: SettleError) -> RunState {
    _ = control.apply(.start)
    for step in 0..<items.count {
      var error = error
      error.stage = error.stage ?? .record
      error.subject = items[step].path.bytes
      // A claim is refused when a cancellation has ended the step.
      var outcome = Outcome.cancelled
      for case .began(let claim) in control.apply(.claim(step)) {
        let effects = control.apply(.failed(claim, retries: false))
        if effects.contains(.stepSettled(step, .failed)) { outcome = .failed(error) }
      }
      tellEnd(of: step, outcome)
      options.onItem?(
        ImportedItem(
          index: step, source: items[step].path, outcome: outcome, entry: nil, byteCount: 0,
          attemptCount: 0))
    }
    return control.isCancelled ? .cancelled : .failed
  }

  /// Tells the probe that an item has its outcome.
  func tellEnd(of step: Int, _ outcome: Outcome) {
    probe.event(ProbeEvent("item.settled", item: step, detail: outcome.kind.rawValue))
  }

  /// Tells the probe that the run has its outcome, with its items by outcome.
  func tellEnd(_ state: RunState, _ counts: OutcomeCounts) {
    let numbers = OutcomeKind.allCases.map { " \($0.rawValue)=\(counts[$0])" }.joined()
    probe.event(ProbeEvent("run.settled", detail: state.rawValue + numbers))
  }

  /// The path of a staging file, for the helper process that opens it.
  func stagingPath(_ name: FileName) -> BytePath {
    library.path.appending("staging".utf8).appending(stagingName.bytes).appending(name.bytes)
  }

  /// Removes the run's staging folder and whatever of ours is still in it (FIL-3).
  func removeStaging() {
    StagingCleaner(folders: library.folders).remove(stagingName)
    if let folder = stagingFolder.withLock({ $0.take() }) { files.close(folder) }
  }
}

/// One item as the workers see it.
struct ItemTicket: Sendable {
  let step: Int
  let id: EntryID
  let location: DocumentLocation
  let progress: ItemProgress

  /// The staging file's name inside the run's staging folder.
  var stagingName: FileName { FileName(own: id.description) }
}

/// The progress of one item: its bytes have 70 of 100, and its success fills the rest. Nothing is
/// settled before the item is, so that another attempt counts nothing twice (PRG-8).
struct ItemProgress: Sendable {
  private let item: WorkProgress
  let bytes: WorkProgress

  init(_ root: WorkProgress, _ items: ImportItems, step: Int) throws(SettleError) {
    item = try root.share(weight: items.weight(of: step))
      .start(total: .exactly(100), unit: .steps)
    bytes = try item.share(weight: 70)
      .start(total: .exactly(items.byteCount(of: step)), unit: .bytes)
  }

  /// Ends the item's part of the bar.
  func settle(_ outcome: Outcome) {
    if outcome == .succeeded { bytes.settle(.succeeded) }
    item.settle(outcome)
  }
}

/// A copy in the staging folder, with its handle still open.
struct StagedDocument: Sendable {
  let ticket: ItemTicket
  let claim: StepClaim
  /// Open until the copy is synced, then nil.
  var handle: Handle?
  let byteCount: Int64
  let digest: [UInt8]
  var pageCount = 0
  var flags: Set<Verdict.Flag> = []
  /// The entry whose lost file this copy brings back, if any.
  var restores: Entry?

  var step: Int { ticket.step }
}

/// An entry of the library with the content of an item.
struct StoredTwin: Sendable, Hashable {
  var entry: Entry
  /// False for an entry that is known to have lost its file.
  var isListed: Bool
}

/// What a stored file is, compared with what the ledger says of it.
enum TwinState: Sendable, Hashable {
  case whole, absent, changed
}

/// What a worker is asked to do. Each is answered by exactly one message.
enum ImportWork: Sendable {
  case copy(ItemTicket, attempt: Int)
  /// Whether the library's files with this content are whole.
  case compare(StagedDocument, [StoredTwin])
  case verify(StagedDocument)
}

/// What the coordinator is told.
enum ImportMessage: Sendable {
  /// Effects of a cancellation, from whichever thread cancelled.
  case effects([RunEffect])
  /// The claim was refused: the step has its outcome already.
  case refused(step: Int)
  /// Copied and hashed.
  case copied(StagedDocument)
  /// The library's files with this content were read.
  case compared(StagedDocument, [StoredTwin: TwinState])
  /// Verified; not yet synced.
  case verified(StagedDocument)
  /// Ended before it could be published; nothing of it is left in staging.
  case ended(StepClaim, WorkEnd)
  /// A worker thread has left.
  case workerLeft
}

/// Why a worker gave an item back.
enum WorkEnd: Sendable {
  case failed(SettleError)
  case notADocument
  case stopped
}
