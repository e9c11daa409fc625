import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

/// One predecessor and one dependent that publishes; everything that the six cases look at.
private final class Scene: Sendable {
  let tally = Tally()
  let staged = Mutex<Set<String>>([])
  let published = Mutex<Set<String>>([])
  let beforeWork = Door()
  let beforeCommit = Door()
  let inCommit = Door()
  let afterCommit = Door()

  func graph(firstFails: Bool = false) throws -> Graph {
    let first = Step("first") { _ -> Int in
      if firstFails { throw Broken() }
      return 1
    }
    let second = Step("second", after: first) { context, _ in
      self.tally.add("entered")
      self.staged.withLock { _ = $0.insert("second") }
      defer { self.staged.withLock { _ = $0.remove("second") } }
      await self.beforeWork.pass()
      try context.checkCancellation()
      await self.beforeCommit.pass()
      try await context.commit {
        self.published.withLock { _ = $0.insert("second") }
        await self.inCommit.pass()
      }
      await self.afterCommit.pass()
    }
    let third = Step("third", after: second) { _, _ in self.tally.add("third entered") }
    return try Graph {
      first
      second
      third
    }
  }

  func options() -> GraphOptions {
    var options = GraphOptions(workers: 2)
    options.onStepSettled = { self.tally.add("settled " + $0.name) }
    options.onSettled = { _ in self.tally.add("run settled") }
    return options
  }

  func open(_ doors: Door...) { for door in doors { door.open() } }

  /// Every step and the run completed once, and nothing is left in staging.
  func expectOneCompletionEach(sourceLocation: SourceLocation = #_sourceLocation) {
    for name in ["settled first", "settled second", "settled third", "run settled"] {
      #expect(tally[name] == 1, "\(name)", sourceLocation: sourceLocation)
    }
    #expect(staged.withLock { $0.isEmpty }, sourceLocation: sourceLocation)
  }

  var files: Set<String> { published.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(1))) struct GraphCancelTests {
  // TST-8, RUN-3, RUN-7: the predecessor succeeds.
  @Test func aStepRunsAndPublishesWhenItsPredecessorSucceeded() async throws {
    let scene = Scene()
    scene.open(scene.beforeWork, scene.beforeCommit, scene.inCommit, scene.afterCommit)
    let report = try await scene.graph().start(scene.options()).report
    #expect(report.state == .succeeded)
    #expect(scene.files == ["second"])
    #expect(scene.tally["third entered"] == 1)
    scene.expectOneCompletionEach()
  }

  // TST-8, RUN-3, RUN-7: the predecessor fails.
  @Test func aStepIsSkippedWhenItsPredecessorFailed() async throws {
    let scene = Scene()
    let report = try await scene.graph(firstFails: true).start(scene.options()).report
    #expect(report.state == .failed)
    #expect(report.outcome("second") == .skipped(.dependencyFailed(root: "first")))
    #expect(report.outcome("third") == .skipped(.dependencyFailed(root: "first")))
    #expect(scene.tally["entered"] == 0 && scene.files.isEmpty)
    scene.expectOneCompletionEach()
  }

  // TST-8, CAN-3: cancelled before start, also while the run is paused.
  @Test func cancellingBeforeTheStartEntersNoBody() async throws {
    let scene = Scene()
    var options = scene.options()
    options.startsPaused = true
    let run = try scene.graph().start(options)
    #expect(run.cancel() == .accepted)
    #expect(run.cancel() == .alreadyRequested)
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.counts.cancelled == 3)
    #expect(report.steps.allSatisfy { $0.attempts == 0 && $0.outcome == .cancelled })
    #expect(scene.tally["entered"] == 0 && scene.files.isEmpty)
    scene.expectOneCompletionEach()
  }

  // TST-8, CAN-4: cancelled while it works.
  @Test func cancellingDuringWorkWaitsForTheBody() async throws {
    let scene = Scene()
    let run = try scene.graph().start(scene.options())
    await scene.beforeWork.waitForArrival()
    #expect(run.cancel() == .accepted)
    #expect(run.snapshot().state == .cancelling)
    #expect(run.snapshot().counts.cancelled == 1)
    #expect(scene.tally["run settled"] == 0 && scene.tally["settled second"] == 0)
    scene.open(scene.beforeWork)
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.outcome("first") == .succeeded)
    #expect(report.outcome("second") == .cancelled && report.outcome("third") == .cancelled)
    #expect(scene.files.isEmpty)
    scene.expectOneCompletionEach()
  }

  // TST-8, CAN-5: cancelled right before the commit.
  @Test func cancellingRightBeforeTheCommitPublishesNothing() async throws {
    let scene = Scene()
    scene.open(scene.beforeWork)
    let run = try scene.graph().start(scene.options())
    await scene.beforeCommit.waitForArrival()
    #expect(run.cancel() == .accepted)
    scene.open(scene.beforeCommit, scene.inCommit, scene.afterCommit)
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.outcome("second") == .cancelled)
    #expect(scene.files.isEmpty)
    scene.expectOneCompletionEach()
  }

  // TST-8, CAN-2, CAN-6: cancelled after the commit. The third step still waits, so the answer is
  // that the cancellation was accepted, and the second step stays as it is.
  @Test func cancellingAfterTheCommitLeavesTheStepSucceeded() async throws {
    let scene = Scene()
    scene.open(scene.beforeWork, scene.beforeCommit)
    let run = try scene.graph().start(scene.options())
    await scene.inCommit.waitForArrival()
    #expect(run.cancel() == .accepted)
    scene.open(scene.inCommit, scene.afterCommit)
    let report = await run.report
    #expect(report.outcome("second") == .succeeded)
    #expect(report.outcome("third") == .cancelled)
    #expect(report.state == .cancelled)
    #expect(scene.files == ["second"])
    #expect(scene.tally["third entered"] == 0)
    scene.expectOneCompletionEach()
  }

  // CAN-2, CAN-6: when all that is left is past its commit point, the answer is too late.
  @Test func cancellingWhenOnlyCommitsAreLeftIsTooLate() async throws {
    let (inCommit, afterCommit) = (Door(), Door())
    let step = Step("a") { context in
      try await context.commit { await inCommit.pass() }
      // The task of a body past its commit point is not cancelled.
      #expect(!Task.isCancelled && !context.isCancelled)
      await afterCommit.pass()
    }
    let run = try Graph { step }.start()
    await inCommit.waitForArrival()
    #expect(run.cancel() == .tooLate)
    inCommit.open()
    await afterCommit.waitForArrival()
    #expect(run.cancel() == .tooLate)
    // RUN-4: the step has not ended while its body has not returned.
    #expect(run.snapshot().counts.settled == 0)
    afterCommit.open()
    #expect(await run.report.state == .succeeded)
    #expect(run.cancel() == .tooLate)
  }

  // CAN-2, CAN-7: a body cancels its own run.
  @Test func aBodyCanCancelItsRun() async throws {
    let box = Mutex<GraphRun?>(nil)
    let ready = SettledSignal()
    let answers = Collector<CancelAnswer>()
    let graph = try Graph {
      Step("a") { context in
        await ready.wait()
        answers.add(box.withLock { $0 }?.cancel() ?? .tooLate)
        #expect(context.isCancelled && Task.isCancelled)
        await #expect(throws: CancellationError.self) { try await context.commit {} }
      }
    }
    let run = graph.start()
    box.withLock { $0 = run }
    ready.open()
    #expect(await run.report.state == .cancelled)
    #expect(answers.all == [.accepted])
  }

  // CAN-2, RUN-7: an observer of a step's end cancels the run.
  @Test func aCompletionCanCancelTheRun() async throws {
    let box = Mutex<GraphRun?>(nil)
    let tally = Tally()
    var options = GraphOptions(workers: 1)
    options.startsPaused = true
    options.onStepSettled = { report in
      tally.add(report.name)
      if report.name == "a" { tally.add("\(box.withLock { $0?.cancel() } ?? .tooLate)") }
    }
    options.onSettled = { _ in
      tally.add("run")
      tally.add("late \(box.withLock { $0?.cancel() } ?? .tooLate)")
    }
    let a = Step("a") { _ in }
    let b = Step("b", after: a) { _, _ in tally.add("b entered") }
    let c = Step("c", after: b) { _, _ in tally.add("c entered") }
    let run = try Graph {
      a
      b
      c
    }.start(options)
    box.withLock { $0 = run }
    run.resume()
    let report = await run.report
    #expect(report.outcome("a") == .succeeded)
    #expect(report.outcome("c") == .cancelled)
    #expect(tally["a"] == 1 && tally["b"] == 1 && tally["c"] == 1 && tally["run"] == 1)
    #expect(tally["accepted"] == 1)
    #expect(tally["late alreadyRequested"] == 1)
    #expect(tally["c entered"] == 0)
  }

  // CAN-7, RUN-9: a failure that comes after an accepted cancellation does not change the outcome,
  // and one that came before stays; the root cause of the skipped step stays as it was.
  @Test func theFirstDecisionStays() async throws {
    let (a, d) = (Door(), Door())
    let fails = Step("fails") { _ -> Int in
      await a.pass()
      throw Broken()
    }
    let skipped = Step("skipped", after: fails) { _, _ in }
    let works = Step("works") { _ in
      await d.pass()
      throw Broken(number: 2)
    }
    let run = try Graph {
      fails
      skipped
      works
    }.start(GraphOptions(workers: 2))
    await a.waitForArrival()
    await d.waitForArrival()
    a.open()
    for await snapshot in run.updates(every: .zero, clock: ContinuousClock()) {
      if snapshot.counts.skipped == 1 { break }
    }
    #expect(run.cancel() == .accepted)
    d.open()
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.outcome("fails")?.kind == .failed)
    #expect(report.outcome("skipped") == .skipped(.dependencyFailed(root: "fails")))
    #expect(report.outcome("works") == .cancelled)
    #expect(report["works"]?.error as? Broken == Broken(number: 2))
  }

  // CAN-3: river#678: cancelled between the claim and the body, the body is not entered.
  @Test func cancellingBetweenClaimAndBodyDoesNotEnterTheBody() async throws {
    let box = Mutex<GraphRun?>(nil)
    let probe = CheckpointProbe()
    let entered = Tally()
    probe.at("graph.beforeBody") { _ in
      #expect(box.withLock { $0 }?.cancel() == .accepted)
    }
    var options = GraphOptions(workers: 1)
    options.probe = probe
    options.startsPaused = true
    let run = try Graph { Step("a") { _ in entered.add("a") } }.start(options)
    box.withLock { $0 = run }
    run.resume()
    #expect(await run.report.outcome("a") == .cancelled)
    #expect(entered["a"] == 0)
  }

  // CAN-7: windmill#11246: cancelled after the last look and before the end, nothing is a success.
  @Test func cancellingAfterTheBodyAndBeforeItsEndIsACancellation() async throws {
    let box = Mutex<GraphRun?>(nil)
    let probe = CheckpointProbe()
    probe.at("graph.afterBody") { _ in
      #expect(box.withLock { $0 }?.cancel() == .accepted)
    }
    var options = GraphOptions(workers: 1)
    options.probe = probe
    options.startsPaused = true
    let a = Step("a") { _ in 1 }
    let b = Step("b", after: a) { _, _ in Issue.record("b ran") }
    let run = try Graph {
      a
      b
    }.start(options)
    box.withLock { $0 = run }
    run.resume()
    let report = await run.report
    #expect(report.state == .cancelled)
    #expect(report.output(of: a) == nil)
  }

  // CAN-9, RUN-7: ten thousand steps that wait end with one call, each once.
  @Test func cancellingEndsEveryWaitingStepOnce() async throws {
    let tally = Tally()
    var builder = GraphBuilder()
    for _ in 0..<10_000 { builder.add { _ in tally.add("entered") } }
    var options = GraphOptions()
    options.startsPaused = true
    options.onStepSettled = { _ in tally.add("settled") }
    let run = try builder.build().start(options)
    #expect(run.cancel() == .accepted)
    let report = await run.report
    #expect(report.counts.cancelled == 10_000)
    #expect(tally["settled"] == 10_000 && tally["entered"] == 0)
  }
}
