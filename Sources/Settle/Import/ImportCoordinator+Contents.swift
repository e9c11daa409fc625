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
      switch release.decision {
      case .duplicate(let id): endDuplicate(document, of: id)
      case .proceed: proceed(document)
      }
    }
  }

  /// Nobody before it in this run has the content; perhaps the library has.
  private func proceed(_ document: StagedDocument) {
    guard engine.options.onDuplicate != .keep else { return give(.verify(document)) }
    do throws(SettleError) {
      var copy = document
      for row in try engine.library.ledger.available(sha256: document.digest) {
        guard let entry = Entry(row) else { continue }
        if try isPresent(entry) { return endDuplicate(document, of: entry.id) }
        if row.state == .available { try engine.library.ledger.markMissing(entry.id) }
        copy.restores = entry
      }
      staged[document.step] = copy
      give(.verify(copy))
    } catch {
      fail(document.claim, error, retries: false)
    }
  }

  private func isPresent(_ entry: Entry) throws(SettleError) -> Bool {
    guard let location = DocumentLocation(path: entry.path) else { return false }
    do throws(FileError) {
      return try engine.library.folders.status(of: location) != nil
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
