import SettleTestKit
import SettleVerify

/// Something that happens in a cell, at its place in the order of an import.
struct SelftestEvent {
  /// Where it happens: later things have larger numbers.
  var place: Int
  /// How it ends the import; nil when the import goes on.
  var ending: CellEnding?
}

/// Types of files.
enum SelftestFile: String, CaseIterable {
  case small = "PDF"
  case large = "PDF of 300 kB"
  case pageless = "PDF without pages"
  case half = "half a PDF"
  case webPage = "web page named .pdf"
  case empty = "empty file"
  case none = "no file"

  /// The content. Another seed gives another one.
  func bytes(seed: UInt64) -> [UInt8] {
    let title = "selftest \(seed)"
    switch self {
    case .small: return SampleDocument.pdf(title: title)
    case .large: return SampleDocument.pdf(title: title, padding: 300_000, seed: seed)
    case .pageless:
      let whole = String(decoding: SampleDocument.pdf(title: title), as: UTF8.self)
      // Of the same length, so that the table of the file stays right.
      let (pages, none) = ("/Kids [3 0 R] /Count 1", "/Kids []      /Count 0")
      return Array(whole.split(separator: pages).joined(separator: none).utf8)
    case .half:
      let whole = SampleDocument.pdf(title: title)
      return Array(whole.prefix(whole.count / 2))
    case .webPage: return Array("<html><body>404 Not Found: \(seed)</body></html>\n".utf8)
    case .empty, .none: return []
    }
  }

  /// Why it is refused, if it is.
  var event: SelftestEvent? {
    switch self {
    case .small, .large, .none: nil
    case .empty: SelftestEvent(place: 25, ending: .failed("emptySource"))
    case .webPage: SelftestEvent(place: 40, ending: .failed("notAPDF"))
    case .half: SelftestEvent(place: 90, ending: .failed("incomplete"))
    case .pageless: SelftestEvent(place: 90, ending: .failed("noPages"))
    }
  }

  /// True for a document that can be imported.
  var isSound: Bool { self == .small || self == .large }
}

/// Kinds of sources.
enum SelftestSource: String, CaseIterable {
  case regular = "regular file"
  case inFolder = "in a folder"
  case hardLink = "hard link"
  case link = "link"
  case lineEnd = "name with a line end"
  case notUTF8 = "name that is not UTF-8"
  case turning = "name that turns text round"
  case growing = "grows while it is copied"
  case growingOnce = "grows once"
  case replaced = "is replaced while it is copied"
  case unreadable = "may not be read"
  case missing = "is not there"
  case dangling = "dangling link"
  case pipe = "FIFO"
  case socket = "socket"
  case device = "device"

  /// True when there are bytes behind it.
  var hasFile: Bool {
    switch self {
    case .missing, .dangling, .pipe, .socket, .device: false
    default: true
    }
  }

  /// True when it is changed while it is copied.
  var changes: Bool { self == .growing || self == .growingOnce || self == .replaced }

  /// What it does to an import.
  var event: SelftestEvent? {
    switch self {
    case .growing, .replaced: SelftestEvent(place: 80, ending: .failed("sourceChanged"))
    case .growingOnce: SelftestEvent(place: 80, ending: nil)
    case .unreadable: SelftestEvent(place: 20, ending: .failed("permissionDenied"))
    case .missing, .dangling: SelftestEvent(place: 20, ending: .failed("notFound"))
    case .pipe, .socket, .device:
      SelftestEvent(place: 20, ending: .failed("notARegularFile"))
    default: nil
    }
  }

  /// The name of the file.
  var name: [UInt8] {
    switch self {
    case .lineEnd: Array("new\nline <&\"'>\u{1B}[31m.pdf".utf8)
    case .notUTF8: [0xFF, 0xFE] + Array("bytes.pdf".utf8)
    case .turning: Array("\u{202E}fdp.exe.pdf".utf8)
    default: Array("document.pdf".utf8)
    }
  }
}

/// Faults.
enum SelftestFault: String, CaseIterable {
  case none = "none"
  case openDenied = "no permission at open"
  case readError = "I/O error at read"
  case noSpaceAtCreate = "no space at create"
  case fullDisk = "disk full at write"
  case writeError = "I/O error at write"
  case shortWrite = "short write"
  case syncError = "I/O error at sync"
  case syncErrorOnce = "I/O error at sync, once"
  case renameError = "I/O error at rename"
  case folderSyncError = "I/O error at sync of the folder"

  /// What it does to an import.
  var event: SelftestEvent? {
    switch self {
    case .none: nil
    case .openDenied: SelftestEvent(place: 20, ending: .failed("permissionDenied"))
    case .readError: SelftestEvent(place: 30, ending: .failed("ioError"))
    case .noSpaceAtCreate: SelftestEvent(place: 50, ending: .failed("noSpace"))
    case .fullDisk: SelftestEvent(place: 60, ending: .failed("noSpace"))
    case .writeError: SelftestEvent(place: 60, ending: .failed("ioError"))
    case .shortWrite: SelftestEvent(place: 60, ending: nil)
    case .syncError: SelftestEvent(place: 100, ending: .failed("ioError"))
    case .syncErrorOnce: SelftestEvent(place: 100, ending: nil)
    case .renameError: SelftestEvent(place: 120, ending: .failed("ioError"))
    case .folderSyncError: SelftestEvent(place: 140, ending: .failed("ioError"))
    }
  }
}

/// Points at which an import or a step is cancelled.
enum SelftestCancel: String, CaseIterable {
  case never = "never"
  case beforeStart = "before start"
  case whileCopying = "while copying"
  case beforeCommit = "before commit"
  case afterCommit = "after commit"

  /// What it does to an import. After the commit it comes too late.
  var event: SelftestEvent? {
    switch self {
    case .never: nil
    case .beforeStart: SelftestEvent(place: 10, ending: .cancelled)
    case .whileCopying: SelftestEvent(place: 55, ending: .cancelled)
    case .beforeCommit: SelftestEvent(place: 110, ending: .cancelled)
    case .afterCommit: SelftestEvent(place: 130, ending: nil)
    }
  }

  /// The checkpoint of an import at which it comes; nil for one inside a write.
  var checkpoint: String? {
    switch self {
    case .never, .whileCopying: nil
    case .beforeStart: "import.beforeStart"
    case .beforeCommit: "import.beforeCommit"
    case .afterCommit: "import.afterRename"
    }
  }
}
