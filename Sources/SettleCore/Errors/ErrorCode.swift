extension SettleError.Code {
  // Reasons of an item, as in the contract.

  /// The source does not exist.
  public static let notFound = Self(rawValue: "notFound")
  /// The source may not be read.
  public static let permissionDenied = Self(rawValue: "permissionDenied")
  /// The source is a pipe, a socket, a device or a folder.
  public static let notARegularFile = Self(rawValue: "notARegularFile")
  /// The source has no bytes.
  public static let emptySource = Self(rawValue: "emptySource")
  /// The source changed while it was copied.
  public static let sourceChanged = Self(rawValue: "sourceChanged")
  /// The source is a placeholder whose content is elsewhere.
  public static let notDownloaded = Self(rawValue: "notDownloaded")
  /// No PDF signature in the first 1,024 bytes.
  public static let notAPDF = Self(rawValue: "notAPDF")
  /// The file ends before its content does.
  public static let incomplete = Self(rawValue: "incomplete")
  /// A parser cannot open the file.
  public static let damaged = Self(rawValue: "damaged")
  /// The file opens only with a password.
  public static let passwordRequired = Self(rawValue: "passwordRequired")
  /// The file opens but has no page.
  public static let noPages = Self(rawValue: "noPages")
  /// The parser crashed on the file or reached a limit.
  public static let tooComplex = Self(rawValue: "tooComplex")
  /// Not of a kind that the library keeps.
  public static let unsupportedType = Self(rawValue: "unsupportedType")
  /// No space is left.
  public static let noSpace = Self(rawValue: "noSpace")
  /// The disk or volume reported an error.
  public static let ioError = Self(rawValue: "ioError")
  /// An earlier run ended before this item did.
  public static let interrupted = Self(rawValue: "interrupted")
  /// Cancelled.
  public static let cancelled = Self(rawValue: "cancelled")
  /// The same content is in the library already.
  public static let duplicate = Self(rawValue: "duplicate")
  /// A step that this one needs did not succeed.
  public static let dependencyFailed = Self(rawValue: "dependencyFailed")
  /// Nothing changed since the last run.
  public static let unchanged = Self(rawValue: "unchanged")
  /// A time limit passed.
  public static let timeout = Self(rawValue: "timeout")
  /// A tool ended with an error.
  public static let toolFailed = Self(rawValue: "toolFailed")
  /// A tool is not installed.
  public static let toolMissing = Self(rawValue: "toolMissing")

  // Errors of a call.

  /// There is no library at the path.
  public static let noLibrary = Self(rawValue: "noLibrary")
  /// Another process is writing to the library.
  public static let libraryBusy = Self(rawValue: "libraryBusy")
  /// The library must be repaired before this can be done.
  public static let needsRecovery = Self(rawValue: "needsRecovery")
  /// The library's folders are on different file systems.
  public static let notOneFileSystem = Self(rawValue: "notOneFileSystem")
  /// The library would be on a network file system.
  public static let networkFileSystem = Self(rawValue: "networkFileSystem")
  /// The ledger was written by a newer version.
  public static let newerFormat = Self(rawValue: "newerFormat")
  /// The ledger cannot be read.
  public static let ledgerDamaged = Self(rawValue: "ledgerDamaged")
  /// No entry has this id.
  public static let noSuchEntry = Self(rawValue: "noSuchEntry")
  /// The entry's file is not where the ledger says.
  public static let missingFile = Self(rawValue: "missingFile")
  /// The entry's file has another size or content than was imported.
  public static let changedFile = Self(rawValue: "changedFile")
  /// The target of an export is the library or inside it.
  public static let targetInLibrary = Self(rawValue: "targetInLibrary")
  /// The process or the system has too many files open.
  public static let tooManyOpenFiles = Self(rawValue: "tooManyOpenFiles")
  /// A name or a path is longer than the system takes.
  public static let nameTooLong = Self(rawValue: "nameTooLong")
  /// The file system is read-only.
  public static let readOnlyVolume = Self(rawValue: "readOnlyVolume")
  /// The disk, the volume or the server went away.
  public static let volumeGone = Self(rawValue: "volumeGone")
  /// Another program uses the file in a way that excludes us.
  public static let fileInUse = Self(rawValue: "fileInUse")
  /// Nothing says which library is meant.
  public static let libraryNotNamed = Self(rawValue: "libraryNotNamed")
  /// The target of an export exists.
  public static let targetExists = Self(rawValue: "targetExists")
  /// The folder is not empty and holds no library.
  public static let notALibrary = Self(rawValue: "notALibrary")
  /// A batch that needs input has none.
  public static let noInput = Self(rawValue: "noInput")
  /// More was handed out than the total holds.
  public static let weightExceedsTotal = Self(rawValue: "weightExceedsTotal")
  /// A step of a graph threw an error of its own.
  public static let stepFailed = Self(rawValue: "stepFailed")
  /// Steps of a graph wait for each other.
  public static let cycle = Self(rawValue: "cycle")
  /// Two steps of a graph have one name.
  public static let duplicateName = Self(rawValue: "duplicateName")
  /// A step needs itself.
  public static let selfEdge = Self(rawValue: "selfEdge")
  /// A step needs one that is not in its graph.
  public static let foreignEdge = Self(rawValue: "foreignEdge")
  /// A step needs a resource for which the graph has no limit.
  public static let unknownResource = Self(rawValue: "unknownResource")
  /// A step committed a second time, or after its body had returned.
  public static let commitRefused = Self(rawValue: "commitRefused")
  /// Something that should not happen.
  public static let unexpected = Self(rawValue: "unexpected")
}
