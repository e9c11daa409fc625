import SettleTestKit
import SettleTestSupport
import Synchronization
import Testing

@testable import SettleCore

/// What an outside observer sees of one explored run, and the rules that it judges by.
final class Witness: Sendable {
  struct Seen {
    var active: [String: Int] = [:]
    var entered: [String: Int] = [:]
    var commits: [String: Int] = [:]
    var ends: [String: Outcome] = [:]
    var runEnds = 0
    var answers: [CancelAnswer] = []
    var fraction = 0.0
    var faults: [String] = []
  }

  private let seen = Mutex(Seen())
  /// What each step needs, and which resources it takes.
  let needs: [String: [String]]
  let resources: [String: [String]]
  let limits: [String: Int]
  /// Steps whose return is their commit.
  let implicit: Set<String>

  init(_ scenario: Scenario) {
    needs = Dictionary(uniqueKeysWithValues: scenario.steps.map { ($0.name, $0.needs) })
    resources = Dictionary(uniqueKeysWithValues: scenario.steps.map { ($0.name, $0.resources) })
    limits = scenario.expectedLimits ?? scenario.limits
    implicit = Set(scenario.steps.filter { !$0.commits }.map(\.name))
  }

  var faults: [String] { seen.withLock { $0.faults } }
  var current: Seen { seen.withLock { $0 } }

  func enter(_ name: String) {
    seen.withLock { seen in
      seen.active[name, default: 0] += 1
      seen.entered[name, default: 0] += 1
      if seen.active[name] != 1 { seen.faults.append("RUN-4: two bodies of \(name)") }
      if seen.runEnds > 0 { seen.faults.append("RUN-4: \(name) began after the end") }
      if seen.ends[name] != nil { seen.faults.append("RUN-4: \(name) began after its end") }
      for need in needs[name] ?? [] where seen.ends[need]?.isWell != true {
        seen.faults.append("RUN-3: \(name) began before \(need) succeeded")
      }
      if seen.answers.contains(.accepted) { seen.faults.append("CAN-3: \(name) began cancelled") }
      for resource in resources[name] ?? [] {
        let holders = seen.active.filter { $0.value > 0 && resources[$0.key]!.contains(resource) }
        if holders.count > limits[resource]! { seen.faults.append("overdrawn: \(resource)") }
      }
    }
  }

  func leave(_ name: String) { seen.withLock { $0.active[name, default: 0] -= 1 } }

  func commit(_ name: String) { seen.withLock { commit(name, &$0) } }

  private func commit(_ name: String, _ seen: inout Seen) {
    seen.commits[name, default: 0] += 1
    if seen.commits[name] != 1 { seen.faults.append("CAN-7: \(name) committed twice") }
    if seen.answers.contains(.accepted) {
      seen.faults.append("CAN-7: \(name) committed after an accepted cancellation")
    }
  }

  func settle(_ report: StepReport) {
    seen.withLock { seen in
      let name = report.name
      if seen.ends[name] != nil { seen.faults.append("RUN-7: \(name) ended twice") }
      if seen.active[name, default: 0] > 0 {
        seen.faults.append("RUN-4: \(name) ended before its body returned")
      }
      if seen.runEnds > 0 { seen.faults.append("RUN-7: \(name) ended after the run") }
      seen.ends[name] = report.outcome
      if implicit.contains(name), report.outcome == .succeeded { commit(name, &seen) }
    }
  }

  func settleRun() {
    seen.withLock { seen in
      seen.runEnds += 1
      if seen.runEnds > 1 { seen.faults.append("RUN-7: the run ended twice") }
      if seen.active.values.contains(where: { $0 > 0 }) {
        seen.faults.append("RUN-4: the run ended while a body worked")
      }
    }
  }

  func answer(_ answer: CancelAnswer) { seen.withLock { $0.answers.append(answer) } }

  func look(_ snapshot: GraphSnapshot) {
    seen.withLock { seen in
      let fraction = snapshot.progress.fractionCompleted ?? 0
      if fraction < seen.fraction { seen.faults.append("PRG-5: the fraction fell") }
      seen.fraction = fraction
    }
  }

  func fault(_ text: String) { seen.withLock { $0.faults.append(text) } }

  /// Judges the end of a run.
  func judge(_ report: GraphReport, _ snapshot: GraphSnapshot) {
    let seen = current
    if seen.runEnds != 1 { fault("RUN-7: \(seen.runEnds) ends of the run") }
    for step in report.steps {
      if step.outcome != seen.ends[step.name] { fault("RUN-7: \(step.name) was not told rightly") }
      judge(step, seen)
    }
    let isAccepted = seen.answers.contains(.accepted)
    if isAccepted != (report.state == .cancelled) { fault("CAN-2: \(report.state.rawValue)") }
    if report.machine.freePermits.map(Int.init) != limits.keys.sorted().map({ limits[$0]! }) {
      fault("permits are missing: \(report.machine.freePermits)")
    }
    if (report.state == .succeeded) != (snapshot.progress.fractionCompleted == 1) {
      fault("PRG-9: \(report.state.rawValue) with \(snapshot.progress.fractionCompleted ?? -1)")
    }
    if report.state.isSettled, snapshot.progress.settledWeight != ProgressSnapshot.fullWeight {
      fault("PRG-10: the weights do not add up")
    }
  }

  private func judge(_ step: StepReport, _ seen: Seen) {
    let (entered, commits) = (seen.entered[step.name] ?? 0, seen.commits[step.name] ?? 0)
    switch step.outcome {
    case .succeeded:
      if commits != 1 { fault("CAN-6: \(step.name) succeeded with \(commits) commits") }
    case .failed:
      if commits > 0 { fault("CAN-6: \(step.name) failed after its commit") }
    case .skipped:
      if entered > 0 { fault("RUN-3: the skipped \(step.name) was entered") }
    case .cancelled:
      if commits > 0 { fault("CAN-6: \(step.name) is cancelled after its commit") }
      if !seen.answers.contains(.accepted) { fault("CAN-2: \(step.name) without an answer") }
    case nil:
      if commits > 0 { fault("CAN-6: \(step.name) is unfinished after its commit") }
    }
  }
}

/// A small graph, and what happens to it from outside.
struct Scenario: Sendable {
  struct StepPlan: Sendable {
    var name: String
    var needs: [String] = []
    /// How many attempts fail.
    var failures = 0
    var retry = RetryPolicy.never
    var timeout: Duration?
    var resources: [String] = []
    /// Commits by itself instead of by its return.
    var commits = false
    var points = 1
  }

  enum Action: Sendable { case cancel, pause, resume, shutDown, time }

  var steps: [StepPlan]
  var actions: [Action] = []
  var workers = 2
  var limits: [String: Int] = [:]
  /// Limits that the witness holds the run to, when they differ.
  var expectedLimits: [String: Int]?
  /// Also acts at checkpoints inside a turn, not only between jobs.
  var actsAtCheckpoints = false
  #if DEBUG
    var sabotage = GraphSabotage()
  #endif
}

/// Runs a scenario in every order, or in as many as the limit allows.
struct GraphExplorer {
  /// What an exploration found.
  struct Result: CustomStringConvertible {
    var exploration: Exploration
    var faults: [String]
    /// The endings of the run that were seen.
    var states: Set<RunState>

    var description: String { exploration.description }
  }

  static func explore(_ scenario: Scenario, _ name: String, limit: Int) async throws -> Result {
    let states = Mutex<Set<RunState>>([])
    let faults = Mutex<[String]>([])
    var limits = Explorer.Limits()
    (limits.runCount, limits.randomCount) = (limit, 0)
    limits.preemptionCount = 0
    let exploration = try await Explorer(limits).explore(name) { world in
      world.always(RuleSet([]))
      let run = ExploredRun(scenario, world)
      try run.begin()
      world.atEnd { _ in
        let (state, found) = run.end()
        states.withLock { _ = $0.insert(state) }
        world.tell(state.rawValue)
        guard !found.isEmpty else { return }
        faults.withLock { $0 = found }
        throw Broken()
      }
    }
    return Result(
      exploration: exploration, faults: faults.withLock { $0 }, states: states.withLock { $0 })
  }
}

/// One run of a scenario.
private final class ExploredRun: Sendable {
  let scenario: Scenario
  let witness: Witness
  let world: World
  let clock = TestClock()
  private let box = Mutex<GraphRun?>(nil)

  init(_ scenario: Scenario, _ world: World) {
    self.scenario = scenario
    self.world = world
    witness = Witness(scenario)
  }

  /// Starts the engine; what comes from outside may happen at every point.
  func begin() throws {
    let engine = GraphEngine(try makeGraph().storage, options())
    #if DEBUG
      let sabotage = scenario.sabotage
      engine.state.withLock { $0.sabotage = sabotage }
    #endif
    let run = GraphRun(engine: engine)
    box.withLock { $0 = run }
    world.spawnThread("outside") { [scenario, world] in
      for (place, action) in scenario.actions.enumerated() {
        // The first may come at every point already because its thread may start there.
        if place > 0 { world.probe.reach(Checkpoint("\(action)")) }
        self.act(action, run)
      }
    }
    world.whenIdle { [clock] in
      // Nothing else can go on: time passes.
      !run.snapshot().isOver && clock.wakeNext()
    }
    world.afterEachStep { [witness] in witness.look(run.snapshot()) }
    engine.start(resuming: nil)
  }

  /// Judges the end.
  func end() -> (RunState, [String]) {
    guard let run = box.withLock({ $0.take() }) else { preconditionFailure("it has not begun") }
    if !run.snapshot().isOver {
      witness.fault("liveness: nothing is left to do, and the run has not ended")
    } else {
      witness.judge(run.engine.report(), run.snapshot())
      if run.cancel() == .accepted { witness.fault("CAN-2: accepted after the end") }
    }
    return (run.snapshot().state, witness.faults)
  }

  private func act(_ action: Scenario.Action, _ run: GraphRun) {
    if run.snapshot().isOver { return }
    switch action {
    case .cancel: witness.answer(run.cancel())
    case .pause: run.pause()
    case .resume: run.resume()
    case .shutDown: run.shutDown()
    case .time: _ = clock.wakeNext()
    }
  }

  private func options() -> GraphOptions {
    var options = GraphOptions(workers: scenario.workers)
    options.executor = world.executor("engine")
    options.clock = RunClock(clock)
    options.random = SeededGenerator(seed: 1)
    options.onStepSettled = { [witness] in witness.settle($0) }
    options.onSettled = { [witness] _ in witness.settleRun() }
    if scenario.actsAtCheckpoints { options.probe = world.probe }
    return options
  }

  private func makeGraph() throws -> Graph {
    var builder = GraphBuilder(limits: scenario.limits)
    var ids: [String: StepID] = [:]
    for plan in scenario.steps {
      let options = StepOptions(
        weight: 3, retry: plan.retry, timeout: plan.timeout, resources: plan.resources)
      ids[plan.name] = builder.add(
        plan.name, options: options, after: plan.needs.compactMap { ids[$0] }
      ) { [witness] context in
        witness.enter(plan.name)
        defer { witness.leave(plan.name) }
        for _ in 0..<plan.points { await Task.yield() }
        if context.attempt <= plan.failures { throw Broken() }
        // Commits by itself; for the others, their return is the commit.
        guard plan.commits else { return }
        try await context.commit {
          witness.commit(plan.name)
          await Task.yield()
        }
      }
    }
    return try builder.build()
  }
}
