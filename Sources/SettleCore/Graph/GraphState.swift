/// Why the body of a step is to stop. The first cause stays, but a cancellation wins over it.
enum StopCause: Sendable {
  case cancelled, timedOut, outOfTime, shutDown
}

/// How a body returned.
enum BodyEnd: Sendable {
  case returned
  case threw(any Error)
}

/// What one worker is doing.
struct WorkerSlot {
  /// What became of an explicit commit.
  enum Commit {
    case none, publishing, published
    case failed(any Error)
  }

  /// What few steps have; in an object, so that the others clear one word.
  final class Extras {
    var commit = Commit.none
    /// The task of the body, when it is not the worker's own.
    var body: Task<BodyEnd, Never>?
    var output: (any Sendable)?
  }

  /// The step whose body is in this worker's hands.
  var claim: StepClaim?
  var stop: StopCause?
  var extras: Extras?
  /// The worker's own task.
  var task: Task<Void, Never>?

  /// True from the explicit commit on.
  var isPublishing: Bool {
    guard let extras, case .none = extras.commit else { return extras != nil }
    return false
  }

  /// The extras, made when they are needed.
  mutating func makeExtras() -> Extras {
    let made = extras ?? Extras()
    extras = made
    return made
  }
}

/// A task to cancel: a worker's, or that of a body with a time limit.
enum StopTarget: Sendable {
  case worker(Task<Void, Never>)
  case body(Task<BodyEnd, Never>)

  func cancel() {
    switch self {
    case .worker(let task): task.cancel()
    case .body(let task): task.cancel()
    }
  }
}

/// What is left to do outside the lock after a transition.
struct Chores {
  var wakes: [UnsafeContinuation<Void, Never>] = []
  var stops: [StopTarget] = []
  var timers: [Task<Void, Never>] = []
  var delays: [(claim: StepClaim, delay: Duration)] = []
  var reports: [StepReport] = []
  var isEnd = false
}

#if DEBUG
  /// Ways to break an engine; none of them is in a release build.
  struct GraphSabotage: Sendable {
    /// Falsifies what the machine says.
    var effects: (@Sendable (RunEvent, [RunEffect]) -> [RunEffect])?
    /// Lets a body commit that was told to stop.
    var ignoresStops = false
    /// Answers every cancellation with accepted.
    var alwaysAccepts = false
    /// Wakes no worker.
    var losesWakes = false
  }
#endif

/// The inner progress of one step.
struct InnerProgress {
  var work: WorkProgress
  var fence: UInt32
}

/// All that changes in a run of a graph: a value in the one lock of its engine.
///
/// Each function is one transition: it asks the machine, notes what the machine decided, and leaves
/// in `chores` what has to be done outside the lock. Nothing else writes state.
struct GraphState {
  let graph: GraphStorage
  let tree: ProgressTree
  var machine: RunMachine
  var records: StepRecords
  var slots: [WorkerSlot]
  var idle: [UnsafeContinuation<Void, Never>] = []
  /// Progress of settled steps that reported none of their own.
  var units = SettledUnits()
  var inner: [Int32: InnerProgress] = [:]
  var outputs: [Int32: any Sendable] = [:]
  var outputReaders: [Int32: Int] = [:]
  var timers: [UInt32: Task<Void, Never>] = [:]
  var random: any RandomNumberGenerator & Sendable
  var isOver = false
  /// How long the run took; set when it has ended.
  var duration = Duration.zero
  let wantsReports: Bool
  /// Calls to observers that have not returned yet.
  var openReports = 0
  #if DEBUG
    /// Breaks the engine on purpose, so that tests can show that they would notice.
    var sabotage = GraphSabotage()
  #endif

  /// What the last transition left to do.
  var chores: Chores?
  private var effects = RunEffects()

  init(_ graph: GraphStorage, _ options: GraphOptions, _ tree: ProgressTree, workers: Int) {
    self.graph = graph
    self.tree = tree
    machine = RunMachine(
      graph.links, permits: max(1, min(options.limit, workers)), demands: graph.demands)
    records = StepRecords(stepCount: graph.bodies.count, recordsTimes: options.recordsTimes)
    slots = Array(repeating: WorkerSlot(), count: workers)
    random = options.random
    wantsReports = options.onStepSettled != nil
    for inputs in graph.inputs {
      for input in inputs { outputReaders[input, default: 0] += 1 }
    }
  }

  // MARK: The machine

  /// Applies an event and notes what the machine decided; returns a claim that began.
  @discardableResult
  mutating func apply(_ event: RunEvent, at now: Duration) -> StepClaim? {
    ask(event)
    return noteEffects(at: now)
  }

  /// Applies an event; what the machine decided is still to be noted.
  private mutating func ask(_ event: RunEvent) {
    #if DEBUG
      let start = effects.count
    #endif
    machine.apply(event, &effects)
    #if DEBUG
      guard let falsify = sabotage.effects else { return }
      let said = Array(effects.all[start...])
      effects.cut(from: start)
      for effect in falsify(event, said) { effects.append(effect) }
    #endif
  }

  /// Notes what the machine decided since the last time; returns a claim that began.
  private mutating func noteEffects(at now: Duration) -> StepClaim? {
    var begun: StepClaim?
    for place in 0..<effects.count {
      switch effects[place] {
      case .began(let claim): begun = claim
      case .stepSettled(let step, let end): settle(step, end, at: now)
      case .runSettled, .runHandedBack: finish()
      case .publish, .discard, .waitsAgain, .answered, .rejected: break
      }
    }
    effects.clear()
    return begun
  }

  private mutating func settle(_ step: Int, _ end: StepEnd, at now: Duration) {
    records.end(step, end, at: now)
    if inner.isEmpty || !settleInner(step, end) {
      units.add(graph.weight(of: step), end)
    }
    if !graph.inputs.isEmpty { releaseOutputs(of: step) }
    if wantsReports { addReport(on: step) }
  }

  private mutating func settleInner(_ step: Int, _ end: StepEnd) -> Bool {
    guard let work = inner.removeValue(forKey: Int32(step))?.work else { return false }
    switch end {
    case .succeeded: work.settle(.succeeded)
    case .skippedBenignly: work.settle(.skipped(.unchanged))
    case .cancelled: work.settle(.cancelled)
    case .outOfTime: work.settle(.skipped(.outOfTime))
    case .skipped(let root): work.settle(.skipped(.dependencyFailed(root: graph.names[root])))
    case .failed:
      work.settle(
        .failed(
          StepFailure.asSettleError(records.errors[Int32(step)], step: graph.names[step])))
    }
    return true
  }

  private mutating func releaseOutputs(of step: Int) {
    for input in graph.inputs[step] {
      outputReaders[input, default: 1] -= 1
      if outputReaders[input] == 0 { outputs[input] = nil }
    }
  }

  private mutating func addReport(on step: Int) {
    openReports += 1
    chores.filled.reports.append(records.report(on: step, machine.state(of: step), graph.names))
  }

  private mutating func finish() {
    isOver = true
    if machine.state.isSettled {
      tree.core.nodes.withLock { $0.settle(units) }
      units = SettledUnits()
      tree.root.settle(runOutcome)
    }
    chores.filled.wakes += idle
    idle = []
    chores.filled.timers += timers.values
    timers = [:]
    if openReports == 0 { chores.filled.isEnd = true }
  }

  private var runOutcome: Outcome {
    switch machine.state {
    case .succeeded: .succeeded
    case .cancelled: .cancelled
    case .failed, .waiting, .running, .cancelling: .failed(SettleError(.dependencyFailed))
    }
  }

  // MARK: A worker's turn

  /// Ends the step in the worker's hands, if any, and claims the next one.
  mutating func turn(_ worker: Int, _ end: BodyEnd, at now: Duration) -> StepClaim? {
    if let claim = slots[worker].claim { close(claim, worker, end, at: now) }
    if machine.mayClaim { ask(.claimNext) }
    guard let claim = noteEffects(at: now) else {
      slots[worker].claim = nil
      return nil
    }
    slots[worker].claim = claim
    records.begin(claim.step, at: now)
    if !idle.isEmpty, machine.mayClaim { chores.filled.wakes.append(idle.removeLast()) }
    return claim
  }

  private mutating func close(
    _ claim: StepClaim, _ worker: Int, _ end: BodyEnd, at now: Duration
  ) {
    if !timers.isEmpty, let timer = timers.removeValue(forKey: claim.fence) {
      chores.filled.timers.append(timer)
    }
    if slots[worker].stop == nil, slots[worker].extras == nil, case .returned = end {
      ask(.returned(claim))
      return
    }
    let slot = slots[worker]
    let extras = slot.extras
    slots[worker] = WorkerSlot(task: slot.task)
    switch extras?.commit ?? .none {
    case .published, .publishing: succeed(claim, extras?.output, at: now)
    case .failed(let error):
      records.errors[Int32(claim.step)] = error
      apply(.publishFailed(claim), at: now)
    case .none: close(claim, end, of: slot, at: now)
    }
  }

  /// Ends a step that did not commit by itself: its return is the commit, unless it was stopped.
  private mutating func close(
    _ claim: StepClaim, _ end: BodyEnd, of slot: WorkerSlot, at now: Duration
  ) {
    switch (slot.stop, end) {
    case (.shutDown, _):
      records.uncharge(claim.step)
      apply(.handedBack(claim), at: now)
    case (.timedOut, _), (.outOfTime, _):
      fail(claim, SettleError(.timeout, subject: Array(graph.names[claim.step].utf8)), at: now)
    case (_, .threw(let error)): fail(claim, error, at: now)
    case (_, .returned):
      apply(.returned(claim), at: now)
      if machine.state(of: claim.step) == .succeeded { keep(slot.extras?.output, of: claim.step) }
    }
  }

  private mutating func succeed(_ claim: StepClaim, _ output: (any Sendable)?, at now: Duration) {
    keep(output, of: claim.step)
    apply(.published(claim), at: now)
  }

  private mutating func keep(_ output: (any Sendable)?, of step: Int) {
    if let output, outputReaders[Int32(step)] != 0 { outputs[Int32(step)] = output }
  }

  private mutating func fail(_ claim: StepClaim, _ error: any Error, at now: Duration) {
    records.errors[Int32(claim.step)] = error
    let policy = graph.options(of: claim.step).retry
    let attempt = Int(records.attempts[claim.step])
    guard policy.allowsRetry(after: error, attempt: attempt) else {
      apply(.failed(claim, retries: false), at: now)
      return
    }
    // 53 random bits make a number from 0 up to 1.
    let chance = Double(random.next() >> 11) / 9_007_199_254_740_992
    let delay = policy.delay(beforeRetry: attempt, chance: chance)
    guard delay > .zero else {
      apply(.failed(claim, retries: true), at: now)
      return
    }
    apply(.failedForNow(claim), at: now)
    if machine.state(of: claim.step) == .waiting, !isOver {
      chores.filled.delays.append((claim, delay))
    }
  }

  /// True while a timer for this claim has something to wait for; nil stands for the whole run.
  func wantsTimer(_ claim: StepClaim?) -> Bool {
    guard let claim else { return !isOver }
    return machine.isDelayed(claim) || slots.contains { $0.claim == claim }
  }

  /// Takes what is left to do.
  mutating func takeChores() -> Chores? {
    if chores == nil { return nil }
    #if DEBUG
      if sabotage.losesWakes, !isOver { chores?.wakes = [] }
    #endif
    defer { chores = nil }
    return chores
  }
}

extension Optional<Chores> {
  /// The chores, made when they are needed.
  var filled: Chores {
    get { self ?? Chores() }
    set { self = newValue }
    _modify {
      if self == nil { self = Chores() }
      // The line above filled it.
      yield &self!
    }
  }
}
