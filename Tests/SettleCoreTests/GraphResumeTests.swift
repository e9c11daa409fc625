import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

/// A graph is resumed by names and contents, never by positions.
@Suite(.timeLimit(.minutes(1))) struct GraphResumeTests {
  /// Steps that count their bodies. "last" needs "fails", which fails in the first process only.
  private func graph(
    _ steps: [(name: String?, identity: ContentIdentity?)], _ entered: Tally, fails: Bool = false
  ) throws -> Graph {
    var builder = GraphBuilder()
    for (name, identity) in steps {
      builder.add(name, options: StepOptions(identity: identity)) { _ in
        entered.add(name ?? "unnamed")
        if name == "fails", fails { throw Broken() }
      }
    }
    return try builder.build()
  }

  // RUN-13: only the same name with the same content is taken over; each other step says why not.
  @Test(arguments: [false, true])
  func onlyEqualNamesWithEqualContentsAreTakenOver(isOtherProcess: Bool) async throws {
    let entered = Tally()
    let first = await
      (try graph(
        [
          ("same", "1"), ("changed", "1"), ("bare", nil), ("lost", "1"), ("fails", "1"),
          (nil, "1"),
        ], entered, fails: true)).start().report
    #expect(first.finished == ["same": "1", "changed": "1", "lost": "1"])
    #expect(first.steps.allSatisfy { $0.rerunReason == nil })

    var options = GraphOptions()
    if isOtherProcess { options.finished = first.finished }
    // Every step has the place of another one, and "new" has that of the first "same".
    let second = try graph(
      [
        ("new", "1"), ("fails", "1"), ("lost", nil), ("bare", "1"), ("changed", "2"), ("same", "1"),
        (nil, "1"),
      ], entered)
    let report = await second.start(options, resuming: isOtherProcess ? nil : first).report
    #expect(report.state == .succeeded)
    #expect(report.outcome("same") == .skipped(.unchanged))
    #expect(entered["same"] == 1 && entered["changed"] == 2 && entered["bare"] == 2)
    #expect(entered["lost"] == 2 && entered["fails"] == 2 && entered["new"] == 1)
    #expect(entered["unnamed"] == 2)
    let reasons = report.steps.map(\.rerunReason)
    #expect(
      reasons == [
        .notFound, isOtherProcess ? .notFound : .notFinished, .noIdentity,
        isOtherProcess ? .notFound : .noIdentity, .contentChanged, nil, .notFound,
      ])
  }

  // RUN-13: what depends on a step that is run is run, too, whatever its own content; and a step
  // whose result is wanted and gone says that this is why.
  @Test func neighboursThatRunAreAReason() async throws {
    let entered = Tally()
    func makeGraph(_ content: ContentIdentity) throws -> Graph {
      let kept = Step("kept", identity: "1") { _ in
        entered.add("kept")
        return 1
      }
      let source = Step("source", identity: content) { _ in entered.add("source") }
      let sum = Step("sum", identity: "1", after: kept, source) { _, number, _ in
        entered.add("sum")
        return number
      }
      let end = Step("end", identity: "1", after: sum) { _, _ in entered.add("end") }
      return try Graph {
        kept
        source
        sum
        end
      }
    }
    let first = await (try makeGraph("1")).start().report
    let second = await (try makeGraph("2")).start(resuming: first).report
    #expect(second.state == .succeeded)
    #expect(
      second.steps.map(\.rerunReason) == [
        .resultNotKept, .contentChanged, .dependencyRuns, .dependencyRuns,
      ])
    #expect(["kept", "source", "sum", "end"].allSatisfy { entered[$0] == 2 })
    let third = await (try makeGraph("2")).start(resuming: second).report
    #expect(third.steps.allSatisfy { $0.outcome == .skipped(.unchanged) && $0.rerunReason == nil })
    #expect(third.finished == second.finished)
  }

  // RUN-13: what the report of the earlier run knows counts, not an older record of the same step.
  @Test func noResultOfAnotherContentIsHandedOn() async throws {
    func value(_ content: ContentIdentity, _ value: Int) -> Step<Int> {
      Step("value", identity: content) { _ in value }
    }
    // Nobody needs the result there, so the report has it.
    let first = await (try Graph { value("1", 1) }).start().report
    let newValue = value("2", 2)
    let user = Step("user", after: newValue) { _, value in value }
    let graph = try Graph {
      newValue
      user
    }
    var options = GraphOptions()
    options.finished = ["value": "2"]
    let report = await graph.start(options, resuming: first).report
    #expect(report.output(of: user) == 2)
    #expect(report["value"]?.rerunReason == .contentChanged)
  }

  // RUN-13: a resumed run that starts paused takes over what was done, and begins nothing.
  @Test func aRunThatStartsPausedTakesOverFirst() async throws {
    let entered = Tally()
    let steps: [(String?, ContentIdentity?)] = [("a", "1"), ("fails", "1")]
    let first = await (try graph(steps, entered, fails: true)).start().report
    var options = GraphOptions()
    options.startsPaused = true
    let run = try graph(steps, entered).start(options, resuming: first)
    #expect(run.snapshot().counts.skipped == 1 && run.snapshot().isPaused)
    run.resume()
    let report = await run.report
    #expect(report.outcome("a") == .skipped(.unchanged))
    #expect(entered["a"] == 1 && entered["fails"] == 2)
    #expect(report.rejectedEvents == 0)
    let again = await (try graph(steps, entered)).start(options, resuming: report).report
    #expect(again.state == .succeeded && again.rejectedEvents == 0)
  }

  // RUN-13: an identity survives being stored.
  @Test func identitiesAreBytes() {
    #expect(ContentIdentity("ab") == ContentIdentity([97, 98]))
    #expect(ContentIdentity([0, 255]).bytes == [0, 255])
    #expect(ContentIdentity("a") != ContentIdentity("b"))
  }
}
