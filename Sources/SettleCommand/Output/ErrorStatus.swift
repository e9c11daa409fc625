import SettleCore

extension ExitStatus {
  /// The exit code of a command that could not do its job.
  init(for error: SettleError) {
    switch error.code {
    case .noLibrary, .notALibrary, .libraryNotNamed: self = .noLibrary
    case .libraryBusy: self = .libraryBusy
    case .needsRecovery, .ledgerDamaged: self = .needsRecovery
    case .missingFile, .changedFile: self = .mismatch
    // A newer format needs a newer tool; a volume that is read-only gives no right to write.
    case .toolMissing, .permissionDenied, .readOnlyVolume, .newerFormat: self = .missingToolOrRight
    case .noSuchEntry, .noInput, .notFound, .targetInLibrary, .notARegularFile, .nameTooLong,
      .networkFileSystem:
      self = .usage
    case .targetExists: self = .nonePublished
    default: self = .unexpected
    }
  }

  /// The exit code of a run that ended by itself: by items, never by a rounded figure.
  init(counts: OutcomeCounts) {
    let undone = counts.failed + counts.cancelled
    if undone == 0 {
      self = .success
    } else {
      self = counts.succeeded > 0 ? .someNotPublished : .nonePublished
    }
  }

  /// The exit code of a command that this signal ended.
  init(signal number: Int32) {
    self = ExitStatus(rawValue: 128 + number) ?? .unexpected
  }
}
