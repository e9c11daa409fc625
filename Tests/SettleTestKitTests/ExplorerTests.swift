import SettleCore
import SettleTestKit
import Synchronization
import Testing

/// A value that is decided in one place, or by a look and a later act.
private final class Decider: Sendable {
  private let state = Mutex<String?>(nil)
  let probe: any Probe
  let isCareful: Bool

  init(_ probe: any Probe, isCareful: Bool) {
    self.probe = probe
    self.isCareful = isCareful
  }

  var isCancelled: Bool { state.withLock { $0 == "cancelled" } }

  func cancel() -> CancelAnswer {
    state.withLock { state in
      if state == "committed" { return .tooLate }
      state = "cancelled"
      return .accepted
    }
  }

  func work() {
    tell("entered")
    probe.reach(Checkpoint("before-commit", item: 1))
    let isMine: Bool
    if isCareful {
      tell("commitAsked")
      isMine = state.withLock { state in
        if state == nil { state = "committed" }
        return state == "committed"
      }
    } else {
      isMine = !isCancelled
      probe.reach(Checkpoint("after-look", item: 1))
      if isMine { state.withLock { $0 = "committed" } }
    }
    if isMine {
      tell("commit")
      probe.reach(Checkpoint("before-publish", item: 1))
      tell("effect.publish")
    }
    tell("left")
    tell("outcome." + (isMine ? "succeeded" : "cancelled"))
    tell("completion")
  }

  private func tell(_ name: String) { probe.event(ProbeEvent(name, item: 1)) }
}

/// A value that many hold.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { value in
      var copy = value
      defer { value = copy }
      return body(&copy)
    }
  }
  var current: Value { value.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(2))) struct ExplorerTests {
  /// A worker and a canceller, as tasks or as threads.
  private func race(
    _ world: World, isCareful: Bool, onThreads: Bool = false, touches: Set<String>? = nil
  ) {
    let decider = Decider(world.probe, isCareful: isCareful)
    world.trace.record(.started, item: "1")
    let cancel: @Sendable () -> Void = { [trace = world.trace] in
      trace.cancelling(item: "1") { decider.cancel() }
    }
    if onThreads {
      world.spawnThread("worker", touches: touches) { decider.work() }
      world.spawnThread("cancel", touches: touches) { cancel() }
    } else {
      world.spawn("worker", touches: touches) { decider.work() }
      world.spawn("cancel", touches: touches) { cancel() }
    }
    world.sometimes("the commit wins") { $0.contains { $0.kind == .commit } }
    world.sometimes("the cancel wins") { $0.contains { $0.name == "accepted" } }
  }

  // TST-3, CAN-7: a decision in one place holds in every order, for tasks and for threads.
  @Test(arguments: [false, true]) func oneCommitPointIsProved(onThreads: Bool) async throws {
    let result = try await Explorer().explore { race($0, isCareful: true, onThreads: onThreads) }
    try result.requireProved()
    #expect(result.ends.count == 2 && result.runCount > 3, "\(result)")
  }

  // TST-3: looking first and acting later is found, with an order that shows it again.
  @Test(arguments: [false, true]) func aLookBeforeTheActIsFound(onThreads: Bool) async throws {
    let explore = { (schedule: String?) in
      try await Explorer().explore("look", replaying: schedule) {
        race($0, isCareful: false, onThreads: onThreads)
      }
    }
    let result = try await explore(nil)
    let failure = try #require(result.failure)
    #expect(Set(failure.violations.map(\.rule)).contains("cancelXorCommit"))
    let line = failure.minimal.replayLine(for: "look")
    #expect(
      line == "SETTLE_SCHEDULE='v1:look:worker@start>worker@before-commit#1>cancel@start'")
    #expect(result.description.contains(line))
    let again = try await explore("v1:look:\(failure.minimal)")
    #expect(again.runCount == 1)
    #expect(again.failure?.violations.map(\.rule) == failure.violations.map(\.rule))
  }

  // TST-3: a schedule for another name is left alone, one that does not fit or is none says so.
  @Test func aScheduleThatDoesNotFitSaysWhere() async throws {
    let explore = { (schedule: String) in
      try await Explorer().explore("pair()", replaying: schedule) { race($0, isCareful: true) }
    }
    try await explore("v1:other:worker@start").requireProved()
    let strange = try await explore("v1:pair:worker@start>worker@nowhere")
    #expect(
      strange.description.hasSuffix(
        "the given schedule does not fit: step 2: \"worker@nowhere\" could not go on, only "
          + "worker@before-commit#1, cancel@start"), "\(strange)")
    let fine = try await explore("v1:pair:cancel@start")
    #expect(fine.description.contains("broke no rule"))
    #expect(throws: ExplorationError.self) { try fine.requireProved() }
    await #expect(throws: ScheduleError.self) { _ = try await explore("worker first") }
  }

  /// Counts how many orders of so many participants with so many steps there are.
  private func orders(_ participants: Int, _ steps: Int, touches: Bool) async throws -> Exploration
  {
    try await Explorer().explore("orders") { world in
      let order = Shared<[Int]>([])
      for participant in 0..<participants {
        world.spawn("p\(participant)", touches: touches ? ["own \(participant)"] : nil) {
          for step in 0..<steps {
            world.probe.reach(Checkpoint("step \(step)"))
            order.change { $0.append(participant) }
          }
        }
      }
      world.atEnd { _ in if !touches { world.tell("\(order.current)") } }
    }
  }

  // TST-3: exhaustive: as many orders as there are, counted by the binomial coefficient.
  @Test func everyOrderIsTried() async throws {
    let two = try await orders(2, 3, touches: false)
    try two.requireProved()
    // Each has a start and three steps: 8 over 4 orders, of which 6 over 3 can be seen.
    #expect(two.ends.count == 20)
    #expect(two.runCount >= 70 && two.runCount <= 72, "\(two)")
  }

  // TST-3: orders of independent steps are tried once.
  @Test func independentStepsAreTriedInOneOrder() async throws {
    let four = try await orders(4, 3, touches: true)
    try four.requireProved()
    #expect(four.runCount - four.redundantCount <= 103, "1, one repeated, 100 by chance: \(four)")
    #expect(four.runCount < 1_000, "63,063,000 without: \(four)")
  }

  // TST-3: steps that touch more than they say are found out by orders made by chance.
  @Test func aWrongDeclarationIsFoundOut() async throws {
    let result = try await Explorer().explore { world in
      let last = Shared("")
      for name in ["a", "b"] {
        world.spawn(name, touches: [name]) {
          world.probe.reach(Checkpoint("write"))
          last.change { $0 = name }
        }
      }
      world.atEnd { _ in world.tell(last.current) }
    }
    guard case .uncontrolled(let why) = result.verdict else {
      Issue.record("\(result)")
      return
    }
    #expect(why.contains("touch more than they say"))
  }

  // TST-3: what is too big says how far it went, and finds what few preemptions show.
  @Test func whatIsTooBigSaysHowFarItWent() async throws {
    var limits = Explorer.Limits()
    (limits.runCount, limits.randomCount) = (300, 20)
    let result = try await Explorer(limits).explore("big") { world in
      for participant in 0..<3 {
        world.spawn("p\(participant)") {
          for step in 0..<4 { world.probe.reach(Checkpoint("step \(step)")) }
        }
      }
    }
    guard case .bounded(let how) = result.verdict else {
      Issue.record("\(result)")
      return
    }
    #expect(
      how == "more than 300 orders; not all with 2 preemptions; 20 by chance from seed 1", "\(how)")
    #expect(throws: ExplorationError.self) { try result.requireProved() }
  }

  // TST-3: a wait that nobody can end is found at once, with who has not ended.
  @Test func aHangIsFound() async throws {
    let result = try await Explorer().explore("hang") { world in
      let box = Shared<CheckedContinuation<Void, Never>?>(nil)
      world.spawn("waits") {
        await withCheckedContinuation { new in box.change { $0 = new } }
      }
      world.spawn("wakes") {
        // A wake-up that comes first is lost.
        box.change { box in
          defer { box = nil }
          return box
        }?.resume()
      }
    }
    let failure = try #require(result.failure)
    #expect(failure.violations.map(\.rule) == ["everybodyEnds"])
    #expect(failure.violations[0].message.hasSuffix("not ended: waits"))
    #expect(failure.minimal.steps == ["wakes@start"])
  }

  // TST-3: what escapes is no proof: a detached task, a real sleep, a thread of somebody else.
  @Test(arguments: ["detached", "clock", "checkpoint"])
  func whatEscapesIsNoProof(how: String) async throws {
    let result = try await Explorer().explore { world in
      world.spawn("worker") {
        switch how {
        case "detached": await Task.detached {}.value
        case "clock": await withCheckedContinuation { new in Task.detached { new.resume() } }
        default:
          await Task.detached { world.probe.reach(Checkpoint("elsewhere")) }.value
        }
      }
    }
    guard case .uncontrolled(let who) = result.verdict else {
      Issue.record("\(result)")
      return
    }
    #expect(who.contains("not under control") || who.contains("no participant started"))
  }

  // TST-3: a step that does not end is no proof, and no deadlock either.
  @Test func aStepThatDoesNotEndIsNoProof() async throws {
    let isOver = Shared(false)
    var limits = Explorer.Limits()
    limits.stepDuration = .milliseconds(50)
    let result = try await Explorer(limits).explore { world in
      world.spawnThread("spins") { while !isOver.change({ $0 }) {} }
    }
    isOver.change { $0 = true }
    #expect(
      result.description.hasSuffix("\"spins\" neither came to a checkpoint nor ended"),
      "\(result)")
  }

  // TST-3: a run that takes turns for ever is ended, too.
  @Test func aRunWithoutAnEndIsEnded() async throws {
    var limits = Explorer.Limits()
    limits.stepCount = 1_000
    let isOver = Shared(false)
    let result = try await Explorer(limits).explore { world in
      world.spawnThread("circles") {
        while !isOver.change({ $0 }) { world.probe.reach(Checkpoint("again")) }
      }
    }
    isOver.change { $0 = true }
    #expect(result.description.hasSuffix("the run took more than 1000 steps"), "\(result)")
  }

  // TST-3: what never happened is no proof: an empty world, a hope, a checkpoint.
  @Test func whatNeverHappensIsNoProof() async throws {
    let nobody = try await Explorer().explore("empty") { _ in }
    #expect(nobody.description.hasSuffix("never happened: a participant"), "\(nobody)")
    let result = try await Explorer().explore("hopes") { world in
      world.spawn("worker") { world.probe.reach(Checkpoint("here")) }
      world.mustReach("here", "there")
      world.sometimes("a miracle") { _ in false }
    }
    #expect(
      result.description.hasSuffix("never happened: a miracle, checkpoint there"), "\(result)")
  }

  // TST-3: a participant that throws, and a look at the end that throws, are failures.
  @Test func whatThrowsIsAFailure() async throws {
    struct Broken: Error {}
    let first = try await Explorer().explore { world in world.spawn("a") { throw Broken() } }
    #expect(first.failure?.violations.map(\.rule) == ["noParticipantThrows"])
    let second = try await Explorer().explore { world in
      world.spawn("a") {}
      world.atEnd { _ in throw Broken() }
    }
    #expect(second.failure?.violations.map(\.rule) == ["atEnd"])
    await #expect(throws: Broken.self) { _ = try await Explorer().explore { _ in throw Broken() } }
  }

  // TST-3: child tasks and actors take part; all orders of a group are tried.
  @Test func childTasksTakePart() async throws {
    let result = try await Explorer().explore("children") { world in
      let order = Shared("")
      world.spawn("parent") {
        await withTaskGroup { group in
          for child in 0..<3 {
            group.addTask {
              order.change { $0 += "\(child)" }
            }
          }
        }
      }
      world.atEnd { _ in world.tell(order.current) }
    }
    try result.requireProved()
    #expect(result.ends.count == 6, "\(result)")
  }

  // TST-3: the same start leads to something else each time: no proof.
  @Test func chanceInTheCodeIsNoProof() async throws {
    let count = Shared(0)
    let result = try await Explorer().explore { world in
      let number = count.change { count in
        count += 1
        return count
      }
      world.spawn("worker") { world.tell("\(number)") }
      world.spawn("other") {}
    }
    #expect(result.description.contains("went differently"), "\(result)")
  }
}
