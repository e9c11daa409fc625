import Testing

/// The package's own sources keep the conventions of CONTRIBUTING.md.
@Suite("Conventions of this package")
struct ConventionTests {
  private let table: ModuleRules.Table
  private let appleTable: ModuleRules.Table
  private let all = PackageFiles.sources + PackageFiles.tests

  init() throws {
    let text = try PackageFiles.text("ARCHITECTURE.md")
    table = ModuleRules.table(text)
    appleTable = ModuleRules.table(text, appleOnly: true)
  }

  // An empty list would make every other test here pass without looking at anything.
  @Test func sourcesAndTestsAreFound() {
    #expect(PackageFiles.sources.count > 10)
    #expect(PackageFiles.tests.count > 5)
    #expect(
      PackageFiles.sources.contains { $0.path == "Sources/SettleCore/Outcomes/Outcome.swift" })
  }

  @Test func manifestDeclaresExactlyTheModuleTable() throws {
    let manifest = ModuleRules.manifest(try PackageFiles.text("Package.swift"))
    #expect(manifest.count > 8)
    expectNone(ModuleRules.differences(table: table, manifest: manifest), rule: "modules")
  }

  @Test func sourcesImportOnlyWhatTheTableAllows() {
    let found = PackageFiles.sources.flatMap {
      ModuleRules.imports($0, table: table, apple: appleTable)
    }
    expectNone(found, rule: "imports")
  }

  @Test func filesHaveAReadableSize() {
    expectNone(all.flatMap(SizeRules.fileSize), rule: "fileSize")
  }

  @Test func functionsHaveAReadableSize() {
    expectNone(all.flatMap(SizeRules.functionSize), rule: "functionSize")
  }

  @Test func parameterListsAreShort() {
    expectNone(all.flatMap(SizeRules.parameterCount), rule: "parameterCount")
  }

  @Test func testsNeverWaitForAFixedTime() {
    expectNone(PackageFiles.tests.flatMap(WordingRules.fixedWaits), rule: "fixedWait")
  }

  @Test func nothingIsLeftOpenInTheSources() {
    expectNone(all.flatMap(WordingRules.openEnds), rule: "openEnd")
  }

  @Test func weakenedChecksCarryTheirReason() {
    expectNone(all.flatMap(WordingRules.reasons), rule: "reason")
  }

  @Test func theCoreHasNoActor() {
    expectNone(PackageFiles.sources.flatMap(WordingRules.actors), rule: "actor")
  }

  @Test func publicDeclarationsAreDocumented() {
    expectNone(PackageFiles.sources.flatMap(WordingRules.documentation), rule: "documentation")
  }

  @Test func builtClausesOfTheContractAreCitedByTests() throws {
    let contract = try PackageFiles.text("Documentation/Contract.md")
    #expect(ContractRules.clauses(contract).count == 72)
    let found = ContractRules.check(contract: contract, tests: PackageFiles.tests)
    expectNone(found, rule: "contract")
  }

  private func expectNone(
    _ violations: [Violation], rule: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (open, unneeded) = judged(violations, rule: rule, except: exceptions)
    if !open.isEmpty {
      let places = open.map(\.description).joined(separator: "\n")
      Issue.record("\(open.count) of \(rule):\n\(places)", sourceLocation: sourceLocation)
    }
    for exception in unneeded {
      Issue.record(
        "\(exception.path) keeps \(rule) now: take it off the exceptions",
        sourceLocation: sourceLocation)
    }
  }
}
