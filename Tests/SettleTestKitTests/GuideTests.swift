import Foundation
import SettleCore
import SettleTestKit
import SettleTestKitTesting
import SettleTestSupport
import Testing

// @unchecked: `probe` is set before the operation is added to a queue, and never again.
final class Resize: Operation, @unchecked Sendable {
  let (item, target): (Int, URL)
  var probe: any Probe = NoProbe()

  init(_ item: Int, to target: URL) { (self.item, self.target) = (item, target) }

  override func main() {
    probe.event(ProbeEvent("started", item: item))
    let picture = Data("expensive".utf8)
    probe.reach(Checkpoint("before-publish", item: item))
    var outcome = "cancelled"
    if !isCancelled {
      probe.event(ProbeEvent("effect.publish", item: item))
      let isWritten = (try? picture.write(to: target)) != nil
      outcome = isWritten ? "succeeded" : "failed"
    }
    probe.event(ProbeEvent("outcome." + outcome, item: item))
    probe.event(ProbeEvent("completion", item: item))
  }
}

/// The code of `Documentation/Guides/TestKit.md`, which is this code.
@Suite struct GuideTests {
  private let target = FileManager.default.temporaryDirectory
    .appendingPathComponent("settle-guide-\(UUID()).data")

  // TST-1, TST-2, CAN-5
  @Test(.settle(seeing: ["noEffectAfterCancel"]))
  func aCancelRightBeforePublishingPublishesNothing() async throws {
    let (kit, operation) = (SettleTesting.kit, Resize(1, to: target))
    let gate = kit.gate("before-publish")
    operation.probe = kit.probe
    OperationQueue().addOperation(operation)
    let arrival = try await gate.waitForArrival()
    kit.trace.cancelling(item: "1", answer: .accepted) { operation.cancel() }
    gate.release(arrival)
    try await kit.waitFor(.completion, item: "1")
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  // TST-1, TST-2: what the guide shows is what is tested here.
  @Test func theGuideShowsThisCode() throws {
    let guide = try Self.text("Documentation/Guides/TestKit.md")
    let code = Self.flat(try Self.text("Tests/SettleTestKitTests/GuideTests.swift"))
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst()
    #expect(blocks.count >= 2)
    for block in blocks {
      let shown = Self.flat(block.components(separatedBy: "```")[0])
      #expect(code.contains(shown), "\(shown)")
    }
  }

  // TST-2: the trace in the guide is one, and is judged as the guide says.
  @Test func theGuidesTraceIsJudgedAsItSays() throws {
    let guide = try Self.text("Documentation/Guides/TestKit.md")
    let parts = guide.components(separatedBy: "```json\n").dropFirst()
    let trace = try #require(parts.first?.components(separatedBy: "```")[0])
    let judgement = RuleSet.settle.judge(try TraceReader.events(Array(trace.utf8)))
    for violation in judgement.violations { #expect(guide.contains(violation.description)) }
    #expect(judgement.violations.map(\.rule) == ["noEffectAfterCancel"])
  }

  // TST-2: every kind of the schema and every rule is in the guide.
  @Test func theGuideKnowsEveryKindAndRule() throws {
    let guide = try Self.text("Documentation/Guides/TestKit.md")
    for kind in TraceEvent.Kind.allCases { #expect(guide.contains("| `\(kind.rawValue)` |")) }
    for rule in RuleSet.settle.rules { #expect(guide.contains("| `\(rule.name)` |")) }
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

  /// Lines without the space around them.
  private static func flat(_ text: String) -> String {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
