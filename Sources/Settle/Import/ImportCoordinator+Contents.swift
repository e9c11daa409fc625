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
    let records = !engine.options.isDryRun
    do throws(SettleError) {
      var copy = document
      for row in try engine.library.ledger.available(sha256: document.digest) {
        guard let entry = Entry(row) else { continue }
        switch try presence(entry, isListed: row.state == .available) {
        case .whole:
          if records, row.state == .missing { try engine.library.ledger.restore(entry.id) }
          return endDuplicate(document, of: entry.id)
        case .absent:
          if records, row.state == .available { try engine.library.ledger.markMissing(entry.id) }
          copy.restores = entry
        case .changed: break
        }
      }
      staged[document.step] = copy
      give(.verify(copy))
    } catch {
      fail(document.claim, about(document.step, error), retries: false)
    }
  }

  private enum Presence {
    case whole, absent, changed
  }

  /// Whether an entry's file can stand for its content. A file of another size cannot: a user who
  /// is told "already present" may delete the source. One that was missing is read first.
  private func presence(_ entry: Entry, isListed: Bool) throws(SettleError) -> Presence {
    let folders = engine.library.folders
    guard let location = DocumentLocation(path: entry.path) else { return .changed }
    do throws(FileError) {
      guard let status = try folders.status(of: location) else { return .absent }
      guard status.byteCount == entry.byteCount else { return .changed }
      if isListed { return .whole }
      let survey = Survey(folders: folders, ledger: engine.library.ledger)
      return try survey.content(of: location).digest == entry.sha256 ? .whole : .changed
    } catch {
      throw SettleError(error, stage: .publication, subject: Array(entry.path.utf8))
    }
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
