import CSettleSystem
import Settle
import SettleCore
import SettleLedger
import SettleTestKit
import SettleTestSupport
import Testing

/// A library whose files are on a disk in memory and whose ledger is a real file at the same path.
struct FaultWorld: Sendable {
  /// What is imported, by name; the last has the content of the first.
  static let sources: [(name: String, content: [UInt8])] = [0, 1, 2, 0].enumerated().map {
    ("\($0).pdf", Documents.plain(byteCount: 1_500 + 300 * $1, seed: UInt64($1)))
  }
  /// Different contents among the sources.
  static let contentCount = 3

  let folder: BytePath
  var files: MemoryFileSystem
  var libraryPath: BytePath { folder.appending("library".utf8) }
  var sourcePath: BytePath { folder.appending("sources".utf8) }

  /// An empty disk with the sources on it, all of it durable.
  init(_ folder: BytePath) throws {
    self.folder = folder
    files = MemoryFileSystem()
    _ = libraryPath.withCString { mkdir($0, 0o700) }
    var made = BytePath("/")
    for name in sourcePath.bytes.split(separator: UInt8(ascii: "/")) {
      made = made.appending(name)
      _ = try files.makeFolder(at: made)
    }
    for (name, content) in Self.sources {
      try files.makeFile(at: sourcePath.appending(name.utf8), holding: content)
    }
    files.syncAll()
  }

  func open(_ probe: any Probe = NoProbe()) async throws -> Library {
    try mirrorLedger()
    var options = Library.Options()
    options.probe = probe
    options.files = files
    options.verifier = BlindVerifier()
    options.workerCount = 2
    return try await Library.open(at: libraryPath, options: options)
  }

  func importing(_ library: Library) async throws -> (report: ImportReport, items: [ImportedItem]) {
    let items = Collector<ImportedItem>()
    var options = ImportOptions()
    options.onItem = { items.add($0) }
    let run = try library.import([ImportSource(sourcePath)], options: options)
    let report = await run.report()
    return (report, items.all.sorted { $0.index < $1.index })
  }

  /// Names below a folder of the library, or below a folder of `documents`.
  func names(in path: String) throws -> [String] {
    let folder = try files.openFolder(at: libraryPath.appending(path.utf8))
    defer { files.close(folder) }
    return try files.names(in: folder).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: What must hold

  /// The sources are as they were.
  func expectSourcesUntouched(_ comment: Comment) throws {
    for (name, content) in Self.sources {
      #expect(try files.contents(at: sourcePath.appending(name.utf8)) == content, comment)
    }
  }

  /// Every listed entry has its file with its content (IMP-7).
  func expectListIsTrue(_ library: Library, _ comment: Comment) async throws {
    let known = Set(Self.sources.map { Digest.sha256($0.content) })
    for entry in try await library.allEntries() {
      let content = try? files.contents(at: library.path(of: entry))
      #expect(content.map(Digest.sha256) == entry.sha256, "\(comment) \(entry.path)")
      #expect(known.contains(entry.sha256), comment)
    }
  }

  /// After an opening nothing is left to repair, and nothing is staged.
  func expectRepaired(_ library: Library, _ comment: Comment) async throws {
    try await expectListIsTrue(library, comment)
    let findings = Collector<Settle.Finding>()
    let report = try await library.recover { findings.add($0) }
    #expect(report.isClean, "\(comment) a second recovery found \(findings.all)")
    #expect(try await library.check(deep: true).isClean, comment)
    for folder in ["staging", "trash", "quarantine"] {
      #expect(try names(in: folder) == [], "\(comment) in \(folder)")
    }
    #expect(try await library.status().unfinishedCount == 0, comment)
  }

  /// Importing again stores what is missing, and each content is there once.
  ///
  /// `mayBeTwice`: a publication that failed and could not be taken back is completed by recovery,
  /// beside a copy that was stored instead. Twice is better than never.
  func expectRestCanBeImported(
    _ library: Library, mayBeTwice: Bool = false, _ comment: Comment
  ) async throws {
    let (report, _) = try await importing(library)
    #expect(report.state == .succeeded, comment)
    #expect(report.counts.succeeded + report.counts.skipped == Self.sources.count, comment)
    let digests = try await library.allEntries().map(\.sha256)
    #expect(digests.count == Self.contentCount || mayBeTwice, comment)
    #expect(Set(digests) == Set(Self.sources.map { Digest.sha256($0.content) }), comment)
    try await expectRepaired(library, comment)
  }

  // MARK: The ledger

  /// Gives the disk in memory the name of a ledger that is there, as it is on a disk of one piece.
  private func mirrorLedger() throws {
    let name = FileName(own: "ledger.sqlite")
    guard libraryPath.appending(name.bytes).withCString({ access($0, F_OK) }) == 0,
      let folder = try? files.openFolder(at: libraryPath)
    else { return }
    defer { files.close(folder) }
    if let file = try? files.createFile(name, in: folder, mode: 0o600) { files.close(file) }
    // Refused only when this disk has crashed, and then the opening is refused, too.
    try? files.syncFolder(folder)
  }

  private static let ledgerNames = ["ledger.sqlite", "ledger.sqlite-wal"]

  /// The ledger's files as they are now.
  func copyOfLedger() -> [String: [UInt8]] {
    let disk = PosixFileSystem()
    var copy: [String: [UInt8]] = [:]
    for name in Self.ledgerNames {
      copy[name] = try? disk.contents(at: libraryPath.appending(name.utf8))
    }
    return copy
  }

  /// Replaces the ledger by a copy. Nobody may have it open.
  func putLedger(_ copy: [String: [UInt8]]) throws {
    for name in Self.ledgerNames + ["ledger.sqlite-shm"] {
      _ = libraryPath.appending(name.utf8).withCString { unlink($0) }
    }
    for (name, content) in copy {
      try PosixFileSystem().makeFile(at: libraryPath.appending(name.utf8), holding: content)
    }
  }
}

/// Lends a folder on a disk without a disk where there is one: syncing costs nothing there.
func withFaultWorld(_ body: (inout FaultWorld) async throws -> Void) async throws {
  var template = Array("/dev/shm/settle-fault-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    return try await withTemporaryFolder { folder in
      var world = try FaultWorld(folder)
      try await body(&world)
    }
  }
  let folder = BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
  defer { removeTree(folder) }
  var world = try FaultWorld(folder)
  try await body(&world)
}
