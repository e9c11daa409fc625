import CSettleSystem
import Settle
import SettleProcess
import SettleTestSupport
import SettleVerify
import Testing

/// A temporary folder with a library and sources in it, and the real verifier.
struct LibraryBox: Sendable {
  let folder: BytePath
  var options = Library.Options()

  var libraryPath: BytePath { folder.appending("library".utf8) }
  var sourcePath: BytePath { folder.appending("sources".utf8) }

  init(_ folder: BytePath) throws {
    self.folder = folder
    options.verifier = try Self.verifier()
    _ = sourcePath.withCString { mkdir($0, 0o700) }
  }

  /// One pool for all tests; its processes end with the test process.
  private static let pool: VerifierPool? = BuiltProducts.verifier.map {
    VerifierPool(location: VerifierLocation(chosen: $0.bytes))
  }

  static func verifier() throws -> any DocumentVerifier {
    let found = pool
    return try #require(found, "settle-verify is built with the tests")
  }

  func open() async throws -> Library {
    try await Library.open(at: libraryPath, options: options)
  }

  /// Opens, imports, closes; returns the report and the items by their index.
  func importing(
    _ sources: [BytePath]? = nil, _ importOptions: ImportOptions = .init()
  ) async throws -> (report: ImportReport, items: [ImportedItem]) {
    let library = try await open()
    defer { library.close() }
    return try await run(in: library, sources, importOptions)
  }

  func run(
    in library: Library, _ sources: [BytePath]? = nil, _ importOptions: ImportOptions = .init()
  ) async throws -> (report: ImportReport, items: [ImportedItem]) {
    let items = Collector<ImportedItem>()
    var chosen = importOptions
    chosen.onItem = { items.add($0) }
    let run = try library.import((sources ?? [sourcePath]).map(ImportSource.init), options: chosen)
    let report = await run.report()
    return (report, items.all.sorted { $0.index < $1.index })
  }

  @discardableResult
  func write(_ bytes: [UInt8], as name: [UInt8], mode: UInt32 = 0o600) throws -> BytePath {
    let path = sourcePath.appending(name)
    try PosixFileSystem().makeFile(at: path, holding: bytes)
    _ = path.withCString { chmod($0, mode_t(mode)) }
    return path
  }

  @discardableResult
  func write(_ bytes: [UInt8], as name: String) throws -> BytePath {
    try write(bytes, as: Array(name.utf8))
  }

  /// Names below a folder of the library, for what must or must not be left.
  func names(in folder: String) throws -> [String] {
    let files = PosixFileSystem()
    let handle = try files.openFolder(at: libraryPath.appending(folder.utf8))
    defer { files.close(handle) }
    var names: [String] = []
    try files.list(handle) { name, _ in
      names.append(name.description)
      return true
    }
    return names.sorted()
  }

  /// What must hold whenever nothing runs: every entry has its file, every file its entry, nothing
  /// is staged, and a check agrees.
  func expectConsistent(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var reading = options
    reading.access = .readOnly
    let library = try await Library.open(at: libraryPath, options: reading)
    defer { library.close() }
    let findings = Collector<Finding>()
    let report = try await library.check(deep: true) { findings.add($0) }
    #expect(report.isClean, "\(comment ?? "") \(findings.all)", sourceLocation: sourceLocation)
    #expect(try names(in: "staging") == [], comment, sourceLocation: sourceLocation)
    #expect(try names(in: "trash") == [], comment, sourceLocation: sourceLocation)
    #expect(
      try await library.status().unfinishedCount == 0, comment, sourceLocation: sourceLocation)
  }
}

func withBox<Result>(_ body: (inout LibraryBox) async throws -> Result) async throws -> Result {
  try await withTemporaryFolder { folder in
    var box = try LibraryBox(folder)
    return try await body(&box)
  }
}

extension Library {
  func allEntries() async throws -> [Entry] {
    var all: [Entry] = []
    for try await entry in entries() { all.append(entry) }
    return all
  }
}
