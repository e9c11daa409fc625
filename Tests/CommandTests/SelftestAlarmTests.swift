import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import SettleVerify
import Testing

@testable import SettleCommand

/// The self test with something wrong in it: it must notice, name it, and end with 5.
@Suite struct SelftestAlarmTests {
  /// Says that every file is a good document.
  private struct CredulousVerifier: DocumentVerifier {
    let engine = "credulous"
    func prepare() throws(SettleError) {}
    func close() {}
    func verify(
      _ path: BytePath, isCancelled: () -> Bool
    ) throws(SettleError) -> Verdict { .accepted(pageCount: 1, flags: []) }
  }

  static let formats = ["html", "json", "junit", "md"]

  private func combination(_ file: SelftestFile, _ fault: SelftestFault = .none)
    -> MatrixCombination
  {
    MatrixCombination(
      SelftestPlan.importing, fileType: file.rawValue, source: SelftestSource.link.rawValue,
      fault: fault.rawValue)
  }

  private func suite(_ cells: [MatrixCell]) -> Selftest.Suite {
    var suite = Selftest.Suite()
    suite.matrix = FailureMatrix(cells)
    suite.verifier = CredulousVerifier()
    return suite
  }

  /// Runs it in this process; returns how it ended, the report and standard output.
  private func run(
    _ suite: Selftest.Suite, _ words: [String], in folder: BytePath
  ) async throws -> (ending: Ending, output: String) {
    let invocation = try Parser.parse((["selftest"] + words).map { Array($0.utf8) })
    var around = Surroundings()
    around.variables["SETTLE_LIBRARY"] = folder.appending("library".utf8).bytes
    _ = folder.appending("library".utf8).withCString { mkdir($0, 0o700) }
    let output = folder.appending("output".utf8)
    let descriptor = output.withCString {
      settle_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    let errors = settle_openat(AT_FDCWD, "/dev/null", O_WRONLY, 0)
    defer { for number in [descriptor, errors] { close(number) } }
    let console = Console(
      settings: Settings(invocation, around), output: OutputPipe(descriptor),
      errors: OutputPipe(errors))
    let context = Context(
      invocation: invocation, settings: console.settings, console: console,
      interruptions: Interruptions(.selftest, console: console))
    let ending = try await SelftestCommand.run(context, suite)
    let text = try PosixFileSystem().contents(at: output)
    return (ending, String(decoding: text, as: UTF8.self))
  }

  // TST-6, TST-7: a wrong expectation is exit 5 with that cell named, in each format.
  @Test(arguments: formats + ["text", "jsonLines"])
  func aWrongExpectationIsNamed(format: String) async throws {
    try await withTemporaryFolder { folder in
      let wrong = MatrixCell(combination(.small, .fullDisk), expected: .succeeded)
      let right = MatrixCell(combination(.small), expected: .succeeded)
      let words =
        format == "text" ? [] : format == "jsonLines" ? ["--json"] : ["--report", format]
      let (ending, output) = try await run(suite([right, wrong]), words, in: folder)
      #expect(ending == .exit(.mismatch))
      if format == "json" || format == "jsonLines" {
        #expect(output.contains(#""fault":"disk full at write","fired":true"#))
        #expect(output.contains(#""verdict":"notAsExpected""#))
      } else {
        #expect(output.contains("import: PDF, link, fault: disk full at write"), "\(output)")
      }
      #expect(output.contains("expected succeeded, ended as failed(noSpace)"), "\(output)")
      #expect(try names(in: folder) == ["library", "output"], "its folder is gone")
    }
  }

  // TST-7: an engine that takes half a document for a whole one is noticed.
  @Test func aVerifierThatBelievesEverythingIsNoticed() async throws {
    try await withTemporaryFolder { folder in
      let half = MatrixCell(combination(.half), expected: .failed("incomplete"))
      let (ending, output) = try await run(suite([half]), [], in: folder)
      #expect(ending == .exit(.mismatch))
      #expect(output.contains("expected failed(incomplete), ended as succeeded"), "\(output)")
    }
  }

  // TST-4: a fault that never happens is not passed, although the import ended as expected.
  @Test func aFaultThatNeverHappensIsNotPassed() async throws {
    try await withTemporaryFolder { folder in
      var never = combination(.webPage, .renameError)
      never.source = SelftestSource.regular.rawValue
      let cell = MatrixCell(never, expected: .failed("notAPDF"))
      let (ending, output) = try await run(suite([cell]), [], in: folder)
      #expect(ending == .exit(.mismatch))
      #expect(output.contains("inconclusive: the planned fault never happened"), "\(output)")
    }
  }

  // TST-1, TST-6: a cell that hangs ends up in the report, and the test ends.
  @Test func aCellThatHangsIsReported() async throws {
    try await withTemporaryFolder { folder in
      let kit = TestKit()
      let never = kit.gate("never")
      var suite = suite([MatrixCell(combination(.small), expected: .succeeded)])
      suite.cellLimit = .milliseconds(50)
      suite.observe = { _ in
        try await never.pass(within: .seconds(300))
        return CellObservation(.succeeded)
      }
      let report = folder.appending("report.xml".utf8)
      let words = ["--report", "junit", "-o", String(decoding: report.bytes, as: UTF8.self)]
      let (ending, _) = try await run(suite, words, in: folder)
      #expect(ending == .exit(.mismatch))
      let text = try PosixFileSystem().contents(at: report)
      #expect(String(decoding: text, as: UTF8.self).contains("type=\"hung\""))
      #expect(try names(in: folder) == ["library", "output", "report.xml"])
    }
  }

  // TST-6: two reports are compared, and a file is replaced with --yes only.
  @Test func reportsAreComparedAndReplaced() async throws {
    try await withTemporaryFolder { folder in
      let cell = MatrixCell(combination(.small), expected: .succeeded)
      var broken = cell
      broken.expected = .cancelled
      let old = String(decoding: folder.appending("old.json".utf8).bytes, as: UTF8.self)
      let words = ["--report", "json", "-o", old]
      #expect(try await run(suite([cell]), words, in: folder).ending == .exit(.success))
      let text = try await run(suite([broken]), ["--compare", old], in: folder)
      #expect(text.ending == .exit(.mismatch))
      #expect(text.output.contains("1 new failure"), "\(text.output)")
      #expect(text.output.contains("new failure: import: PDF, link"))
      let page = try await run(
        suite([broken]), ["--report", "md", "--compare", old], in: folder)
      #expect(page.output.contains("### New failures (1)"), "\(page.output)")
      await #expect(throws: UsageError.self) { try await run(suite([cell]), words, in: folder) }
      let again = try await run(suite([broken]), words + ["--yes"], in: folder)
      #expect(again.ending == .exit(.mismatch))
      let bytes = try PosixFileSystem().contents(at: BytePath(old))
      #expect(try AcceptanceReport(json: bytes).count(.notAsExpected) == 1)
      #expect(try names(in: folder) == ["library", "old.json", "output"])
    }
  }

  // FIL-7: a full disk leaves no part of a report and keeps the old one.
  @Test(.enabled(if: getuid() == 0, "only root may mount a small file system"))
  func aFullDiskKeepsTheOldReport() throws {
    try withTemporaryFolder { folder in
      let mounted = try ToolRun.lendShell(folder, "mount -t tmpfs -o size=16k tmpfs .")
      guard mounted else {
        print("skipped: no right to mount")
        return
      }
      defer { _ = try? ToolRun.lendShell(folder, "cd / && umount \"$OLDPWD\"") }
      var file = ReportFile(path: folder.appending("report.html".utf8))
      try file.write("old")
      #expect(try file.exists())
      let error = #expect(throws: SettleError.self) { try file.write("second") }
      #expect(error?.code == .targetExists)
      file.replaces = true
      let full = #expect(throws: SettleError.self) {
        try file.write(String(repeating: "x", count: 100_000))
      }
      #expect(full?.code == .noSpace && full?.subject == file.path.bytes)
      #expect(try PosixFileSystem().contents(at: file.path) == Array("old".utf8))
      #expect(try names(in: folder) == ["report.html"])
    }
  }

  private func names(in folder: BytePath) throws -> [String] {
    let files = PosixFileSystem()
    let handle = try files.openFolder(at: folder)
    defer { files.close(handle) }
    var names: [String] = []
    try files.list(handle) { name, _ in
      names.append(name.description)
      return true
    }
    return names.sorted()
  }
}

extension ToolRun {
  /// Runs a line of shell in a folder; false when it failed.
  fileprivate static func lendShell(_ folder: BytePath, _ line: String) throws -> Bool {
    let tool = ToolRun(folder: folder, program: "/bin/true")
    return try tool.shell(line).code == 0
  }
}
