import CSettleSystem
import Foundation
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

/// The tool with a library and documents of its own, in one temporary folder.
struct ToolRun {
  /// What one run left.
  struct Result {
    var ending: CommandResult.Ending
    var output: String
    var talk: String

    /// The exit code; nil when a signal ended it.
    var code: Int32? { if case .exited(let code) = ending { code } else { nil } }

    /// Every line of standard output as a JSON object; nil when one is none.
    var objects: [[String: Any]]? {
      var all: [[String: Any]] = []
      for line in output.split(separator: "\n") {
        let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let object = value as? [String: Any], object["type"] is String else { return nil }
        all.append(object)
      }
      return all
    }

    func objects(_ type: String) -> [[String: Any]] {
      (objects ?? []).filter { $0["type"] as? String == type }
    }
  }

  let folder: BytePath
  let program: BytePath
  var library: BytePath { folder.appending("library".utf8) }

  /// Lends the tool; skips with a printed reason when it is not built.
  static func lend(_ body: (ToolRun) throws -> Void) throws {
    guard let program = BuiltProducts.settle, BuiltProducts.verifier != nil else {
      print("skipped: settle and settle-verify are not built")
      return
    }
    try withTemporaryFolder { try body(ToolRun(folder: $0, program: program)) }
  }

  /// Variables of a run: its own library and home, nothing of the machine's taste.
  func variables(_ more: [(name: String, value: String)] = []) -> [[UInt8]] {
    let own = [("SETTLE_LIBRARY", library), ("HOME", folder), ("TMPDIR", folder)].map {
      (name: $0.0, value: String(decoding: $0.1.bytes, as: UTF8.self))
    }
    let plain = ["NO_COLOR", "CLICOLOR_FORCE", "XDG_DATA_HOME"].map { (name: $0, value: "") }
    let all = plain + [(name: "TERM", value: "xterm")] + own
    return environment(replacing: all.filter { one in !more.contains { $0.name == one.name } })
      .filter { entry in !more.contains { entry.starts(with: Array("\($0.name)=".utf8)) } }
      + more.map { Array("\($0.name)=\($0.value)".utf8) }
  }

  func run(
    _ arguments: [[UInt8]], input: String = "", _ more: [(name: String, value: String)] = []
  ) throws -> Result {
    var command = Command(program.bytes, arguments)
    command.environment = variables(more)
    return try run(command, input: input)
  }

  /// Words, of which `@` is the folder.
  func run(_ line: String, input: String = "") throws -> Result {
    try run(split(line), input: input)
  }

  /// A line for the shell, with the tool as `settle` and the folder as the working one.
  func shell(_ line: String) throws -> Result {
    let script = "settle() { \"$SETTLE\" \"$@\"; }; cd \"$HOME\"; " + line
    var command = Command(Array("/bin/bash".utf8), [Array("-c".utf8), Array(script.utf8)])
    let path = String(decoding: program.bytes, as: UTF8.self)
    command.environment = variables([("SETTLE", path)])
    return try run(command, input: "")
  }

  func run(_ command: Command, input: String) throws -> Result {
    let limits = CommandLimits(duration: .seconds(60), capturedByteCount: 16 << 20)
    let result = try command.run(input: Array(input.utf8), limits: limits)
    return Result(
      ending: result.ending, output: String(decoding: result.output.bytes, as: UTF8.self),
      talk: String(decoding: result.errors.bytes, as: UTF8.self))
  }

  func split(_ line: String) -> [[UInt8]] {
    line.split(separator: " ").map { word in
      word.hasPrefix("@")
        ? folder.bytes + Array(word.dropFirst().utf8) : Array(word.utf8)
    }
  }

  /// Writes a file and the folder that it is in.
  @discardableResult
  func write(_ bytes: [UInt8], to name: [UInt8], in inner: String = "in") throws -> BytePath {
    let parent = folder.appending(inner.utf8)
    _ = try PosixFileSystem().makeFolder(at: parent)
    let path = parent.appending(name)
    try PosixFileSystem().makeFile(at: path, holding: bytes)
    return path
  }

  /// Writes sound documents, each with its own content.
  func writeDocuments(_ count: Int, in inner: String = "in") throws {
    for number in 1...count {
      let document = Documents.plain(byteCount: 600, seed: UInt64(number))
      try write(document, to: Array("\(number).pdf".utf8), in: inner)
    }
  }

  /// Files anywhere below a folder of the library.
  func fileCount(_ name: String) throws -> Int {
    let found = try shell("find library/\(name) -type f | wc -l")
    return Int(found.output.filter(\.isNumber)) ?? -1
  }
}
