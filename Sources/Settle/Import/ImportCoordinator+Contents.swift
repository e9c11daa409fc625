import SettleCore
import SettleFiles
import SettleLedger

/// Who stores equal content, and which lost files come back (IMP-12).
extension ImportCoordinator {
  /// A copy's content is known: who may go on now.
  func contentKnown(_ document: StagedDocument) -> [ContentClaims.Release] {
    if engine.options.onDuplicate == .keep {
      return [.init(step: document.step, decision: .proceed)]
        + claims.end(document.step, storedAs: nil)
    }
    return claims.hashed(
      document.step, byteCount: document.byteCount, digest: document.digest)
  }

  /// Acts on what the claims decided.
  func follow(_ releases: [ContentClaims.Release]) {
    for release in releases where waiting.remove(release.step) != nil {
      guard let document = staged[release.step] else { continue }
      if engine.isCancelled {
        // Not handed to a worker any more: whoever ends it here must be the only one who has it.
        perform(engine.control.apply(.failed(document.claim, retries: false)))
        continue
      }
      switch release.decision {
      case .duplicate(let id): endDuplicate(document, of: id)
      case .proceed: proceed(document)
      }
    }
  }

  /// Nobody before it in this run has the content; perhaps the library has.
  private func proceed(_ document: StagedDocument) {
    guard engine.options.onDuplicate != .keep else { return give(.verify(document)) }
    if let id = wouldHold[document.digest] { return endDuplicate(document, of: id) }
    do throws(SettleError) {
      let rows = try engine.library.ledger.available(sha256: document.digest)
      let twins = rows.compactMap { row in
        Entry(row).map { StoredTwin(entry: $0, isListed: row.state == .available) }
      }
      give(twins.isEmpty ? .verify(document) : .compare(document, twins))
    } catch {
      fail(document.claim, about(document.step, error), retries: false)
    }
  }

  /// The library's files with this content were read. A whole one makes the item a duplicate: only
  /// then, since a user who is told "already present" may delete the source. A lost or damaged one
  /// is brought back by this copy.
  func compared(_ document: StagedDocument, _ twins: [StoredTwin: TwinState]) {
    let records = !engine.options.isDryRun
    let ledger = engine.library.ledger
    let ordered = twins.sorted { $0.key.entry.id < $1.key.entry.id }
    do throws(SettleError) {
      if let (twin, _) = ordered.first(where: { $0.value == .whole }) {
        if records, !twin.isListed {
          try lendingReserve { () throws(SettleError) in try ledger.restore(twin.entry.id) }
        }
        return endDuplicate(document, of: twin.entry.id)
      }
      var copy = document
      if records, let (twin, state) = ordered.first {
        if twin.isListed {
          try lendingReserve { () throws(SettleError) in try ledger.markMissing(twin.entry.id) }
        }
        if state == .changed { try publisher.quarantine(twin.entry) }
        copy.restores = twin.entry
      }
      staged[document.step] = copy
      give(.verify(copy))
    } catch {
      fail(document.claim, about(document.step, error), retries: false)
    }
  }

  private func lendingReserve(
    _ body: () throws(SettleError) -> Void
  ) throws(SettleError) {
    try Reserve.lend(engine.library.folders, body)
  }

  private func endDuplicate(_ document: StagedDocument, of id: EntryID) {
    let name = wouldStore[id].map { shown(engine.items[$0].path.bytes) } ?? id.description
    if engine.options.onDuplicate == .fail {
      var error = engine.items[document.step].error(.duplicate, stage: .publication)
      error.detail = name
      return fail(document.claim, error, retries: false)
    }
    ends[document.step] = .skipped(.duplicate(of: name))
    perform(engine.control.apply(.nothingToDo(document.claim)))
  }
}
