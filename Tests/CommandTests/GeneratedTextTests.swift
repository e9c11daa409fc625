import CSettleSystem
import Foundation
import SettleProcess
import SettleTestSupport
import Testing

@testable import SettleCommand

@Suite struct GeneratedTextTests {
  // OBS-2
  @Test func theStartPageHasTwelveLines() {
    let lines = HelpText.startPage.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 13)
    #expect(lines.last == "")
    #expect(lines.allSatisfy { $0.count <= 90 })
  }

  // OBS-2
  @Test func helpOfACommandIsWhole() {
    #expect(
      HelpText.command(.of(.check)) == """
        Examples:
          settle check
              is every file there, with its size
          settle check --deep
              read every file, compare its hash

        Usage: settle check [OPTION]...

        Reports missing, changed, unknown and unreadable files. Repairs nothing.

        Options:
              --deep              Also read every document and compare its hash.

        Options of every command:
              --library DIR       The library; otherwise $SETTLE_LIBRARY, otherwise the
                                  default folder.
          -n, --dry-run           Say what would be done and change nothing.
          -j, --jobs N            Work on N documents at once.
          -q, --quiet             Print nothing but data and errors.
          -v, --verbose           Print a line for every item.
              --json              Print one JSON object a line on standard output.
              --progress auto|bar|plain|none
                                  How progress is shown on standard error.
              --color auto|always|never
                                  When to use colour.
              --no-input          Never ask a question.
              --yes               Answer every question with yes.
          -h, --help              Show this help.
              --version           Show the version.

        """)
  }

  // OBS-2
  @Test func everyCommandHasTwoExamplesThatParse() throws {
    for spec in CommandSpec.all {
      #expect(spec.examples.count == 2, "\(spec.name)")
      for example in spec.examples {
        #expect(example.line.contains("settle \(spec.name.rawValue)"), "\(example.line)")
      }
    }
  }

  // OBS-2
  @Test func everyRowOfTheTablesIsReachable() {
    for name in CommandName.allCases { #expect(CommandSpec.of(name).name == name) }
    for name in OptionName.allCases { #expect(OptionSpec.of(name).name == name) }
    #expect(CommandSpec.all.count == CommandName.allCases.count)
    #expect(OptionSpec.all.count == OptionName.allCases.count)
    let shorts = OptionSpec.all.compactMap(\.short)
    #expect(Set(shorts).count == shorts.count)
    let used = Set(CommandSpec.all.flatMap(\.options) + OptionSpec.common)
    #expect(used == Set(OptionName.allCases))
  }

  // OBS-2
  @Test func theManualInTheRepositoryIsTheOneThatTheToolPrints() throws {
    let kept = try #require(repositoryFile("Documentation/settle.1"))
    #expect(kept == ManPage.text(), "run: settle man > Documentation/settle.1")
  }

  // OBS-2
  @Test func theManualPrintsTheFrozenExitCodes() {
    let codes = ExitStatus.allCases.map(\.rawValue)
    #expect(codes == [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 129, 130, 143])
    for status in ExitStatus.allCases {
      let row = ".TP\n.B \(status.rawValue)\n\(ManPage.escaped(status.meaning))\n"
      #expect(ManPage.text().contains(row), "\(status)")
    }
  }

  // OBS-2
  @Test func roffIsEscaped() {
    #expect(ManPage.escaped(#"a-b\c "d" 'e'"#) == #"a\-b\ec \(dqd\(dq \(aqe\(aq"#)
    #expect(ManPage.escaped(".x.y") == #"\&.x.y"#)
  }

  // OBS-2
  @Test func theManualIsRightRoff() throws {
    guard let groff = tool("groff") else { return }
    let result = try Command(groff, words("-man -Tutf8 -ww -z")).run(input: bytes(ManPage.text()))
    #expect(result.ending == .exited(0))
    #expect(String(decoding: result.errors.bytes, as: UTF8.self) == "")
  }

  // OBS-2
  @Test(arguments: ["bash", "zsh", "fish"])
  func completionScriptsAreAcceptedByTheirShell(shell: String) throws {
    let script = try #require(Completions.script(for: shell))
    #expect(script.hasSuffix("\n"))
    for command in CommandName.allCases { #expect(script.contains(command.rawValue)) }
    guard let program = tool(shell) else { return }
    // Only reads and parses; fish reads no script from the socket that is a child's input.
    try withTemporaryFolder { folder in
      let file = folder.appending("script".utf8)
      try Data(script.utf8).write(to: URL(fileURLWithPath: file.description))
      let result = try Command(program, [bytes("-n"), file.bytes]).run()
      #expect(result.ending == .exited(0))
      #expect(String(decoding: result.errors.bytes, as: UTF8.self) == "")
    }
  }

  // OBS-2
  @Test(arguments: [
    ("settle --json imp", "import"), ("settle import --on-dup", "--on-duplicate"),
    ("settle import --on-duplicate k", "keep"), ("settle completions z", "zsh"),
    ("settle check --de", "--deep"), ("settle rm --prog", "--progress"),
  ])
  func bashCompletesFromTheTable(line: String, word: String) throws {
    guard let program = tool("bash") else { return }
    let script = try #require(Completions.script(for: "bash"))
    let asking = """

      COMP_WORDS=(\(line)); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); _settle
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try Command(program, words("-s")).run(input: bytes(script + asking))
    #expect(String(decoding: result.output.bytes, as: UTF8.self) == word + "\n")
  }

  /// A program of the machine; prints why a test is cut short when there is none.
  private func tool(_ name: String) -> [UInt8]? {
    let found = findExecutable(named: bytes(name), path: environmentValue("PATH") ?? [])
    if found == nil { print("skipped: there is no \(name) here") }
    return found
  }

  private func repositoryFile(_ name: String) -> String? {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let descriptor = settle_openat(AT_FDCWD, "/" + root + "/" + name, O_RDONLY, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &piece, piece.count), count > 0 {
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
