import SettleTestSupport
import Testing

/// `settle check-trace` as a process, on traces that another program wrote.
@Suite struct CheckTraceTests {
  private static let good = """
    {"trace":"settle","version":1}
    {"kind":"started","item":1}
    {"kind":"entered","item":1}
    {"kind":"left","item":1}
    {"kind":"outcome","item":1,"name":"succeeded"}
    {"kind":"completion","item":1}

    """

  private static let bad =
    good + """
      {"kind":"completion","item":1}

      """

  // TST-2
  @Test func aRightTraceEndsWithZeroAndNamesWhatItDidNotShow() throws {
    try ToolRun.lend { tool in
      let result = try tool.run("check-trace -", input: Self.good)
      #expect(result.code == 0)
      #expect(result.output == "")
      #expect(
        result.talk == """
          Judged 5 events by 14 rules: 4 passed, 0 broken, 10 saw nothing.
          Saw none of their events: cancelXorCommit, noEffectAfterCancel, staleGenerationRefused, \
          progressMonotone, fullOnlyWithOutcome, outcomeSums, dependenciesFirst, leftoversGone, \
          targetOldOrNew, durableOnceReported.

          """)
    }
  }

  // TST-2
  @Test func aBrokenRuleEndsWithFiveAndItsWitnesses() throws {
    try ToolRun.lend { tool in
      try tool.write(Array(Self.bad.utf8), to: Array("trace.jsonl".utf8))
      let result = try tool.run("check-trace @/in/trace.jsonl")
      #expect(result.code == 5)
      #expect(
        result.output == """
          exactlyOneCompletion: the end was notified 2 times
            event 5: item 1: completion was notified
            event 6: item 1: completion was notified

          """)
      #expect(result.talk.contains("3 passed, 1 broken, 10 saw nothing"))
    }
  }

  // TST-2
  @Test func aProgramGetsTheSameAsLines() throws {
    try ToolRun.lend { tool in
      let result = try tool.run("check-trace --json -", input: Self.bad)
      #expect(result.code == 5)
      #expect(result.talk == "")
      let found = try #require(result.objects("violation").first)
      #expect(found["rule"] as? String == "exactlyOneCompletion")
      #expect((found["witnesses"] as? [[String: Any]])?.map { $0["event"] as? Int } == [5, 6])
      let summary = try #require(result.objects("summary").first)
      #expect(summary["exit_code"] as? Int == 5)
      #expect((summary["saw_nothing"] as? [String])?.count == 10)
    }
  }

  // TST-2
  @Test func whatIsNoTraceEndsWithTwoAndItsPlace() throws {
    try ToolRun.lend { tool in
      let text = Self.good + "{\"kind\":\"outcome\",\"name\":\"done\"}\n"
      let plain = try tool.run("check-trace -", input: text)
      #expect(plain.code == 2)
      #expect(
        plain.talk == """
          settle: "-" is not a trace: line 7, column 26: the name of outcome is one of succeeded, \
          failed, skipped, cancelled.

          """)
      let lines = try tool.run("check-trace - --json", input: text)
      let error = try #require(lines.objects("error").first)
      #expect(error["line"] as? Int == 7 && error["column"] as? Int == 26)
      #expect(error["exit_code"] as? Int == 2)
      #expect(try tool.run("check-trace -").code == 2)
      #expect(try tool.run("check-trace @/nothing-here").code != 0)
      #expect(try tool.run("check-trace").code == 2)
    }
  }
}
