import SettleCore
import SettleFiles
import SettleLedger

/// Preparing, publishing and recording: the one commit point of an import.
///
/// Order for a group: sync each file, then for each the machine's commit point and the rename, then
/// sync the folders, then one transaction. Before the rename everything can be undone; after it
/// everything can be finished by recovery.
extension ImportCoordinator {
  /// Tickets for the next items, in batch order. Their entries are not recorded yet.
  func makeTickets(limit: Int) -> [ItemTicket] {
    var made: [ItemTicket] = []
    while made.count < limit, nextStep < engine.items.count {
      let step = nextStep
      nextStep += 1
      let id = engine.library.options.time.makeID()
      do throws(SettleError) {
        let progress = try ItemProgress(engine.tree.root, engine.items, step: step)
        made.append(
          ItemTicket(
            step: step, id: id, location: DocumentLocation(id: id, sequence: nextSequence),
            progress: progress))
      } catch {
        preconditionFailure("the tree's total is the sum of its items: \(error)")
      }
      nextSequence += 1
    }
    return made
  }

  /// Syncs, decides and renames what is ready; returns what has its final name, not yet recorded.
  func commitReady(limit: Int) -> [StagedDocument] {
    let group = ready.prefix(limit)
    ready.removeFirst(group.count)
    let synced = sync(Array(group))
    var renamed: [StagedDocument] = []
    for step in synced {
      guard let document = staged[step] else { continue }
      engine.probe.reach(Checkpoint("import.beforeCommit", item: step))
      let effects = engine.control.apply(.commitAsked(document.claim))
      guard effects.contains(.publish(document.claim)) else {
        perform(effects)
        continue
      }
      engine.probe.event(ProbeEvent("item.committing", item: step))
      if engine.options.isDryRun {
        ends[step] = .storable
        wouldHold[document.digest] = document.ticket.id
        perform(engine.control.apply(.published(document.claim)))
      } else if rename(document) {
        renamed.append(document)
      }
    }
    return syncFolders(renamed)
  }

  /// Makes the content of a group durable, side by side, and returns what is, in the order of the
  /// group. A failed sync has lost the content: that item is copied afresh.
  private func sync(_ group: [Int]) -> [Int] {
    if engine.isCancelled {
      for step in group {
        guard let document = staged[step] else { continue }
        perform(engine.control.apply(.failed(document.claim, retries: false)))
      }
      return []
    }
    if engine.options.isDryRun { return group }
    var jobs: [SyncPool.Job] = []
    for step in group {
      guard let handle = staged[step]?.handle else { continue }
      staged[step]?.handle = nil
      jobs.append(SyncPool.Job(step: step, handle: handle))
    }
    var lost: Set<Int> = []
    for result in syncPool.sync(jobs) {
      guard let error = result.error, let document = staged[result.step] else { continue }
      lost.insert(result.step)
      let failure = SettleError(
        error, stage: .publication, subject: engine.items[result.step].path.bytes)
      let mayRetry = attempts[result.step, default: 1] < engine.options.attemptLimit
      fail(document.claim, failure, retries: mayRetry && failure.code != .noSpace)
    }
    return group.filter { !lost.contains($0) }
  }

  private func rename(_ document: StagedDocument) -> Bool {
    do throws(SettleError) {
      try publisher.rename(document)
      staged[document.step] = nil
      engine.probe.reach(Checkpoint("import.afterRename", item: document.step))
      return true
    } catch {
      failPublication(document, error)
      return false
    }
  }

  private func syncFolders(_ documents: [StagedDocument]) -> [StagedDocument] {
    do throws(SettleError) {
      try publisher.syncFolders(documents)
      return documents
    } catch {
      for document in documents {
        if !publisher.unpublish(document) { unsettled.insert(document.step) }
        failPublication(document, error)
      }
      return []
    }
  }

  private func failPublication(_ document: StagedDocument, _ error: SettleError) {
    ends[document.step] = .failed(error)
    perform(engine.control.apply(.publishFailed(document.claim)))
  }

  /// Records a group and prepares the next one, in one transaction; then reports and hands out.
  ///
  /// When the transaction fails nothing of it is recorded: the published files are taken back, and
  /// the items that were to come fail without having started.
  func record(_ documents: [StagedDocument], next: [ItemTicket]) {
    if engine.options.isDryRun {
      changes = LedgerBatch()
      return next.forEach(begin)
    }
    let entries = documents.map(entry)
    var batch = changes
    batch.published = zip(documents, entries).compactMap { publication($0, $1) }
    batch.forgotten += documents.filter { $0.restores != nil }.map(\.ticket.id)
    batch.restored = documents.compactMap { $0.restores?.id }
    batch.pending = next.map(pending)
    if batch.isEmpty { return }
    do throws(SettleError) {
      if !documents.isEmpty { engine.probe.reach(Checkpoint("import.beforeRecord")) }
      try Reserve.lend(engine.library.folders) { () throws(SettleError) in
        try engine.library.ledger.settle(batch)
      }
    } catch {
      return undo(documents, next, error)
    }
    changes = LedgerBatch()
    ledgerError = nil
    engine.probe.reach(Checkpoint("import.afterRecord"))
    for (document, entry) in zip(documents, entries) {
      ends[document.step] = .stored(entry)
      perform(engine.control.apply(.published(document.claim)))
    }
    for ticket in next { begin(ticket) }
  }

  private func begin(_ ticket: ItemTicket) {
    let step = ticket.step
    tickets[step] = ticket
    attempts[step] = 1
    if engine.options.onDuplicate != .keep {
      follow(claims.expect(step, byteCount: engine.items.byteCount(of: step)))
    }
    give(.copy(ticket, attempt: 1))
  }

  private func undo(_ documents: [StagedDocument], _ next: [ItemTicket], _ error: SettleError) {
    var error = error
    error.stage = .record
    ledgerError = error
    for document in documents {
      if !publisher.unpublish(document) { unsettled.insert(document.step) }
      failPublication(document, about(document.step, error))
    }
    for ticket in next {
      let failure = about(ticket.step, error)
      ticket.progress.settle(.failed(failure))
      for case .began(let claim) in engine.control.apply(.claim(ticket.step)) {
        fail(claim, failure, retries: false)
      }
    }
  }

  /// The same error, said about an item.
  func about(_ step: Int, _ error: SettleError) -> SettleError {
    var error = error
    error.subject = engine.items[step].path.bytes
    return error
  }

  // MARK: Rows

  private func pending(_ ticket: ItemTicket) -> PendingEntry {
    let path = engine.items[ticket.step].path
    var row = PendingEntry(
      id: ticket.id, run: engine.run, name: path.lastComponent, path: ticket.location.path)
    row.source = path.bytes
    row.sourceByteCount = engine.items.byteCount(of: ticket.step)
    return row
  }

  private func entry(_ document: StagedDocument) -> Entry {
    if let restored = document.restores { return restored }
    let source = engine.items[document.step].path
    return Entry(
      id: document.ticket.id, name: source.lastComponent, path: document.ticket.location.path,
      byteCount: document.byteCount, sha256: document.digest, pageCount: document.pageCount,
      flags: document.flags.sorted { $0.rawValue < $1.rawValue },
      engine: engine.library.verifier.engine,
      importedAt: Int64(engine.library.options.time.milliseconds), run: engine.run,
      source: source)
  }

  private func publication(_ document: StagedDocument, _ entry: Entry) -> Publication? {
    if document.restores != nil { return nil }
    var row = Publication(
      id: entry.id, path: entry.path, byteCount: entry.byteCount, sha256: entry.sha256)
    row.pageCount = entry.pageCount
    row.flags = entry.flags.map(\.rawValue)
    row.engine = entry.engine
    row.importedAt = entry.importedAt
    return row
  }
}
