import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

/// What the tests of graphs need: something that fails, and doors.
struct Broken: Error, Equatable {
  var number = 0
}

/// A body that stops at a door: the test waits for its arrival, acts, and opens.
final class Door: Sendable {
  private let arrived = SettledSignal()
  private let opened = SettledSignal()

  /// Arrives and waits until the door is open, whatever happens to the task.
  func pass() async {
    arrived.open()
    await opened.waitUninterrupted()
  }

  func waitForArrival() async { await arrived.wait() }
  func open() { opened.open() }
}

/// Counts by name, from any thread.
final class Tally: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
  subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}

extension GraphReport {
  /// The outcome of a step.
  func outcome(_ name: String) -> Outcome? { self[name]?.outcome }
}

@Suite(.timeLimit(.minutes(1))) struct GraphRunTests {
  // RUN-3, RUN-4: results flow to the steps that need them, typed and in order.
  @Test func resultsFlowToDependents() async throws {
    let number = Step("number") { _ in 41 }
    let word = Step("word") { _ in "answer" }
    let all = Step("all", after: number, word) { context, number, word in
      "\(context.name): \(word) \(number + 1)"
    }
    let sum = Step("sum", afterAll: [number, number, number]) { _, numbers in
      numbers.reduce(0, +)
    }
    let end = Step("end", after: all, sum) { _, text, sum in (text, sum).0.count + sum }
    let graph = try Graph {
      end
      sum
      all
      word
      number
    }
    let report = await graph.start().report
    #expect(report.state == .succeeded)
    #expect(report.output(of: end) == 14 + 123)
    // What others needed is let go.
    #expect(report.output(of: number) == nil)
    #expect(report.counts.succeeded == 5)
    #expect(report.steps.allSatisfy { $0.attempts == 1 && $0.outcome == .succeeded })
  }

  // RUN-3: ProcedureKit#388, #110: what needs a failed step is skipped, the rest goes on.
  @Test func whatNeedsAFailedStepIsSkippedWithTheRootCause() async throws {
    let entered = Tally()
    let a = Step("a") { _ -> Int in throw Broken(number: 7) }
    let b = Step("b", after: a) { context, _ -> Int in
      entered.add(context.name)
      return 1
    }
    let c = Step("c", after: b) { context, _ in entered.add(context.name) }
    let d = Step("d") { context in entered.add(context.name) }
    let report = try await Graph {
      a
      b
      c
      d
    }.start().report
    #expect(report.state == .failed)
    #expect(report.outcome("b") == .skipped(.dependencyFailed(root: "a")))
    #expect(report.outcome("c") == .skipped(.dependencyFailed(root: "a")))
    #expect(report.outcome("d") == .succeeded)
    #expect(entered["b"] == 0 && entered["c"] == 0 && entered["d"] == 1)
    #expect(report.rootCauses.map(\.name) == ["a"])
    #expect(report["a"]?.error as? Broken == Broken(number: 7))
    guard case .failed(let error) = report.outcome("a") else {
      Issue.record("a did not fail")
      return
    }
    #expect(error.code == .stepFailed)
    #expect(error.message.hasPrefix("The step failed: \"a\" (Broken(number: 7))"))
    #expect(report["b"]?.attempts == 0 && report["b"]?.startedAt == nil)
  }

  // RUN-3: bullmq#3122, #2464: a join of many parents of which one fails is skipped once.
  @Test func aJoinOfManyParentsIsSkippedOnceWhenOneFails() async throws {
    let reports = Collector<StepReport>()
    let parents = (0..<50).map { number in
      Step("parent \(number)") { _ -> Int in
        if number == 17 { throw Broken() }
        return number
      }
    }
    let join = Step("join", afterAll: parents) { _, numbers in numbers.count }
    let graph = try Graph {
      for parent in parents { parent }
      join
    }
    var options = GraphOptions(workers: 3)
    options.onStepSettled = { reports.add($0) }
    let report = await graph.start(options).report
    #expect(report.counts.succeeded == 49)
    #expect(report.outcome("join") == .skipped(.dependencyFailed(root: "parent 17")))
    #expect(reports.all.count == 51)
    #expect(reports.all.count { $0.name == "join" } == 1)
  }

  // RUN-8
  @Test func aGraphWithoutStepsSucceedsAtOnce() async throws {
    let ends = Tally()
    var options = GraphOptions()
    options.onSettled = { _ in ends.add("end") }
    let run = try Graph {}.start(options)
    let report = await run.report
    #expect(report.state == .succeeded)
    #expect(report.counts.settled == 0)
    #expect(ends["end"] == 1)
    #expect(run.snapshot().progress.fractionCompleted == 1)
    #expect(run.cancel() == .tooLate)
  }

  // RUN-4, RUN-9: a body that throws a cancellation of its own has failed; nobody cancelled.
  @Test func aCancellationErrorThatNobodyAskedForIsAFailure() async throws {
    let report = try await Graph {
      Step("a") { _ in throw CancellationError() }
    }.start().report
    #expect(report.state == .failed)
    #expect(report.outcome("a")?.kind == .failed)
  }

  // RUN-7: PSOperations#4: committing and then returning completes once.
  @Test func committingAndReturningCompletesOnce() async throws {
    let tally = Tally()
    var options = GraphOptions()
    options.onStepSettled = { tally.add($0.name) }
    options.onSettled = { _ in tally.add("run") }
    let step = Step("a") { context in
      try await context.commit { tally.add("published") }
      do {
        try await context.commit { tally.add("published") }
      } catch let error as SettleError {
        #expect(error.code == .commitRefused)
        tally.add("refused")
      }
      throw Broken()
    }
    let report = try await Graph { step }.start(options).report
    #expect(report.outcome("a") == .succeeded)
    #expect(tally["published"] == 1 && tally["refused"] == 1)
    #expect(tally["a"] == 1 && tally["run"] == 1)
  }

  // RUN-7, RUN-9: a publication that throws has failed and is not tried again.
  @Test func aPublicationThatThrowsFailsTheStep() async throws {
    let entered = Tally()
    let step = Step("a", retry: RetryPolicy(retries: 5)) { context in
      entered.add("a")
      try await context.commit { throw Broken(number: 3) }
    }
    let report = try await Graph { step }.start().report
    #expect(report["a"]?.error as? Broken == Broken(number: 3))
    #expect(report.state == .failed)
    #expect(entered["a"] == 1)
  }

  // RUN-10: a context that outlives its attempt changes nothing.
  @Test func aContextThatOutlivesItsBodyCannotCommit() async throws {
    let kept = Collector<StepContext>()
    let run = try Graph { Step("a") { context in kept.add(context) } }.start()
    let report = await run.report
    let context = try #require(kept.all.first)
    #expect(context.isCancelled)
    await #expect(throws: SettleError.self) { try await context.commit {} }
    context.progress(total: .exactly(4)).complete(2)
    #expect(run.snapshot().progress.fractionCompleted == 1)
    #expect(report.outcome("a") == .succeeded)
  }

  // RUN-11: the same outcomes for any number of workers.
  @Test(arguments: [1, 2, 3, 8])
  func outcomesDoNotDependOnTheNumberOfWorkers(workers: Int) async throws {
    var builder = GraphBuilder()
    var steps: [StepID] = []
    for number in 0..<500 {
      let needed = number < 10 ? [] : [steps[number / 2], steps[number - 7]]
      steps.append(
        builder.add("s\(number)", after: needed) { _ in
          if number % 97 == 13 { throw Broken(number: number) }
        })
    }
    let graph = try builder.build()
    let report = await graph.start(GraphOptions(workers: workers)).report
    let kinds = report.steps.map { $0.outcome?.kind }
    let one = await graph.start(GraphOptions(workers: 1)).report.steps.map { $0.outcome?.kind }
    #expect(kinds == one)
    #expect(report.counts.failed > 0 && report.counts.skipped > 0 && report.counts.succeeded > 0)
  }

  // RUN-2: priorities choose among those that may run, with one worker strictly.
  @Test func stepsOfHighPriorityGoFirst() async throws {
    let order = Collector<String>()
    var options = GraphOptions(workers: 1)
    options.startsPaused = true
    let graph = try Graph {
      Step("low", priority: .low) { order.add($0.name) }
      Step("normal 1") { order.add($0.name) }
      Step("high", priority: .high) { order.add($0.name) }
      Step("normal 2") { order.add($0.name) }
    }
    let run = graph.start(options)
    run.resume()
    _ = await run.report
    #expect(order.all == ["high", "normal 1", "normal 2", "low"])
  }

  // RUN-4: times come from the clock of the run.
  @Test func timesComeFromTheClockOfTheRun() async throws {
    let clock = ManualClock()
    var options = GraphOptions(workers: 1)
    options.clock = RunClock(clock)
    let first = Step("first") { _ in
      try await clock.sleep(until: clock.now.advanced(by: .seconds(3)), tolerance: nil)
    }
    let second = Step("second", after: first) { _, _ in
      try await clock.sleep(until: clock.now.advanced(by: .seconds(4)), tolerance: nil)
    }
    let run = try Graph {
      first
      second
    }.start(options)
    await clock.advance(by: .seconds(3))
    await clock.advance(by: .seconds(4))
    let report = await run.report
    #expect(report["first"]?.startedAt == .zero)
    #expect(report["first"]?.endedAt == .seconds(3))
    #expect(report["second"]?.startedAt == .seconds(3))
    #expect(report["second"]?.endedAt == .seconds(7))
    #expect(report.duration == .seconds(7))
  }

  // RUN-11: a run without times ends as one with them, delays of retries and time limits included.
  @Test func aRunWithoutTimesDiffersInNothingElse() async throws {
    let clock = ManualClock()
    var options = GraphOptions(workers: 2)
    options.clock = RunClock(clock)
    options.recordsTimes = false
    let policy = RetryPolicy(retries: 1, firstDelay: .seconds(5), jitter: 0)
    let retried = Step("retried", retry: policy) { context in
      if context.attempt == 1 { throw Broken() }
    }
    let slow = Step("slow", timeout: .seconds(7), after: retried) { _, _ in
      try await clock.sleep(until: clock.now.advanced(by: .seconds(100)), tolerance: nil)
    }
    let run = try Graph {
      retried
      slow
    }.start(options)
    await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(5))
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(7))
    let report = await run.report
    #expect(report.outcome("retried") == .succeeded)
    #expect((report["slow"]?.error as? SettleError)?.code == .timeout)
    #expect(report.steps.allSatisfy { $0.startedAt == nil && $0.endedAt == nil })
    #expect(report.duration == .seconds(12))
  }
}
