import SettleCore
import SettleTestKit
import Testing

@Suite struct RuleTests {
  // TST-2: the right trace passes every rule, and every rule has seen something of it.
  @Test func theRightTracePassesEveryRule() {
    let judgement = RuleSet.settle.judge(Traces.whole)
    #expect(judgement.violations.map(\.description) == [])
    #expect(judgement.vacuous == [])
    #expect(judgement.passed.count == 14)
  }

  // TST-2
  @Test func theSmallTracePassesWhatItShows() {
    let judgement = RuleSet.settle.judge(Traces.small)
    #expect(judgement.violations.map(\.description) == [])
    #expect(
      judgement.passed == [
        "exactlyOneCompletion", "oneOutcome", "nothingAfterTerminal", "errorIsNoSuccess",
      ])
  }

  // TST-2, TST-7: each fault is noticed by the one rule that it breaks, with its witnesses.
  @Test(arguments: BrokenTrace.all)
  func eachFaultIsNoticedByExactlyItsRule(_ sabotage: BrokenTrace) {
    let judgement = RuleSet.settle.judge(sabotage.events)
    let text = judgement.description
    #expect(Set(judgement.violations.map(\.rule)) == [sabotage.rule], "\(sabotage): \(text)")
    for violation in judgement.violations {
      #expect(!violation.witnesses.isEmpty)
      for witness in violation.witnesses {
        #expect(sabotage.events[witness.number - 1] == witness.event)
      }
    }
  }

  // TST-7
  @Test func everyRuleIsSabotagedAtLeastOnce() {
    #expect(Set(BrokenTrace.all.map(\.rule)) == Set(RuleSet.settle.rules.map(\.name)))
    #expect(BrokenTrace.all.count >= 12)
  }

  // TST-2: a rule without its events has not passed.
  @Test func aRuleThatSawNothingSaysSo() {
    let judgement = RuleSet.settle.judge([TraceEvent(.note, name: "hello")])
    #expect(judgement.isClean)
    #expect(judgement.passed == [])
    #expect(judgement.vacuous.count == 14)
    #expect(judgement.description.contains("14 saw nothing"))
  }

  // TST-2: what was cut off by a crash owes neither an outcome nor a notification.
  @Test func aRestartEndsWhatIsOwed() {
    let cut = Array(Traces.small.prefix(3)) + [TraceEvent(.restart)]
    #expect(RuleSet.settle.judge(cut).isClean)
    #expect(!RuleSet.settle.judge(Array(Traces.small.prefix(3))).isClean)
  }

  // TST-2, CAN-7: a cancel that is answered while the commit is being decided may be recorded
  // before it; without the question the same order is a violation.
  @Test func overlappingCancelAndCommitAreJudgedFairly() {
    let asked = TraceEvent(.commitAsked, item: "1")
    let rest = [
      TraceEvent(.cancelAsked), TraceEvent(.cancelAnswered, name: "accepted"),
      TraceEvent(.commit, item: "1"), TraceEvent(.effect, item: "1", name: "publish"),
    ]
    #expect(Rule.cancelXorCommit.judge([asked] + rest).violations == [])
    #expect(Rule.noEffectAfterCancel.judge([asked] + rest).violations == [])
    #expect(Rule.cancelXorCommit.judge(rest).violations.count == 1)
    #expect(Rule.cancelXorCommit.judge(rest.prefix(2) + [asked] + rest[2...]).violations.count == 1)
  }

  // TST-2: the words, whole.
  @Test func aViolationIsReadable() throws {
    var events = Traces.small
    events.put(TraceEvent(.cancelAnswered, item: "1", name: "accepted"), after: .entered, "1")
    events.put(
      TraceEvent(.effect, item: "1", name: "write", detail: "a\u{1B}[2Jb.pdf"), before: .left, "1")
    let found = Rule.noEffectAfterCancel.judge(events).violations
    #expect(
      found.map(\.description) == [
        """
        noEffectAfterCancel: something was done after its cancellation was accepted
          event 4: item 1: cancel was answered: accepted
          event 5: item 1: effect: write (a\\x1B[2Jb.pdf)
        """
      ])
  }

  // TST-2: rules of one's own are asked like the others.
  @Test func aRuleOfOnesOwnIsAsked() {
    let rule = Rule("noNotes", "Notes are not allowed.") { events in
      let notes = events.enumerated().filter { $0.element.kind == .note }
      return Finding(
        seenCount: events.count,
        violations: notes.map {
          Violation(
            rule: "noNotes", message: "a note",
            witnesses: [.init(number: $0.offset + 1, event: $0.element)])
        })
    }
    let set = RuleSet(RuleSet.settle.without("oneOutcome").rules + [rule])
    #expect(set.rules.count == 14)
    #expect(set.judge([TraceEvent(.note)]).violations.map(\.rule) == ["noNotes"])
  }
}
