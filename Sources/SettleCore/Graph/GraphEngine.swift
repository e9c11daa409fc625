import Synchronization

/// Carries out one run of a graph: a fixed number of workers, each in a loop of claim, body, end.
///
/// One lock holds everything; a worker takes it once per step. Bodies, observers and tasks are
/// called outside it.
final class GraphEngine: Sendable {
  let graph: GraphStorage
  let options: GraphOptions
  let timer: RunClock.Timer
  let id: RunID
  let state: Mutex<GraphState>
  /// Opens when nothing of the run works any more.
  let ended = SettledSignal()
  /// True when some body may have been told to stop: a hint, so that the usual step asks no lock.
  let hasStops = Atomic(false)
  private let workerCount: Int

  init(_ graph: GraphStorage, _ options: GraphOptions) {
    self.graph = graph
    self.options = options
    timer = options.clock.start()
    var random = options.random
    id = options.id ?? RunID(milliseconds: 0, using: &random)
    workerCount = max(1, min(options.workers, graph.bodies.count))
    let tree = ProgressTree(total: .exactly(graph.totalWeight))
    state = Mutex(GraphState(graph, options, tree, workers: workerCount))
  }

  /// Lets the workers begin.
  func start(resuming earlier: GraphReport?) {
    transition { state, now in
      state.apply(.start, at: now)
      if earlier != nil || !options.finished.isEmpty {
        state.adopt(earlier, options.finished, at: now)
      }
      // After what was done before has ended: no worker is there yet that could begin a step.
      if options.startsPaused, !state.isOver { state.apply(.pause, at: now) }
    }
    for worker in 0..<workerCount {
      let task = spawn { await self.work(worker) }
      let isStopped = state.withLock { state in
        state.slots[worker].task = task
        return state.slots[worker].stop != nil
      }
      if isStopped { task.cancel() }
    }
    guard let deadline = options.deadline else { return }
    keep(nil) {
      try await self.timer.sleep(deadline)
      self.transition { $0.expire(at: $1) }
    }
  }

  // MARK: Workers

  private nonisolated(nonsending) func work(_ worker: Int) async {
    let bodies = graph.bodies
    let isPlain = options.probe == nil && graph.hasNoTimeouts
    var end = BodyEnd.returned
    while true {
      let now = options.recordsTimes ? timer.now() : .zero
      let (claim, isOver, chores) = state.withLock { state in
        (state.turn(worker, end, at: now), state.isOver, state.takeChores())
      }
      if let chores { perform(chores) }
      end = .returned
      guard let claim else {
        if isOver { return }
        await waitForWork()
        continue
      }
      // Stopped between its claim and this line: the body is not entered.
      guard isPlain, !hasStops.load(ordering: .relaxed) else {
        end = await run(claim, worker)
        continue
      }
      do {
        try await bodies[claim.step].call(StepContext(engine: self, claim: claim, worker: worker))
      } catch {
        end = .threw(error)
      }
    }
  }

  /// Runs a body with all that a body may have about it.
  private func run(_ claim: StepClaim, _ worker: Int) async -> BodyEnd {
    if let probe = options.probe { probe.reach(Checkpoint("graph.beforeBody", item: claim.step)) }
    if hasStops.load(ordering: .relaxed), isStopped(claim, worker) {
      return .threw(CancellationError())
    }
    let context = StepContext(engine: self, claim: claim, worker: worker)
    if !graph.hasNoTimeouts, let timeout = graph.options(of: claim.step).timeout {
      return await run(context, within: timeout)
    }
    return await enter(context)
  }

  private func enter(_ context: StepContext) async -> BodyEnd {
    do {
      try await graph.bodies[context.claim.step].call(context)
      if let probe = options.probe {
        probe.reach(Checkpoint("graph.afterBody", item: context.claim.step))
      }
      return .returned
    } catch {
      return .threw(error)
    }
  }

  /// Runs a body in a task of its own, so that its time limit stops it alone.
  private func run(_ context: StepContext, within timeout: Duration) async -> BodyEnd {
    let (claim, worker) = (context.claim, context.worker)
    let limit = timer.now() + timeout
    let body = Task(executorPreference: options.executor) { await self.enter(context) }
    let isStopped = state.withLock { state in
      state.slots[worker].makeExtras().body = body
      return state.slots[worker].stop != nil
    }
    if isStopped { body.cancel() }
    keep(claim) {
      try await self.timer.sleep(limit)
      self.transition { state, _ in state.timeOut(claim, worker) }
    }
    return await body.value
  }

  private func waitForWork() async {
    await withUnsafeContinuation { continuation in
      let mayGo = state.withLock { state in
        if state.isOver || state.machine.mayClaim { return true }
        state.idle.append(continuation)
        return false
      }
      if mayGo { continuation.resume() }
    }
  }

  // MARK: Transitions

  /// Makes one transition under the lock and then does what it left to do.
  @discardableResult
  func transition<Result: Sendable>(
    _ change: (inout GraphState, Duration) -> Result
  ) -> Result {
    let now = timer.now()
    let (result, chores) = state.withLock { state in
      (change(&state, now), state.takeChores())
    }
    if let chores { perform(chores) }
    return result
  }

  private func perform(_ chores: Chores) {
    if !chores.stops.isEmpty { hasStops.store(true, ordering: .relaxed) }
    for target in chores.stops { target.cancel() }
    for timer in chores.timers { timer.cancel() }
    for (claim, delay) in chores.delays {
      let until = timer.now() + delay
      keep(claim) {
        try await self.timer.sleep(until)
        self.transition { $0.makeDue(claim, at: $1) }
      }
    }
    for continuation in chores.wakes { continuation.resume() }
    if !chores.reports.isEmpty { deliver(chores.reports) }
    if chores.isEnd { end() }
  }

  private func deliver(_ reports: [StepReport]) {
    for report in reports { options.onStepSettled?(report) }
    let isEnd = state.withLock { state in
      state.openReports -= reports.count
      return state.isOver && state.openReports == 0
    }
    if isEnd { end() }
  }

  private func end() {
    let now = timer.now()
    state.withLock { $0.duration = now }
    if let onSettled = options.onSettled { onSettled(report()) }
    ended.open()
  }

  /// Starts a task that sleeps for an attempt or the run, and keeps it while it is needed.
  private func keep(_ claim: StepClaim?, _ body: @escaping @Sendable () async throws -> Void) {
    let gate = SettledSignal()
    let task = spawn {
      await gate.wait()
      // Only a cancelled sleep throws, and then nobody needs it any more.
      try? await body()
    }
    let isNeeded = state.withLock { state in
      let isNeeded = state.wantsTimer(claim)
      if isNeeded { state.timers[claim?.fence ?? 0] = task }
      return isNeeded
    }
    if isNeeded { gate.open() } else { task.cancel() }
  }

  private func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let executor = options.executor else { return Task { await body() } }
    return Task(executorPreference: executor) { await body() }
  }
}
