import Foundation
import SettleCore
import SettleTestKit
import SettleTestKitTesting
import SettleTestSupport
import Testing

/// What `Documentation/Guides/TestKit.md` says is so.
@Suite struct GuideTests {
  // TST-2: the trace in the guide is one, and is judged as the guide says.
  @Test func theGuidesTraceIsJudgedAsItSays() throws {
    let guide = try Self.text("Documentation/Guides/TestKit.md")
    let parts = guide.components(separatedBy: "```json\n").dropFirst()
    let trace = try #require(parts.first?.components(separatedBy: "```")[0])
    let judgement = RuleSet.settle.judge(try TraceReader.events(Array(trace.utf8)))
    for violation in judgement.violations { #expect(guide.contains(violation.description)) }
    #expect(judgement.violations.map(\.rule) == ["noEffectAfterCancel"])
  }

  // TST-2, TST-7, TST-8: every kind of the schema, rule, case and breakage is in the guide.
  @Test func theGuideKnowsEveryKindRuleCaseAndBreakage() throws {
    let guide = try Self.text("Documentation/Guides/TestKit.md")
    for kind in TraceEvent.Kind.allCases { #expect(guide.contains("| `\(kind.rawValue)` |")) }
    for rule in RuleSet.settle.rules { #expect(guide.contains("| `\(rule.name)` |")) }
    for known in StandardCase.allCases { #expect(guide.contains("| `\(known.rawValue)` |")) }
    for known in Sabotage.allCases { #expect(guide.contains("| `\(known.rawValue)` |")) }
  }

  // TST-2, TST-7: the trait makes a broken rule, and one that saw nothing, an issue of the test.
  @Test func theTraitTellsWhatIsBroken() async throws {
    let test = try #require(Test.current)
    let trait = SettleTrait.settle(seeing: ["leftoversGone"])
    try await withKnownIssue {
      try await trait.provideScope(for: test, testCase: Test.Case.current) {
        SettleTesting.kit.trace.record(.started, item: "1")
      }
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined()
      return text.contains("oneOutcome: it started and has no outcome")
        && text.contains("saw none of their events: leftoversGone")
    }
  }

  private static func text(_ name: String) throws -> String {
    let root = #filePath.components(separatedBy: "/Tests/")[0]
    return try String(contentsOfFile: root + "/" + name, encoding: .utf8)
  }
}
