import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

@Suite(.timeLimit(.minutes(1))) struct GraphRetryTests {
  private func options(_ clock: ManualClock, workers: Int = 2) -> GraphOptions {
    var options = GraphOptions(workers: workers)
    options.clock = RunClock(clock)
    options.random = SeededGenerator(seed: 7)
    return options
  }

  // RUN-9: as often as the policy says, after growing delays, and no more.
  @Test func retriesFollowThePolicy() async throws {
    let clock = ManualClock()
    let policy = RetryPolicy(retries: 3, firstDelay: .seconds(2), factor: 3, jitter: 0)
    let begins = Collector<Duration>()
    let step = Step("a", retry: policy) { context in
      begins.add(clock.now.offset)
      #expect(context.attempt == begins.all.count)
      throw Broken(number: context.attempt)
    }
    let run = try Graph { step }.start(options(clock))
    for seconds in [2, 6, 18] { await clock.advance(by: .seconds(seconds)) }
    let report = await run.report
    #expect(begins.all == [.zero, .seconds(2), .seconds(8), .seconds(26)])
    #expect(report["a"]?.attempts == 4)
    #expect(report["a"]?.error as? Broken == Broken(number: 4))
    #expect(report.state == .failed)
  }

  // RUN-9, RUN-3: a retry that succeeds lets its dependents run.
  @Test func aRetryThatSucceedsGoesOn() async throws {
    let a = Step("a", retry: RetryPolicy(retries: 2)) { context in
      if context.attempt < 3 { throw Broken() }
      return context.attempt
    }
    let b = Step("b", after: a) { _, attempt in attempt * 10 }
    let report = try await Graph {
      b
      a
    }.start().report
    #expect(report.output(of: b) == 30)
    #expect(report["a"]?.attempts == 3)
  }

  // RUN-9: which errors are tried again.
  @Test func onlyErrorsThatThePolicyNamesAreTriedAgain() async throws {
    let policy = RetryPolicy(retries: 5) { ($0 as? Broken)?.number == 1 }
    let report = try await Graph {
      Step("a", retry: policy) { context in throw Broken(number: context.attempt) }
      Step("b", retry: RetryPolicy(retries: 5)) { _ in throw SettleError(.damaged) }
      Step("c", retry: RetryPolicy(retries: 5)) { _ in throw SettleError(.sourceChanged) }
    }.start().report
    #expect(report["a"]?.attempts == 2)
    #expect(report["b"]?.attempts == 1)
    #expect(report["c"]?.attempts == 6)
  }

  // RUN-9: delays grow to their limit, chance only shortens them, and nothing overflows.
  @Test func delaysGrowToTheirLimit() {
    let policy = RetryPolicy(
      retries: 100, firstDelay: .seconds(1), factor: 2, longestDelay: .seconds(30), jitter: 0.5)
    let delays = (1...7).map { policy.delay(beforeRetry: $0, chance: 0) }
    #expect(delays == [1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
    #expect(policy.delay(beforeRetry: .max, chance: 0) == .seconds(30))
    #expect(policy.delay(beforeRetry: 3, chance: 0.5) == .seconds(3))
    var random = SeededGenerator(seed: 11)
    for _ in 0..<1_000 {
      let delay = policy.delay(beforeRetry: 2, chance: Double.random(in: 0..<1, using: &random))
      #expect(delay > .seconds(1) && delay <= .seconds(2))
    }
    #expect(RetryPolicy(retries: 3).delay(beforeRetry: 3, chance: 0) == .zero)
  }

  // CAN-3, RUN-9: cancelled while a retry waits for its time: settled at once, not when it is due.
  @Test func cancellingDuringARetryDelaySettlesAtOnce() async throws {
    let clock = ManualClock()
    let entered = Tally()
    let step = Step("a", retry: .exponential(retries: 3, firstDelay: .seconds(100))) { context in
      entered.add("a")
      throw Broken()
    }
    let run = try Graph { step }.start(options(clock))
    await clock.waitForSleepers(1)
    #expect(run.cancel() == .accepted)
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.outcome("a") == .cancelled)
    #expect(entered["a"] == 1)
    #expect(clock.now.offset == .zero)
  }

  // RUN-9, CAN-8: a time limit is a failure; the body is told, awaited, and its result discarded.
  @Test func aTimeLimitIsAFailure() async throws {
    let clock = ManualClock()
    let door = Door()
    let step = Step("a", timeout: .seconds(5)) { context in
      await door.pass()
      #expect(context.isCancelled && Task.isCancelled)
      await #expect(throws: SettleError.self) { try await context.commit {} }
      return 1
    }
    let other = Step("b", after: step) { _, _ in Issue.record("b ran") }
    let run = try Graph {
      step
      other
      Step("c") { _ in }
    }.start(options(clock))
    await door.waitForArrival()
    await clock.advance(by: .seconds(5))
    #expect(run.snapshot().counts.failed == 0)
    door.open()
    let report = await run.report
    #expect(report.state == .failed)
    #expect((report["a"]?.error as? SettleError)?.code == .timeout)
    #expect(report.outcome("b") == .skipped(.dependencyFailed(root: "a")))
    #expect(report.outcome("c") == .succeeded)
    #expect(report.output(of: step) == nil)
  }

  // RUN-9: pg-boss#555: an attempt whose time is over cannot commit, only the next one can.
  @Test func onlyTheNewAttemptCommitsAfterATimeLimit() async throws {
    let clock = ManualClock()
    let door = Door()
    let published = Collector<Int>()
    let step = Step("a", retry: RetryPolicy(retries: 1), timeout: .seconds(5)) { context in
      let attempt = context.attempt
      if attempt == 1 { await door.pass() }
      try await context.commit { published.add(attempt) }
    }
    let run = try Graph { step }.start(options(clock))
    await door.waitForArrival()
    await clock.advance(by: .seconds(5))
    door.open()
    let report = await run.report
    #expect(report.state == .succeeded)
    #expect(published.all == [2])
    #expect(report["a"]?.attempts == 2)
  }

  // RUN-9, CAN-6: a time limit that comes after the commit point changes nothing.
  @Test func aTimeLimitAfterTheCommitPointChangesNothing() async throws {
    let clock = ManualClock()
    let door = Door()
    let step = Step("a", timeout: .seconds(5)) { context in
      try await context.commit { await door.pass() }
    }
    let run = try Graph { step }.start(options(clock))
    await door.waitForArrival()
    await clock.advance(by: .seconds(6))
    door.open()
    #expect(await run.report.state == .succeeded)
  }

  // RUN-9: the deadline: what runs fails, what waits is skipped, what is done stays.
  @Test func theDeadlineOfARunIsAFailure() async throws {
    let clock = ManualClock()
    let door = Door()
    var options = options(clock, workers: 1)
    options.deadline = .seconds(60)
    let first = Step("first") { _ in }
    let second = Step("second", retry: RetryPolicy(retries: 9), after: first) { context, _ in
      await door.pass()
      #expect(context.isCancelled)
    }
    let third = Step("third", after: second) { _, _ in Issue.record("third ran") }
    let run = try Graph {
      first
      second
      third
    }.start(options)
    await door.waitForArrival()
    await clock.advance(by: .seconds(60))
    for await snapshot in run.updates(every: .zero, clock: ContinuousClock())
    where snapshot.counts.skipped == 1 { break }
    door.open()
    let report = await run.report
    #expect(report.state == .failed)
    #expect(report.outcome("first") == .succeeded)
    #expect((report["second"]?.error as? SettleError)?.code == .timeout)
    #expect(report["second"]?.attempts == 1)
    #expect(report.outcome("third") == .skipped(.outOfTime))
  }

  // PRG-8: a retry neither moves the bar back nor counts twice.
  @Test func aRetryDoesNotMoveTheBarBack() async throws {
    let box = Mutex<GraphRun?>(nil)
    let seen = Collector<Double?>()
    let note: @Sendable () -> Void = {
      seen.add(box.withLock { $0?.snapshot().progress.fractionCompleted })
    }
    let a = Step("a", weight: 60, retry: RetryPolicy(retries: 1)) { context in
      let progress = context.progress(total: .exactly(4), unit: .bytes)
      for count in 1...4 {
        progress.complete()
        note()
        if context.attempt == 1, count == 2 { throw Broken() }
      }
    }
    let b = Step("b", weight: 40, after: a) { _, _ in note() }
    var options = GraphOptions(workers: 1)
    options.startsPaused = true
    let run = try Graph {
      a
      b
    }.start(options)
    box.withLock { $0 = run }
    run.resume()
    _ = await run.report
    #expect(seen.all == [0.15, 0.3, 0.3, 0.3, 0.45, 0.6, 0.6])
    let end = run.snapshot().progress
    #expect(end.fractionCompleted == 1)
    #expect(end.bytes.completedCount == 4 && end.grossByteCount == 6)
  }
}
