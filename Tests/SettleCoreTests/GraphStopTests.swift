import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

@Suite(.timeLimit(.minutes(1))) struct GraphStopTests {
  // CAN-3: what runs goes on, nothing begins, and resuming goes on where it was.
  @Test func aPausedRunBeginsNothing() async throws {
    let door = Door()
    let entered = Tally()
    let a = Step("a") { _ in await door.pass() }
    let b = Step("b", after: a) { _, _ in entered.add("b") }
    let ends = Collector<String>()
    var options = GraphOptions(workers: 2)
    options.onStepSettled = { ends.add($0.name) }
    let run = try Graph {
      a
      b
    }.start(options)
    await door.waitForArrival()
    run.pause()
    #expect(run.snapshot().isPaused)
    door.open()
    for await snapshot in run.updates(every: .zero, clock: ContinuousClock())
    where snapshot.counts.succeeded == 1 { break }
    #expect(entered["b"] == 0)
    #expect(run.snapshot().state == .running)
    run.resume()
    #expect(await run.report.state == .succeeded)
    #expect(ends.all == ["a", "b"])
  }

  // RUN-13: a shutdown gives unfinished steps back, uncharged; a later run goes on by identity.
  @Test func aShutdownGivesUnfinishedStepsBack() async throws {
    let door = Door()
    let entered = Tally()
    let isSecondRun = Atomic(false)
    let a = Step("a", identity: "1") { context in
      entered.add("a")
      return "result"
    }
    let b = Step("b", after: a) { context, text in
      entered.add("b")
      if isSecondRun.load(ordering: .relaxed) { return text + "!" }
      await door.pass()
      #expect(context.isCancelled && Task.isCancelled)
      await #expect(throws: CancellationError.self) { try await context.commit {} }
      return "discarded"
    }
    let c = Step("c", after: b) { _, text in text + "?" }
    let graph = try Graph {
      a
      b
      c
    }
    let ends = Tally()
    var options = GraphOptions(workers: 2)
    options.onSettled = { _ in ends.add("run") }
    let run = graph.start(options)
    await door.waitForArrival()
    run.shutDown()
    door.open()
    let report = await run.report
    #expect(report.state == .waiting)
    #expect(report.unfinished == ["b", "c"])
    #expect(report["b"]?.attempts == 0 && report["b"]?.outcome == nil)
    #expect(report.outcome("a") == .succeeded)
    #expect(report.counts.settled == 1)
    #expect(run.cancel() == .tooLate)
    #expect(run.snapshot().isOver)
    #expect(ends["run"] == 1)

    // The same names at other places: what was done is found by name, never by position.
    isSecondRun.store(true, ordering: .relaxed)
    let again = try Graph {
      c
      b
      a
    }.start(resuming: report)
    let second = await again.report
    #expect(second.state == .succeeded)
    #expect(second.outcome("a") == .skipped(.unchanged))
    #expect(second.output(of: c) == "result!?")
    #expect(entered["a"] == 1 && entered["b"] == 2)
    #expect(second["b"]?.attempts == 1)
    #expect(again.snapshot().progress.fractionCompleted == 1)
  }

  // RUN-13: a result that was let go is made again when somebody needs it.
  @Test func aResultThatWasLetGoIsMadeAgain() async throws {
    let entered = Tally()
    let a = Step("a") { _ in
      entered.add("a")
      return 5
    }
    let b = Step("b", after: a) { _, number -> Int in
      entered.add("b")
      if entered["b"] == 1 { throw Broken() }
      return number
    }
    let graph = try Graph {
      a
      b
    }
    let first = await graph.start().report
    #expect(first.state == .failed)
    let second = await graph.start(resuming: first).report
    #expect(second.output(of: b) == 5)
    #expect(entered["a"] == 2 && entered["b"] == 2)
  }

  // RUN-13: what was let go further up is made again, too: b needs a, c needs b, c failed.
  @Test func everyResultThatARerunNeedsIsMadeAgain() async throws {
    let entered = Tally()
    let a = Step("a") { _ in
      entered.add("a")
      return 1
    }
    let b = Step("b", after: a) { _, number in number + 1 }
    let side = Step("side") { _ in entered.add("side") }
    let c = Step("c", after: b, side) { _, number, _ -> Int in
      entered.add("c")
      if entered["c"] == 1 { throw Broken() }
      return number
    }
    let graph = try Graph {
      a
      b
      side
      c
    }
    let first = await graph.start().report
    let second = await graph.start(resuming: first).report
    #expect(second.output(of: c) == 2)
    #expect(entered["a"] == 2 && entered["side"] == 1)
    #expect(second.outcome("side") == .skipped(.unchanged))
  }

  // RUN-13: a later process knows names and contents; what has no result to hand on is not repeated.
  @Test func aLaterProcessGoesOnByNamesAndContents() async throws {
    let entered = Tally()
    let fails = Atomic(true)
    func makeGraph() throws -> Graph {
      let fetch = Step("fetch", identity: "a") { _ in entered.add("fetch") }
      let convert = Step("convert", identity: "b", after: fetch) { _, _ in
        entered.add("convert")
        if fails.load(ordering: .relaxed) { throw Broken() }
      }
      return try Graph {
        convert
        fetch
      }
    }
    let finished = try await makeGraph().start().report.finished
    #expect(finished == ["fetch": "a"])
    fails.store(false, ordering: .relaxed)
    var options = GraphOptions()
    options.finished = finished
    let report = try await makeGraph().start(options).report
    #expect(report.state == .succeeded)
    #expect(entered["fetch"] == 1 && entered["convert"] == 2)
    #expect(report.finished == ["fetch": "a", "convert": "b"])
  }

  // RUN-13: a shutdown in a retry's delay charges nothing more and starts no timer.
  @Test func aShutdownDuringARetryDelayEndsTheRun() async throws {
    let clock = ManualClock()
    var options = GraphOptions(workers: 1)
    options.clock = RunClock(clock)
    let step = Step("a", retry: .exponential(retries: 3)) { _ in throw Broken() }
    let run = try Graph { step }.start(options)
    await clock.waitForSleepers(1)
    run.shutDown()
    let report = await run.report
    #expect(report.unfinished == ["a"])
    #expect(report["a"]?.attempts == 1)
  }

  // RUN-11, RUN-7: permits are never exceeded and all of them come back, under every ending.
  @Test(arguments: [1, 2, 5])
  func resourcesAreNeverOverdrawn(permits: Int) async throws {
    let inUse = Mutex<(now: Int, most: Int)>((0, 0))
    var builder = GraphBuilder(limits: ["disk": permits, "network": 2])
    var last: StepID?
    for number in 0..<300 {
      var options = StepOptions(resources: number % 3 == 0 ? ["network", "disk"] : ["disk"])
      options.retry = RetryPolicy(retries: 2)
      options.priority = StepPriority.allCases[number % 3]
      let step = builder.add("s\(number)", options: options) { context in
        inUse.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        await Task.yield()
        defer { inUse.withLock { $0.now -= 1 } }
        if number % 11 == 3 { throw Broken() }
        if number % 7 == 2, context.attempt == 1 { throw Broken() }
        if number % 5 == 0 { try await context.commit { await Task.yield() } }
      }
      if number % 50 == 49, let last { builder.need(step, after: last) }
      last = step
    }
    let run = try builder.build().start(GraphOptions(workers: 6))
    let report = await run.report
    #expect(report.counts.settled == 300)
    #expect(inUse.withLock { $0.now } == 0)
    #expect(inUse.withLock { $0.most } <= permits)
    #expect(report.machine.freePermits == [Int32(permits), 2])
  }

  // RUN-7: the limit of a graph holds below its number of workers.
  @Test func theLimitOfAGraphHolds() async throws {
    let inUse = Mutex<(now: Int, most: Int)>((0, 0))
    var builder = GraphBuilder()
    for _ in 0..<100 {
      builder.add { _ in
        inUse.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        await Task.yield()
        inUse.withLock { $0.now -= 1 }
      }
    }
    var options = GraphOptions(workers: 8)
    options.limit = 2
    let report = try await builder.build().start(options).report
    #expect(report.counts.succeeded == 100)
    #expect(inUse.withLock { $0.most } <= 2)
  }

  // PRG-2, PRG-10: weights by outcome add up exactly, and reading changes nothing.
  @Test func weightsByOutcomeAddUp() async throws {
    let door = Door()
    let good = Step("good", weight: 30) { _ in }
    let bad = Step("bad", weight: 25) { _ -> Int in throw Broken() }
    let skipped = Step("skipped", weight: 20, after: bad) { _, _ in }
    let inner = Step("inner", weight: 15) { context in
      context.progress(total: .exactly(3)).complete(2)
      await door.pass()
    }
    let late = Step("late", weight: 10, after: inner) { _, _ in }
    let run = try Graph {
      good
      bad
      skipped
      inner
      late
    }.start(GraphOptions(workers: 3))
    await door.waitForArrival()
    for await snapshot in run.updates(every: .zero, clock: ContinuousClock())
    where snapshot.counts.settled == 3 { break }
    let part = ProgressSnapshot.fullWeight / 100
    let middle = run.snapshot().progress
    #expect(middle == run.snapshot().progress)
    #expect(middle.fractionCompleted == 0.4)
    #expect(abs(middle.succeededWeight - 30 * part) < 100)
    run.cancel()
    door.open()
    _ = await run.report
    let end = run.snapshot().progress
    #expect(abs(end.failedWeight - 25 * part) < 100)
    #expect(abs(end.skippedWeight - 20 * part) < 100)
    #expect(abs(end.cancelledWeight - 25 * part) < 100)
    #expect(end.settledWeight == ProgressSnapshot.fullWeight)
    #expect(
      end.succeededWeight + end.failedWeight + end.skippedWeight + end.cancelledWeight
        == ProgressSnapshot.fullWeight)
    #expect(end.fractionCompleted == 0.4)
    #expect(end.isSettled)
  }

  // PRG-5: the fraction never falls while steps end in every way.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func theFractionNeverFalls(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var builder = GraphBuilder()
    var steps: [StepID] = []
    for number in 0..<400 {
      let kind = Int.random(in: 0..<10, using: &random)
      var options = StepOptions(weight: .random(in: 0...9_999, using: &random))
      options.retry = RetryPolicy(retries: 1)
      let needed = number > 20 && kind < 4 ? [steps.randomElement(using: &random)!] : []
      steps.append(
        builder.add("s\(number)", options: options, after: needed) { context in
          if kind > 6 { context.progress(total: .exactly(3)).complete(2) }
          if kind == 9 || kind == 2 { throw Broken() }
        })
    }
    let fractions = Collector<Double?>()
    let box = Mutex<GraphRun?>(nil)
    var options = GraphOptions(workers: 1)
    options.startsPaused = true
    options.onStepSettled = { _ in
      fractions.add(box.withLock { $0?.snapshot().progress.fractionCompleted })
    }
    let run = try builder.build().start(options)
    box.withLock { $0 = run }
    run.resume()
    _ = await run.report
    let seen = fractions.all.compactMap(\.self)
    #expect(seen.count == 400)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
    let end = run.snapshot().progress
    #expect(end.settledWeight == ProgressSnapshot.fullWeight, "seed \(seed)")
  }

  // PRG-12: updates begin with the moment, end with the end, and keep nothing in between.
  @Test func updatesEndWithTheEnd() async throws {
    let door = Door()
    let clock = ManualClock()
    let run = try Graph { Step("a") { _ in await door.pass() } }.start()
    var seen: [GraphSnapshot] = []
    for await snapshot in run.updates(every: .seconds(1), clock: clock) {
      seen.append(snapshot)
      await door.waitForArrival()
      door.open()
    }
    #expect(seen.count == 2)
    #expect(seen.first?.isOver == false)
    #expect(seen.last?.isOver == true && seen.last?.progress.fractionCompleted == 1)
    #expect(seen.last?.state == .succeeded)
  }

  // RUN-4, RUN-11, CAN-7: many workers, cancels from many threads; for the thread sanitizer.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func manyWorkersAndCancelsKeepEveryRule(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (committed, settled) = (Tally(), Tally())
    var builder = GraphBuilder(limits: ["r": 3])
    var steps: [StepID] = []
    for number in 0..<600 {
      let kind = Int.random(in: 0..<12, using: &random)
      let needed =
        steps.isEmpty || kind > 7
        ? [] : [steps.randomElement(using: &random)!, steps.randomElement(using: &random)!]
      var options = StepOptions(resources: kind % 3 == 0 ? ["r"] : [])
      options.retry = RetryPolicy(retries: 1)
      options.timeout = kind == 5 ? .seconds(100) : nil
      let name = "s\(number)"
      steps.append(
        builder.add(name, options: options, after: needed) { context in
          let progress = kind % 2 == 0 ? context.progress(total: .exactly(2)) : nil
          progress?.complete()
          if kind == 11, context.attempt == 1 { throw Broken() }
          if kind % 4 == 0 {
            try await context.commit {
              await Task.yield()
              committed.add(name)
            }
          } else {
            await Task.yield()
          }
        })
    }
    var options = GraphOptions(workers: 8)
    options.onStepSettled = { settled.add($0.name) }
    let run = try builder.build().start(options)
    let target = Int.random(in: 0..<600, using: &random)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          while !run.snapshot().isOver, run.snapshot().counts.settled < target {
            await Task.yield()
          }
          run.cancel()
        }
      }
      group.addTask {
        for _ in 0..<50 {
          run.pause()
          await Task.yield()
          run.resume()
        }
      }
    }
    let report = await run.report
    #expect(report.counts.settled == 600, "seed \(seed)")
    for step in report.steps {
      #expect(settled[step.name] == 1, "seed \(seed): \(step.name)")
      let isCommitted = committed[step.name] == 1
      if isCommitted { #expect(step.outcome == .succeeded, "seed \(seed): \(step.name)") }
      #expect(committed[step.name] <= 1, "seed \(seed): \(step.name)")
    }
    #expect(report.machine.freePermits == [3], "seed \(seed)")
  }
}
