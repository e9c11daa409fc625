import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

/// A temporary folder with a library and sources, driven through the real `settle` program.
struct CrashBox: Sendable {
  let folder: BytePath
  let settle: BytePath
  var libraryPath: BytePath { folder.appending("library".utf8) }
  var sourcePath: BytePath { folder.appending("sources".utf8) }

  init(_ folder: BytePath) throws {
    self.folder = folder
    settle = try #require(BuiltProducts.settle, "settle is built with the tests")
    _ = sourcePath.withCString { mkdir($0, 0o700) }
  }

  /// Writes so many different documents into a folder below the sources.
  func write(_ count: Int, into name: String = "", seed: UInt64 = 0) throws {
    let path = name.isEmpty ? sourcePath : sourcePath.appending(name.utf8)
    _ = path.withCString { mkdir($0, 0o700) }
    for index in 0..<count {
      try PosixFileSystem().makeFile(
        at: path.appending("\(10_000 + index).pdf".utf8),
        holding: Documents.plain(byteCount: 700, seed: seed &* 100_000 &+ UInt64(index)))
    }
  }

  // MARK: Running the tool

  /// The tool with its library and JSON output.
  func command(_ arguments: [BytePath]) -> Command {
    var command = Command(settle.bytes, arguments.map(\.bytes) + Self.everyCall(libraryPath))
    command.errors = .null
    return command
  }

  static func everyCall(_ library: BytePath) -> [[UInt8]] {
    [Array("--json".utf8), Array("--library".utf8), library.bytes]
  }

  /// Runs the tool to its end.
  @discardableResult
  func run(_ arguments: BytePath...) throws -> ToolResult {
    try Self.run(command(arguments))
  }

  static func run(_ command: Command) throws -> ToolResult {
    let limits = CommandLimits(duration: .seconds(120), capturedByteCount: 16 << 20)
    let result = try command.run(limits: limits)
    return ToolResult(ending: result.ending, lines: JSONLine.all(in: result.output.bytes))
  }

  /// Names below a folder of the library.
  func names(in path: String) throws -> [String] {
    let files = PosixFileSystem()
    let folder = try files.openFolder(at: libraryPath.appending(path.utf8))
    defer { files.close(folder) }
    return try files.names(in: folder).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Files in all folders of `documents`; 0 while there is no library.
  func storedFileCount() -> Int {
    guard let shards = try? names(in: "documents") else { return 0 }
    return shards.reduce(0) { $0 + ((try? names(in: "documents/\($1)").count) ?? 0) }
  }

  // MARK: What must hold

  /// Recovers; then nothing is left to recover, every entry has its file and every file its entry.
  @discardableResult
  func expectRepaired(_ comment: Comment) throws -> ToolResult {
    let first = try run("recover")
    // Killed before there was a library: there is nothing to repair.
    if first.ending == .exited(10) { return first }
    #expect(first.ending == .exited(0), "\(comment) \(first.lines.suffix(2))")
    let second = try run("recover")
    #expect(second.lines.count == 1, "\(comment): again found \(second.lines.first?.text ?? "")")
    let check = try run("check", "--deep")
    #expect(check.ending == .exited(0), "\(comment) \(check.lines.prefix(3))")
    for folder in ["staging", "trash", "quarantine"] {
      #expect(try names(in: folder) == [], "\(comment): in \(folder)")
    }
    return first
  }

  /// Every source is stored, once.
  func expectEverythingStored(_ count: Int, _ comment: Comment) throws {
    let result = try run("import", sourcePath)
    #expect(result.ending == .exited(0), "\(comment) \(result.lines.last?.text ?? "")")
    #expect(result.finished?.state == "succeeded", comment)
    #expect(result.items.count == count, comment)
    try expectEntries(count, comment)
  }

  /// The list holds so many entries with different contents, and each has its file.
  func expectEntries(_ count: Int, _ comment: Comment) throws {
    let entries = try run("ls").entries
    #expect(entries.count == count, comment)
    #expect(Set(entries.compactMap { $0["sha256"] }).count == count, comment)
    #expect(storedFileCount() == count, comment)
    try expectRepaired(comment)
  }
}

/// How a call of the tool ended and what it printed.
struct ToolResult: Sendable {
  var ending: CommandResult.Ending
  var lines: [JSONLine]

  var entries: [JSONLine] { lines.filter { $0["type"] == "entry" } }
  var items: [JSONLine] { lines.filter { $0["type"] == "item" } }
  /// The last line of an import; nil when it is another one.
  var finished: JSONLine? { lines.last.flatMap { $0["type"] == "run_finished" ? $0 : nil } }

  /// Each item is reported once and the counts of the last line add up to them.
  func expectCountsAddUp(to count: Int, _ comment: Comment) {
    #expect(items.count == count, comment)
    #expect(Set(items.compactMap { $0["source"] }).count == count, comment)
    guard let finished else {
      Issue.record("\(comment): the last line is \(lines.last?.text ?? "missing")")
      return
    }
    for kind in OutcomeKind.allCases {
      let told = items.count { $0["outcome"] == kind.rawValue }
      #expect(finished[kind.rawValue] == "\(told)", "\(comment): \(kind) in \(finished.text)")
    }
  }
}

/// One line of the tool's JSON output. Names in these tests need no escapes.
struct JSONLine: Sendable, CustomStringConvertible {
  var text: String
  var description: String { text }
  var state: String? { self["state"] }

  /// The value of the first member of this name, at any depth: a string's text, else the literal.
  subscript(name: String) -> String? {
    let key = Array("\"\(name)\":".utf8)
    let bytes = Array(text.utf8)
    guard let start = bytes.firstRange(of: key)?.upperBound else { return nil }
    if bytes[start] == UInt8(ascii: "\"") {
      let rest = bytes[(start + 1)...]
      return String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
    let ends = Set(",}]".utf8)
    return String(decoding: bytes[start...].prefix { !ends.contains($0) }, as: UTF8.self)
  }

  static func all(in bytes: [UInt8]) -> [JSONLine] {
    bytes.split(separator: UInt8(ascii: "\n")).map {
      JSONLine(text: String(decoding: $0, as: UTF8.self))
    }
  }
}

func withCrashBox(_ body: (CrashBox) throws -> Void) throws {
  try withTemporaryFolder { folder in try body(try CrashBox(folder)) }
}
