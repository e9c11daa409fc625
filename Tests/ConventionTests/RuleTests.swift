import Testing

/// Each rule notices a small bad sample and leaves a small good one alone.
@Suite("The convention checks themselves")
struct RuleTests {
  private func file(_ text: String, path: String = "Sources/SettleCore/Sample.swift") -> SwiftText {
    SwiftText(path: path, text)
  }

  @Test func blankingRemovesCommentsAndLiteralsOnly() {
    let text = file(
      #"""
      let a = "x // \(f("}")) y" // note
      /* one /* two */ three */ let b = #"raw " \n"# + """
        many "lines"
        """
      let c = "\\"; let d = 1
      """#)
    #expect(
      text.codeLines.map(trimmed) == [
        "let a =", "let b =" + String(repeating: " ", count: 14) + "+", "", "",
        "let c =     ; let d = 1",
      ])
  }

  @Test func longFilesAreNoticed() {
    let lines = String(repeating: "let a = 1\n", count: 400)
    #expect(SizeRules.fileSize(file(lines)).isEmpty)
    #expect(SizeRules.fileSize(file(lines + "let b = 1\n")).count == 1)
    #expect(SizeRules.fileSize(file(lines + "let b = 1\n", path: "Tests/A/B.swift")).isEmpty)
  }

  @Test func longFunctionsAreNoticed() {
    func sample(_ count: Int) -> String {
      "protocol P {\n  func wanted()\n}\nfunc long<T>(_ a: T) async -> (Int) -> Int where T: P {\n"
        + String(repeating: "  a()\n", count: count) + "}\nfunc short() {}\n"
    }
    #expect(SizeRules.functionSize(file(sample(58))).isEmpty)
    let found = SizeRules.functionSize(file(sample(59)))
    #expect(found.map(\.line) == [4])
    #expect(found.first?.text == "long has 61 lines, at most 60")
  }

  @Test(arguments: [
    ("func f(a: Int, b: Int, c: Int, d: Int, e: Int) {}", 1),
    ("func f(a: Int, b: Int, c: Int, d: [Int: Int]) {}", 0),
    ("func f(a: Table<A, B>, b: (x: Int, y: Int), c: Int = g(1, 2), d: Int) {}", 0),
    ("func <= (a: Int, b: Int) {}", 0),
    ("init(a: Int, b: Int, c: Int, d: Int, e: Int = 1) {}", 0),
    ("init(a: Int, b: Int, c: Int, d: Int, e: Int) {}", 1),
    ("let a = T.init(a: 1, b: 2, c: 3, d: 4, e: 5)", 0),
    ("subscript(a: Int, b: Int, c: Int, d: Int, e: Int) -> Int { 1 }", 1),
  ])
  func longParameterListsAreNoticed(sample: String, count: Int) {
    #expect(SizeRules.parameterCount(file(sample)).count == count)
  }

  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "usleep(10)", "sleep(1)",
    "ContinuousClock().sleep(for: a)", "nanosleep(&a, nil)",
  ])
  func fixedWaitsAreNoticed(sample: String) {
    #expect(WordingRules.fixedWaits(file(sample, path: "Tests/A/B.swift")).count == 1)
    #expect(WordingRules.fixedWaits(file("// \(sample)\nlet a = \"\(sample)\"")).isEmpty)
    #expect(WordingRules.fixedWaits(file("asleep(1); sleeper()")).isEmpty)
    #expect(WordingRules.fixedWaits(file("manual.sleep(1); func sleep(until: Int) {}")).isEmpty)
  }

  @Test func openEndsAreNoticed() {
    #expect(WordingRules.openEnds(file("let a = 1  // TO" + "DO: b")).map(\.line) == [1])
    #expect(WordingRules.openEnds(file("\n// FIX" + "ME")).map(\.line) == [2])
    #expect(WordingRules.openEnds(file("// to do")).isEmpty)
  }

  @Test(arguments: [
    "final class A: @unchecked Sendable {}", "let a = try! f()", "nonisolated(unsafe) var a = 1",
    "fatalError(\"b\")",
  ])
  func weakenedChecksWithoutAReasonAreNoticed(sample: String) {
    #expect(WordingRules.reasons(file(sample)).count == 1)
    #expect(WordingRules.reasons(file("let b = 1\n" + sample)).count == 1)
    #expect(WordingRules.reasons(file("// Because of this.\n" + sample)).isEmpty)
    #expect(WordingRules.reasons(file("// " + sample)).isEmpty)
  }

  @Test func actorsInTheCoreAreNoticed() {
    #expect(WordingRules.actors(file("public actor Box {}")).count == 1)
    #expect(WordingRules.actors(file("// actor Box\nlet actor = 1")).isEmpty)
    #expect(WordingRules.actors(file("actor Box {}", path: "Sources/Settle/A.swift")).isEmpty)
  }

  @Test func undocumentedPublicDeclarationsAreNoticed() {
    let found = WordingRules.documentation(
      file(
        "/// Fine.\n@frozen\npublic struct A {\n  public var a = 1\n  // No.\n  public init() {}\n}"
      ))
    #expect(found.map(\.line) == [4, 6])
    #expect(WordingRules.documentation(file("public import B\nlet c = \"public d\"")).isEmpty)
  }

  @Test func importsOutsideTheTableAreNoticed() {
    let table = ModuleRules.table(
      """
      | Target | Holds | Imports |
      |---|---|---|
      | `SettleCore` | words | `Synchronization` |
      | `CSQLite`, `CCrypto` | C | – |

      | Target | elsewhere |
      """)
    #expect(table == ["SettleCore": ["Synchronization"], "CSQLite": [], "CCrypto": []])
    let sample = file(
      """
      import Synchronization
      @_exported public import Foundation
      import struct Dispatch.DispatchTime
      // import Comment
      let a = "import Text"
      """)
    let found = ModuleRules.imports(sample, table: table)
    #expect(found.map(\.line) == [2, 3])
    #expect(
      found.map(\.text) == [
        "SettleCore may not import Foundation", "SettleCore may not import Dispatch",
      ])
    #expect(ModuleRules.imports(file("", path: "Sources/New/A.swift"), table: table).count == 1)
  }

  @Test func importsForAppleAloneNeedACondition() {
    let text = "| Target |\n| `A` | b | `B`; Apple: `C` |\n"
    let table = ModuleRules.table(text)
    let apple = ModuleRules.table(text, appleOnly: true)
    #expect(table == ["A": ["B"]])
    #expect(apple == ["A": ["C"]])
    let sample = file(
      "import B\n#if canImport(C)\n  import C\n#endif\nimport C\n#if DEBUG\nimport C\n#endif",
      path: "Sources/A/A.swift")
    #expect(ModuleRules.imports(sample, table: table, apple: apple).map(\.line) == [5, 7])
  }

  @Test func manifestsThatDifferFromTheTableAreNoticed() {
    let manifest = ModuleRules.manifest(
      """
      func library(_ name: String) -> Target { .target(name: name) }
      products: [.library(name: "Settle", targets: ["Settle"])]
      .target(name: "CSettleSystem"),
      .systemLibrary(
        name: "CSQLite", pkgConfig: "sqlite3"),
      library("SettleCore", []),
      library(
        "Settle",
        ["SettleCore", "CSQLite"]),
      tool("SettleBench", ["Settle"]),
      """)
    #expect(
      manifest == [
        "CSettleSystem": [], "CSQLite": [], "SettleCore": [], "Settle": ["SettleCore", "CSQLite"],
        "SettleBench": ["Settle"],
      ])
    var table = manifest
    table["SettleCore"] = ["Synchronization"]
    #expect(ModuleRules.differences(table: table, manifest: manifest).isEmpty)
    table["SettleCore"] = ["CSQLite"]
    table["Settle"] = ["SettleCore"]
    table["Gone"] = []
    table["SettleBench"] = nil
    #expect(ModuleRules.differences(table: table, manifest: manifest).count == 4)
  }

  @Test func builtClausesWithoutATestAreNoticed() {
    let contract = """
      - **PRG-1** [built] One.
      - **PRG-2** [built] Two.
      - **RUN-1** [not yet] Three.
      - **RUN-2** Four.
      - **RUN-3** [perhaps] Five.
      """
    let tests = file(
      #"""
      // PRG-1: a reason.
      @Test func a() {}
      // PRG-2, in a comment above no test.
      let b = 1
      // Also (CAN-99).
      @available(*, noasync)
      @Test func c() {}
      let sample = """
        // PRG-2, in a literal.
        @Test func d() {}
        """
      """#, path: "Tests/A/B.swift")
    #expect(ContractRules.citations(tests).map(\.id) == ["PRG-1", "CAN-99"])
    let found = ContractRules.check(contract: contract, tests: [tests])
    #expect(
      found.map(\.text) == [
        "CAN-99 is no clause", "PRG-2 is marked built and no test cites it", "RUN-2 has no mark",
        "RUN-3 has no mark",
      ])
  }

  @Test func exceptionsThatExcuseNothingAreNoticed() {
    let violation = Violation(rule: "fileSize", path: "a", line: 0, text: "long")
    let known: Set = [
      Exception(rule: "fileSize", path: "a"), Exception(rule: "fileSize", path: "b"),
      Exception(rule: "actor", path: "b"),
    ]
    let result = judged([violation], rule: "fileSize", except: known)
    #expect(result.open.isEmpty)
    #expect(result.unneeded == [Exception(rule: "fileSize", path: "b")])
    #expect(judged([violation], rule: "fileSize", except: []).open == [violation])
  }
}
