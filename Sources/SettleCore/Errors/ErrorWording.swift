/// The wording of every error, in one place and tested word for word.
package struct ErrorWording: Sendable {
  /// What failed. `%` stands for the subject.
  package var what: String
  /// What state is left.
  package var left: String
  /// What to do next.
  package var next: String
  /// Trying again later, unchanged, may work.
  package var isRetryable: Bool

  init(_ what: String, left: String, next: String, retry: Bool = false) {
    self.what = what
    self.left = left
    self.next = next
    self.isRetryable = retry
  }

  /// The wording of one code; unknown codes are worded by their name.
  ///
  /// Errors of imported items have a stage. All others are those of a call or of a document that
  /// is in the library already: nothing is said of a source then.
  package static func of(
    _ code: SettleError.Code, isOfItem: Bool = false, stage: SettleError.Stage? = nil
  ) -> ErrorWording {
    // Sources are read in the first stages; what the later ones may not do, they may not write.
    if code == .permissionDenied, stage == .copy || stage == .publication || stage == .record {
      return libraryNotWritable
    }
    return wording(code, isOfItem: isOfItem)
  }

  private static func wording(_ code: SettleError.Code, isOfItem: Bool) -> ErrorWording {
    (isOfItem ? nil : neutralWordings[code]) ?? itemWordings[code] ?? callWordings[code]
      ?? ErrorWording(
        "Failed with \"\(code.rawValue)\": %.", left: nothingDone,
        next: "Report this with the output of settle doctor.")
  }
}

private let nothingDone = "Nothing was changed."
private let nothingStarted = "No step was started."
private let untouched = "The source is untouched and no entry was made."

private let libraryNotWritable = ErrorWording(
  "No permission to write to the library for %.", left: untouched,
  next: "Grant write permission on the library's folder, which settle doctor names, and import "
    + "again.", retry: true)

private let intact = "Every available document is intact."

private let raiseTheLimit =
  "Raise the limit with ulimit -n, or close other programs, and try again."

/// Codes of items when they are met outside an import.
private let neutralWordings: [SettleError.Code: ErrorWording] = [
  .tooManyOpenFiles: .init(
    "Too many files are open to go on with %.", left: intact, next: raiseTheLimit, retry: true),
  .nameTooLong: .init(
    "The name or path is too long: %.", left: intact, next: "Choose a shorter one."),
  .readOnlyVolume: .init(
    "The file system is read-only: %.", left: intact,
    next: "Mount it for writing, or choose a folder elsewhere."),
  .volumeGone: .init(
    "The disk or server went away: %.", left: intact,
    next: "Connect it again, then run settle recover.", retry: true),
  .fileInUse: .init(
    "Another program uses it: %.", left: intact, next: "Wait for that program and try again.",
    retry: true),
  .notFound: .init(
    "There is no file at %.", left: intact, next: "Check the path and try again.", retry: true),
  .permissionDenied: .init(
    "No permission for %.", left: intact, next: "Grant it and try again.", retry: true),
  .notARegularFile: .init(
    "Not a regular file or folder: %.", left: intact, next: "Check the path and try again."),
  .noSpace: .init(
    "No space is left for %.", left: intact,
    next: "Free space on that disk and try again.", retry: true),
  .ioError: .init(
    "The disk reported an error for %.", left: intact,
    next: "Check the disk, then run settle check --deep.", retry: true),
  .cancelled: .init(
    "Cancelled: %.", left: "What was finished stays, nothing is half done.",
    next: "Run it again.", retry: true),
  .timeout: .init("A time limit passed for %.", left: intact, next: "Try again.", retry: true),
  .toolFailed: .init("A tool failed on %.", left: intact, next: "Run settle doctor."),
]

private let itemWordings: [SettleError.Code: ErrorWording] = [
  .notFound: .init(
    "There is no file at %.", left: untouched, next: "Check the path and import again.",
    retry: true),
  .permissionDenied: .init(
    "No permission to read %.", left: untouched, next: "Grant read permission and import again.",
    retry: true),
  .notARegularFile: .init(
    "Not a regular file: %.", left: untouched, next: "Name a file or a folder of files."),
  .emptySource: .init(
    "The file is empty: %.", left: untouched,
    next: "If it is still being written or downloaded, import it again later.", retry: true),
  .sourceChanged: .init(
    "The file changed while it was copied: %.", left: untouched,
    next: "Wait until nothing writes to it and import again.", retry: true),
  .notDownloaded: .init(
    "The file is a placeholder that is not downloaded: %.", left: untouched,
    next: "Download it and import again.", retry: true),
  .notAPDF: .init(
    "Not a PDF: no PDF signature in the first 1,024 bytes of %.", left: untouched,
    next: "Open the file to see what it is; a download may have saved a web page instead."),
  .incomplete: .init(
    "The PDF ends too early: %.", left: untouched,
    next: "Wait for the download to finish, or fetch it again, and import again.", retry: true),
  .damaged: .init(
    "The PDF is damaged: %.", left: untouched, next: "Get another copy of the file."),
  .passwordRequired: .init(
    "The PDF needs a password: %.", left: untouched,
    next: "Save a copy without the password and import that."),
  .noPages: .init(
    "The PDF has no pages: %.", left: untouched, next: "Get another copy of the file."),
  .tooComplex: .init(
    "The PDF made the verifier crash or reach a limit: %.", left: untouched,
    next: "Treat the file with care; save it again from a viewer that you trust."),
  .unsupportedType: .init(
    "Not a document that the library keeps: %.", left: untouched, next: "Nothing needs doing."),
  .noSpace: .init(
    "No space is left for %.", left: untouched,
    next: "Free space on the library's disk and import again; finished items are kept.",
    retry: true),
  .ioError: .init(
    "The disk reported an error for %.", left: untouched,
    next: "Check the disk, then run settle recover and import again.", retry: true),
  .tooManyOpenFiles: .init(
    "Too many files are open to import %.", left: untouched, next: raiseTheLimit, retry: true),
  .nameTooLong: .init(
    "The path is too long: %.", left: untouched,
    next: "Import from a folder that is nearer to the file, or move the file up."),
  .readOnlyVolume: .init(
    "The library's file system is read-only, so there is no place for %.", left: untouched,
    next: "Mount it for writing, or choose another library with --library."),
  .volumeGone: .init(
    "The disk or server went away: %.", left: untouched,
    next: "Connect it again, run settle recover and import again.", retry: true),
  .fileInUse: .init(
    "Another program uses the file: %.", left: untouched,
    next: "Wait for that program and import again.", retry: true),
  .interrupted: .init(
    "An earlier run ended before it finished %.", left: untouched, next: "Import it again.",
    retry: true),
  .cancelled: .init("Cancelled: %.", left: untouched, next: "Import it again.", retry: true),
  .duplicate: .init(
    "The library holds the same content already: %.", left: untouched,
    next: "Use --on-duplicate keep to store a second copy."),
  .dependencyFailed: .init(
    "Not run, because an earlier step did not succeed: %.", left: untouched,
    next: "Mend the first failure and run again.", retry: true),
  .unchanged: .init(
    "Nothing changed since the last run: %.", left: nothingDone, next: "Nothing needs doing."),
  .timeout: .init(
    "A time limit passed for %.", left: untouched, next: "Import it again.", retry: true),
  .toolFailed: .init(
    "A tool failed on %.", left: untouched, next: "Run settle doctor."),
  .toolMissing: .init(
    "A tool is missing: %.", left: nothingDone,
    next: "Install it; settle doctor says how.", retry: true),
]

private let callWordings: [SettleError.Code: ErrorWording] = [
  .libraryNotNamed: .init(
    "Nothing says which library is meant.", left: nothingDone,
    next: "Name one with --library or SETTLE_LIBRARY."),
  .noLibrary: .init(
    "There is no library at %.", left: nothingDone,
    next: "Name one with --library, or make one with settle import."),
  .libraryBusy: .init(
    "Another process is writing to the library at %.", left: nothingDone,
    next: "Wait for it to end, or end it, and try again.", retry: true),
  .needsRecovery: .init(
    "The library at % was left unfinished.", left: intact,
    next: "Run settle recover."),
  .notOneFileSystem: .init(
    "The folders of the library at % are on different file systems.", left: nothingDone,
    next: "Put the whole library on one file system."),
  .networkFileSystem: .init(
    "The library at % would be on a network file system.", left: nothingDone,
    next: "Choose a folder on a local disk; network folders are welcome as sources."),
  .newerFormat: .init(
    "The library at % was written by a newer version.", left: nothingDone,
    next: "Update settle."),
  .ledgerDamaged: .init(
    "The ledger of the library at % cannot be read.",
    left: "The documents in it are untouched.",
    next: "Restore ledger.sqlite from a backup, or check the disk."),
  .noSuchEntry: .init(
    "No entry has the id %.", left: nothingDone, next: "List the ids with settle ls."),
  .missingFile: .init(
    "The document's file is gone: %.", left: "Its entry is kept, not listed.",
    next: "Import the same document again to restore it."),
  .changedFile: .init(
    "The document's file is not what was imported: %.",
    left: "Its entry is kept; no copy of it was handed out.",
    next: "Import the same document again to restore it."),
  .targetInLibrary: .init(
    "The folder is inside the library: %.", left: nothingDone,
    next: "Choose a folder outside of the library."),
  .targetExists: .init(
    "The target exists: %.", left: "It was not replaced.",
    next: "Choose another folder or remove the file."),
  .notALibrary: .init(
    "The folder holds other files and is no library: %.", left: nothingDone,
    next: "Choose an empty or a new folder."),
  .noInput: .init("There is nothing to import.", left: nothingDone, next: "Name a file or folder."),
  .weightExceedsTotal: .init(
    "More progress was handed out than the total holds: %.", left: nothingDone,
    next: "Hand out shares that add up to the total at most."),
  .stepFailed: .init(
    "The step failed: %.", left: "What it had not committed was not published.",
    next: "Mend what the message names and run again.", retry: true),
  .cycle: .init(
    "Steps wait for each other: %.", left: nothingStarted,
    next: "Remove one of the dependencies that the path names."),
  .duplicateName: .init(
    "Two steps have the name %.", left: nothingStarted, next: "Give each step its own name."),
  .selfEdge: .init(
    "The step needs itself: %.", left: nothingStarted, next: "Remove that dependency."),
  .foreignEdge: .init(
    "The step needs one that is not in its graph: %.", left: nothingStarted,
    next: "List the needed step in the same graph."),
  .unknownResource: .init(
    "No permits are set for the resource %.", left: nothingStarted,
    next: "Give it one or more permits in the graph's limits."),
  .commitRefused: .init(
    "The step may not commit any more: %.", left: "What it committed before stands.",
    next: "Commit once in a step's body, before it returns."),
  .unexpected: .init(
    "Something unexpected happened: %.", left: intact,
    next: "Run settle recover and report this with the output of settle doctor."),
]
