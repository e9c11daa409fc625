import Synchronization
import Testing

@testable import SettleCore

/// Graphs and settings at their edges: found by attacks from outside.
@Suite(.timeLimit(.minutes(2))) struct GraphEdgeTests {
  private struct Broken: Error {}

  // RUN-5: a long chain is released without deep recursion, kept by its last step only.
  @Test(arguments: [30_000, 200_000]) func aLongChainIsReleased(count: Int) {
    var last: Step<Int>? = Step("s0") { _ in 1 }
    for index in 1..<count {
      if let before = last { last = Step("s\(index)", after: before) { _, value in value + 1 } }
    }
    #expect(last?.name == "s\(count - 1)")
    last = nil
  }

  // RUN-11: results of every type come to who needs them: bare existentials, optionals, nothing.
  @Test func resultsKeepTheirTypes() async throws {
    let any = Step<any Sendable>("any") { _ in 42 }
    let optional = Step<(any Sendable)?>("optional") { _ in 7 }
    let none = Step<Int?>("none") { _ in nil }
    let nothing = Step<Void>("nothing") { _ in }
    let all = Step<String>("all", after: any, optional, none, nothing) {
      _, any, optional, none, _ in
      "\(any) \(optional ?? "nil") \(none == nil)"
    }
    let graph = try Graph {
      any; optional; none; nothing; all
    }
    let report = await graph.start().report
    #expect(report.output(of: all) == "42 7 true")
    let single = Step<any Sendable>("single") { _ in "x" }
    let other = await (try Graph { single }).start().report
    #expect(other.output(of: single) as? String == "x")
  }

  // RUN-5: steps of a builder's copy are not taken for one's own, whichever went on first.
  @Test(arguments: [false, true]) func stepsOfACopyAreForeign(isOriginalFirst: Bool) throws {
    var original = GraphBuilder()
    let shared = original.add("shared") { _ in }
    var copy = original
    let ids: (own: StepID, other: StepID)
    if isOriginalFirst {
      let own = original.add("own") { _ in }
      ids = (own, copy.add("other") { _ in })
    } else {
      let other = copy.add("other") { _ in }
      ids = (original.add("own") { _ in }, other)
    }
    var fine = original
    fine.need(ids.own, after: shared)
    #expect(try fine.build().stepNames == ["shared", "own"])
    copy.need(ids.other, after: shared)
    #expect(try copy.build().stepNames == ["shared", "other"])
    original.need(ids.own, after: ids.other)
    do {
      _ = try original.build()
      Issue.record("the foreign step was accepted")
    } catch {
      #expect(error.code == .foreignEdge)
    }
    var longer = original
    let far = longer.add { _ in }
    var fourth = GraphBuilder()
    fourth.need(fourth.add { _ in }, after: far)
    #expect(throws: SettleError.self) { try fourth.build() }
  }

  // RUN-5: a name that is shown for another step without a name is a second use of it.
  @Test func aNameThatAnUnnamedStepIsShownByIsRefused() throws {
    var builder = GraphBuilder()
    builder.add("#2") { _ in }
    builder.add { _ in }
    do {
      _ = try builder.build()
      Issue.record("the name was accepted")
    } catch {
      #expect(error.code == .duplicateName)
    }
    var fine = GraphBuilder()
    fine.add { _ in }
    fine.add("#2") { _ in }
    #expect(try fine.build().stepNames == ["#1", "#2"])
  }

  // RUN-13: a step without a name is never taken for one that was done before.
  @Test func aStepWithoutANameIsNotTakenOver() async throws {
    var first = GraphBuilder()
    first.add { _ in }
    first.add("#2", options: StepOptions(identity: "same")) { _ in }
    let earlier = await (try first.build()).start().report
    #expect(earlier.finished == ["#2": "same"])
    let isEntered = Mutex(false)
    var second = GraphBuilder()
    second.add("x") { _ in }
    second.add(options: StepOptions(identity: "same")) { _ in isEntered.withLock { $0 = true } }
    var options = GraphOptions()
    options.finished = ["#2": "same"]
    let report = await (try second.build()).start(options, resuming: earlier).report
    #expect(report.state == .succeeded)
    #expect(isEntered.withLock { $0 })
  }

  // RUN-9: times of any size are no trap; endless is long enough.
  @Test func endlessTimesAreNoTrap() async throws {
    let endless = Duration.seconds(Int64.max)
    let step = Step("a", timeout: endless) { _ in 1 }
    var options = GraphOptions()
    options.deadline = endless
    let report = await (try Graph { step }).start(options).report
    #expect(report.state == .succeeded)
    for clock in [RunClock.continuous, RunClock(ContinuousClock())] {
      let timer = clock.start().sleep
      let wait = Task { try await timer(endless) }
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
    let policy = RetryPolicy(retries: .max, firstDelay: endless, factor: 9, longestDelay: endless)
    #expect(policy.delay(beforeRetry: .max, chance: 0) > .seconds(1_000_000_000))
  }

  // RUN-9: numbers outside of their range are brought into it, whoever sets them.
  @Test func aPolicyStaysInItsRange() async throws {
    var policy = RetryPolicy(retries: 1)
    policy.retries = -3
    policy.firstDelay = .seconds(-1)
    policy.longestDelay = .seconds(-5)
    policy.factor = .nan
    policy.jitter = 5
    #expect(policy.retries == 0 && policy.firstDelay == .zero && policy.longestDelay == .zero)
    #expect(policy.factor == 1 && policy.jitter == 1)
    policy.jitter = .nan
    policy.factor = .infinity
    policy.retries = 2
    #expect(policy.jitter == 0 && policy.factor == 1e9)
    let step = Step("a", retry: policy) { context in
      if context.attempt < 3 { throw Broken() }
    }
    let report = await (try Graph { step }).start().report
    #expect(report.state == .succeeded)
    #expect(report["a"]?.attempts == 3)
  }
}
