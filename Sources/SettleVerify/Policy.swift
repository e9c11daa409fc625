import SettleCore

extension Verdict {
  /// Judges a file by its facts (IMP-4). Pure.
  ///
  /// A file that opens as it is and has a page is accepted. Recovery may rebuild the tables of a
  /// complete file; a file that was cut is `incomplete` even when some pages could be saved,
  /// because the rest would be lost in silence.
  package init(_ facts: DocumentFacts) {
    guard facts.hasSignature else {
      self = .refused(.notAPDF, detail: "no %PDF- in the first 1,024 bytes")
      return
    }
    switch facts.plain {
    case .opened(let pageCount, let isEncrypted) where pageCount > 0:
      self = .accepted(pageCount: pageCount, flags: isEncrypted ? [.encrypted] : [])
    case .passwordRequired:
      self = .refused(.passwordRequired, detail: "")
    case .outOfMemory:
      self = .outOfMemory
    case .opened, .failed, nil:
      self = Self.afterRecovery(facts)
    }
  }

  private static var outOfMemory: Verdict {
    .refused(.tooComplex, detail: "the parser reached its memory limit")
  }

  private static func afterRecovery(_ facts: DocumentFacts) -> Verdict {
    if facts.recovered == .outOfMemory { return outOfMemory }
    if facts.isShorterThanStated, let stated = facts.linearizedLength {
      return .refused(.incomplete, detail: "\(facts.byteCount) of \(stated) bytes")
    }
    if case .opened = facts.plain {
    } else if !facts.hasEndMarker {
      return .refused(.incomplete, detail: "no end marker")
    }
    switch facts.recovered {
    case .opened(let pageCount, let isEncrypted) where pageCount > 0:
      return .accepted(
        pageCount: pageCount, flags: isEncrypted ? [.repaired, .encrypted] : [.repaired])
    case .passwordRequired: return .refused(.passwordRequired, detail: "")
    case .opened: return .refused(.noPages, detail: "")
    case .failed(let detail): return plainCount(facts) ?? .refused(.damaged, detail: detail)
    case .outOfMemory, nil: return plainCount(facts) ?? .refused(.damaged, detail: "")
    }
  }

  /// A file that opened as it is but has no page.
  private static func plainCount(_ facts: DocumentFacts) -> Verdict? {
    if case .opened = facts.plain { return .refused(.noPages, detail: "") }
    return nil
  }
}
