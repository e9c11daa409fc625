import SettleCore
import SettleFiles
import SettleLedger

/// The one thread of an import that decides: it prepares entries, hands work out, decides about
/// equal contents, publishes in groups and records.
///
/// The protocol of FIL-2 and IMP-7, and where its steps are:
///
/// | Step | Function |
/// |---|---|
/// | pending entry, durable before anything of it is published | `makeTickets`, `record` |
/// | copy, hash, check the source, verify | `ImportWorker` |
/// | who stores equal content | `ContentClaims`, `release` |
/// | sync, commit point, rename, sync the folder | `GroupPublisher` |
/// | available, in one transaction for the group; only now success is reported | `record` |
///
/// Not Sendable: it never leaves its thread.
final class ImportCoordinator {
  private let windowSize: Int
  /// Items that are published together, at most.
  private let groupSize: Int
  /// How long a finished copy waits for company, in milliseconds.
  private static let groupPatience: Int32 = 20

  let engine: ImportEngine
  let publisher: GroupPublisher
  let syncPool: SyncPool
  var claims = ContentClaims()
  /// Items with a pending entry and no outcome.
  var tickets: [Int: ItemTicket] = [:]
  var attempts: [Int: Int] = [:]
  /// Copies in the staging folder that this thread knows of.
  var staged: [Int: StagedDocument] = [:]
  /// Copies that wait until it is known whether an earlier item has the same content.
  var waiting: Set<Int> = []
  /// Copies that can be published.
  var ready: [Int] = []
  /// What the next transaction will record.
  var changes = LedgerBatch()
  var ends: [Int: PendingEnd] = [:]
  /// Failed publications whose file may still be there: their entries stay pending for recovery.
  var unsettled: Set<Int> = []
  var nextStep = 0
  var nextSequence: Int64
  var ledgerError: SettleError?
  /// Only in a dry run: the items behind ids that name no entry.
  var wouldStore: [EntryID?: Int] = [:]
  /// Only in a dry run: contents that no ledger will name, however fast their items ended.
  var wouldHold: [[UInt8]: EntryID] = [:]
  private var atWork = 0
  private var workersAlive = 0
  private var reported = 0
  private var publishedByteCount: Int64 = 0
  private var runEnd: RunState?

  /// What a step's outcome will say besides its kind.
  enum PendingEnd {
    case failed(SettleError)
    case skipped(SkipReason)
    case stored(Entry)
    /// Only in a dry run: it would have been stored.
    case storable
  }

  init(_ engine: ImportEngine, window: ImportWindow) throws(SettleError) {
    self.engine = engine
    windowSize = window.itemCount
    groupSize = window.itemCount / 3
    publisher = GroupPublisher(engine: engine)
    syncPool = try SyncPool(engine.files)
    nextSequence = try engine.library.ledger.highestSequence() + 1
  }

  /// Runs the whole import on this thread and returns its state and the bytes it stored.
  func run() throws(SettleError) -> (state: RunState, byteCount: Int64) {
    try startWorkers()
    perform(engine.control.apply(.start))
    advance(publishing: false)
    while !isDone {
      let wait = ready.isEmpty ? nil : isGroupDue ? 0 : Self.groupPatience
      let messages = engine.inbox.takeAll(waitingAtMost: wait)
      for message in messages { receive(message) }
      advance(publishing: isGroupDue || messages.isEmpty)
    }
    stopWorkers()
    record([], next: [])
    guard let runEnd else { preconditionFailure("the loop ends with the run") }
    return (runEnd, publishedByteCount)
  }

  private var isDone: Bool { runEnd != nil && reported == engine.items.count }

  /// A group waits for company while there is some to come.
  private var isGroupDue: Bool {
    !ready.isEmpty && (ready.count >= groupSize || atWork == 0 || engine.isCancelled)
  }

  /// Publishes what is due and prepares what comes next, recorded in one transaction.
  private func advance(publishing: Bool) {
    let published = publishing ? commitReady(limit: groupSize) : []
    let room = windowSize - (tickets.count - published.count)
    let next = room >= groupSize && !engine.isCancelled ? makeTickets(limit: room) : []
    if published.isEmpty, next.isEmpty, changes.failed.count + changes.forgotten.count < 256 {
      return
    }
    record(published, next: next)
  }

  // MARK: Workers

  private func startWorkers() throws(SettleError) {
    for _ in 0..<max(1, engine.library.options.workerCount) {
      let engine = engine
      do throws(SettleError) {
        try WorkerThread.start { ImportWorker(engine).run() }
        workersAlive += 1
      } catch {
        // Fewer workers are slower and nothing else; none at all is an error.
        if workersAlive == 0 { throw error }
      }
    }
  }

  private func stopWorkers() {
    engine.work.close()
    syncPool.close()
    while workersAlive > 0 {
      for message in engine.inbox.takeAll(waitingAtMost: nil) { receive(message) }
    }
  }

  func give(_ work: ImportWork) {
    atWork += 1
    engine.work.send(work)
  }

  // MARK: Messages

  private func receive(_ message: ImportMessage) {
    switch message {
    case .effects(let effects):
      perform(effects)
      if engine.isCancelled { cancelHeld() }
      return
    case .workerLeft:
      workersAlive -= 1
      return
    case .refused: break
    case .copied(let document):
      staged[document.step] = document
      waiting.insert(document.step)
      follow(contentKnown(document))
    case .compared(let document, let twins): compared(document, twins)
    case .verified(let document):
      staged[document.step] = document
      ready.append(document.step)
    case .ended(let claim, let end): giveUp(claim, end)
    }
    atWork -= 1
  }

  private func giveUp(_ claim: StepClaim, _ end: WorkEnd) {
    switch end {
    case .stopped:
      // Only a verifier of somebody else's can say so without a cancellation.
      let stray = SettleError(
        .toolFailed, stage: .verification, subject: engine.items[claim.step].path.bytes,
        detail: "the verifier stopped although nobody cancelled")
      fail(claim, stray, retries: false)
    case .notADocument:
      ends[claim.step] = .skipped(.unsupportedType)
      perform(engine.control.apply(.nothingToDo(claim)))
    case .failed(let error):
      let mayRetry =
        error.code == .sourceChanged
        && attempts[claim.step, default: 1] < engine.options.attemptLimit
      fail(claim, error, retries: mayRetry)
    }
  }

  /// Ends a step that failed before its commit point, or sends it back for another attempt.
  func fail(_ claim: StepClaim, _ error: SettleError, retries: Bool) {
    ends[claim.step] = .failed(error)
    perform(engine.control.apply(.failed(claim, retries: retries)))
  }

  /// After a cancellation: what is held here, and not at a worker, ends now.
  private func cancelHeld() {
    let held = ready + waiting.sorted()
    ready = []
    for step in held {
      guard let document = staged[step] else { continue }
      perform(engine.control.apply(.failed(document.claim, retries: false)))
    }
  }

  // MARK: Effects

  func perform(_ effects: [RunEffect]) {
    for effect in effects {
      switch effect {
      case .stepSettled(let step, let end): settle(step, end)
      case .waitsAgain(let step): tryAgain(step)
      case .runSettled(let state): runEnd = state
      case .rejected: engine.probe.event(ProbeEvent("run.rejected"))
      case .began, .publish, .discard, .answered, .runHandedBack: break
      }
    }
  }

  private func tryAgain(_ step: Int) {
    guard let ticket = tickets[step] else { return }
    dropStaged(step)
    ends[step] = nil
    attempts[step, default: 1] += 1
    follow(claims.expect(step, byteCount: engine.items.byteCount(of: step)))
    give(.copy(ticket, attempt: attempts[step, default: 1]))
  }

  /// A step has its outcome: nothing of it stays in staging, its entry follows, it is reported.
  private func settle(_ step: Int, _ end: StepEnd) {
    let byteCount = staged[step]?.byteCount ?? 0
    dropStaged(step)
    let outcome = outcome(of: step, end)
    let ticket = tickets.removeValue(forKey: step)
    if let ticket { note(ticket, outcome) }
    var entry: Entry?
    var storedAs: EntryID?
    switch ends.removeValue(forKey: step) {
    case .stored(let stored):
      entry = stored
      storedAs = stored.id
    case .storable: storedAs = ticket?.id
    case .failed, .skipped, nil: break
    }
    if storedAs != nil, entry == nil { wouldStore[ticket?.id] = step }
    follow(claims.end(step, storedAs: storedAs))
    reported += 1
    engine.tellEnd(of: step, outcome)
    if let entry { publishedByteCount += entry.byteCount }
    let attemptCount = ticket == nil ? 0 : attempts.removeValue(forKey: step) ?? 1
    engine.options.onItem?(
      ImportedItem(
        index: step, source: engine.items[step].path, outcome: outcome, entry: entry,
        byteCount: entry?.byteCount ?? byteCount, attemptCount: attemptCount))
  }

  private func outcome(of step: Int, _ end: StepEnd) -> Outcome {
    switch (end, ends[step]) {
    case (.succeeded, _): .succeeded
    case (.cancelled, _): .cancelled
    case (.failed, .failed(let error)?): .failed(error)
    case (.skippedBenignly, .skipped(let reason)?): .skipped(reason)
    case (.failed, _), (.skippedBenignly, _), (.skipped, _), (.outOfTime, _):
      preconditionFailure("an item that did not succeed has its reason before it ends")
    }
  }

  /// The pending entry of a step that ended goes, or stays as a failure that can be looked up. It
  /// stays pending when its file may still be there.
  private func note(_ ticket: ItemTicket, _ outcome: Outcome) {
    ticket.progress.settle(outcome)
    switch outcome {
    case .succeeded: break
    case .failed where unsettled.remove(ticket.step) != nil: break
    case .failed(let error):
      changes.failed.append(Failure(id: ticket.id, code: error.code, stage: error.stage))
    case .skipped, .cancelled: changes.forgotten.append(ticket.id)
    }
  }

  private func dropStaged(_ step: Int) {
    waiting.remove(step)
    guard let document = staged.removeValue(forKey: step) else { return }
    publisher.discard(document)
  }
}
