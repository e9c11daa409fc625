/// Every transition of a run and its steps, as one value (RUN-2). Nothing else writes state.
///
/// Its owner keeps it behind a lock, applies an event, leaves the lock and then performs the
/// effects (``RunControl``). What the table does not allow is rejected, counted, and changes
/// nothing. The table, with the function that holds each row:
///
/// | Event | Allowed when | Result | Function |
/// |---|---|---|---|
/// | start | run waiting | run running | `start` |
/// | claim | step waiting, dependencies succeeded, no cancel, permit free | running, new fence | `claim` |
/// | failed | running, fence current, no cancel | waiting again, or failed and descendants skipped | `fail` |
/// | nothing to do | running, fence current, no cancel | skipped | `skip` |
/// | commit asked | running, fence current, no cancel | committing | `commit` |
/// | returned | running, fence current, no cancel | succeeded, nothing had to be published | `succeed` |
/// | any of these four | running, fence current, cancel accepted | cancelled | `endCancelled` |
/// | published, publish failed | committing, fence current | succeeded, failed | `publish` |
/// | failed for now | running, fence current, no cancel | waiting, not before it is due | `fail` |
/// | due | waiting for its time, fence current | may be claimed again | `makeDue` |
/// | handed back | running, fence current, no cancel | waiting, not charged | `handBack` |
/// | cancel | run not settled | waiting steps cancelled, running ones flagged | `cancel` |
/// | pause, resume | run not settled | no claims, claims again | `apply` |
/// | expire | run running, no cancel | waiting steps skipped, running ones will fail | `expire` |
/// | shut down | run not settled | no claims; handed back when no body runs | `shutDown` |
///
/// A run settles when nothing is waiting, running or committing. Fences come from a counter, never
/// from an attempt number. Complexity: constant for each event, plus the steps it settles.
package struct RunMachine: Sendable {
  /// Where the run is.
  package private(set) var state = RunState.waiting
  /// Events that the table did not allow.
  package private(set) var rejectedEvents = 0
  /// Steps by outcome.
  package private(set) var counts = OutcomeCounts()
  /// True once a cancellation was accepted.
  package private(set) var isCancelled = false
  /// True while nothing may be claimed.
  package private(set) var isPaused = false
  /// True once the run's time was over.
  package private(set) var isExpired = false
  /// True once the run was given back with steps that wait (RUN-13).
  package private(set) var isHandedBack = false

  private let links: StepLinks
  private let permitLimit: Int
  private var steps: [StepState]
  private var fences: [UInt32]
  private var missing: [Int32]
  private var delayed: Set<Int32> = []
  private var queue: ReadyQueue
  private var lastFence: UInt32 = 0
  private var waitingCount: Int
  private var runningCount = 0
  private var committingCount = 0
  private var isShuttingDown = false
  private var unwellSkips = 0

  /// A run that has not started. `permits` limits how many steps run or commit at once.
  package init(_ links: StepLinks, permits: Int = .max, demands: StepDemands = StepDemands()) {
    self.links = links
    permitLimit = permits
    steps = Array(repeating: .waiting, count: links.stepCount)
    fences = Array(repeating: 0, count: links.stepCount)
    missing = links.dependencyCounts
    waitingCount = links.stepCount
    queue = ReadyQueue(links, demands)
  }

  /// How many steps there are.
  package var stepCount: Int { steps.count }
  /// Where one step is.
  @inline(__always)
  package func state(of step: Int) -> StepState { steps[step] }
  /// How many steps run or commit.
  package var busyCount: Int { runningCount + committingCount }
  /// Free permits of each resource.
  package var freePermits: [Int32] { queue.freePermits }
  /// True while a step that failed for now, in this claim, waits for its time.
  package func isDelayed(_ claim: StepClaim) -> Bool {
    delayed.contains(Int32(claim.step)) && isCurrent(claim, in: .waiting)
  }
  /// True when `claimNext` may find a step. Inlined, or the caller would copy the whole machine.
  @inline(__always)
  package var mayClaim: Bool { mayBegin && !queue.isEmpty }

  @inline(__always)
  private var mayBegin: Bool {
    state == .running && !isPaused && !isCancelled && !isExpired && !isShuttingDown
      && busyCount < permitLimit
  }

  /// Applies one event and says what its owner has to do, in order.
  package mutating func apply(_ event: RunEvent) -> [RunEffect] {
    var effects = RunEffects()
    apply(event, &effects)
    return effects.all
  }

  /// Applies one event and adds what its owner has to do, in order.
  package mutating func apply(_ event: RunEvent, _ effects: inout RunEffects) {
    switch event {
    case .start: start(&effects)
    case .claimNext: claimNext(&effects)
    case .claim(let step): claim(step, &effects)
    case .failed(let claim, let retries): fail(claim, retries: retries, isDue: true, &effects)
    case .failedForNow(let claim): fail(claim, retries: true, isDue: false, &effects)
    case .due(let claim): makeDue(claim, &effects)
    case .nothingToDo(let claim): skip(claim, &effects)
    case .commitAsked(let claim): commit(claim, &effects)
    case .returned(let claim): succeed(claim, &effects)
    case .published(let claim): publish(claim, succeeded: true, &effects)
    case .publishFailed(let claim): publish(claim, succeeded: false, &effects)
    case .handedBack(let claim): handBack(claim, &effects)
    case .cancel: cancel(&effects)
    case .pause: setPaused(true, &effects)
    case .resume: setPaused(false, &effects)
    case .expire: expire(&effects)
    case .shutDown: shutDown(&effects)
    }
  }

  // MARK: The run

  @inline(__always)
  private var isOver: Bool { state.isSettled || isHandedBack }

  private mutating func start(_ effects: inout RunEffects) {
    guard state == .waiting, !isHandedBack else { return reject(&effects) }
    state = .running
    settleIfDone(&effects)
  }

  private mutating func cancel(_ effects: inout RunEffects) {
    if isCancelled { return effects.append(.answered(.alreadyRequested)) }
    guard !isOver, waitingCount + runningCount > 0 || state == .waiting else {
      return effects.append(.answered(.tooLate))
    }
    isCancelled = true
    state = .cancelling
    effects.append(.answered(.accepted))
    endWaiting(.cancelled, &effects)
    settleIfDone(&effects)
  }

  private mutating func setPaused(_ isPaused: Bool, _ effects: inout RunEffects) {
    guard !isOver, self.isPaused != isPaused else { return reject(&effects) }
    self.isPaused = isPaused
  }

  private mutating func expire(_ effects: inout RunEffects) {
    guard state == .running, !isExpired, !isShuttingDown else { return reject(&effects) }
    isExpired = true
    endWaiting(.outOfTime, &effects)
    settleIfDone(&effects)
  }

  private mutating func shutDown(_ effects: inout RunEffects) {
    guard !isOver, !isShuttingDown else { return reject(&effects) }
    isShuttingDown = true
    settleIfDone(&effects)
  }

  private mutating func endWaiting(_ stepEnd: StepEnd, _ effects: inout RunEffects) {
    effects.reserveCapacity(effects.count + waitingCount + 1)
    for step in steps.indices where steps[step] == .waiting { end(step, stepEnd, &effects) }
  }

  private mutating func settleIfDone(_ effects: inout RunEffects) {
    guard runningCount + committingCount == 0, !isOver else { return }
    if waitingCount > 0 || state == .waiting {
      guard isShuttingDown else { return }
      isHandedBack = true
      state = .waiting
      return effects.append(.runHandedBack)
    }
    if counts.cancelled > 0 || (isCancelled && steps.isEmpty) {
      state = .cancelled
    } else {
      state = counts.failed + unwellSkips > 0 ? .failed : .succeeded
    }
    effects.append(.runSettled(state))
  }

  private mutating func reject(_ effects: inout RunEffects) {
    rejectedEvents += 1
    effects.append(.rejected)
  }

  // MARK: Steps

  private mutating func claimNext(_ effects: inout RunEffects) {
    guard mayBegin else { return }
    while let step = queue.popFirst() {
      guard isReady(step) else {
        queue.drop(step)
        continue
      }
      if queue.takePermits(for: step) { return begin(step, &effects) }
    }
  }

  @inline(__always)
  private func isReady(_ step: Int) -> Bool {
    steps[step] == .waiting && (missing.isEmpty || missing[step] == 0)
      && (delayed.isEmpty || !delayed.contains(Int32(step)))
  }

  private mutating func claim(_ step: Int, _ effects: inout RunEffects) {
    guard steps.indices.contains(step), mayBegin, isReady(step), queue.hasPermits(for: step),
      queue.takePermits(for: step)
    else { return reject(&effects) }
    begin(step, &effects)
  }

  private mutating func begin(_ step: Int, _ effects: inout RunEffects) {
    lastFence += 1
    fences[step] = lastFence
    steps[step] = .running
    waitingCount -= 1
    runningCount += 1
    effects.append(.began(StepClaim(step: step, fence: lastFence)))
  }

  @inline(__always)
  private func isCurrent(_ claim: StepClaim, in expected: StepState) -> Bool {
    steps.indices.contains(claim.step) && steps[claim.step] == expected
      && fences[claim.step] == claim.fence
  }

  private mutating func fail(
    _ claim: StepClaim, retries: Bool, isDue: Bool, _ effects: inout RunEffects
  ) {
    guard isCurrent(claim, in: .running) else { return reject(&effects) }
    if isCancelled { return endCancelled(claim, &effects) }
    guard retries, !isExpired else {
      end(claim.step, .failed, &effects)
      skipDescendants(of: claim.step, &effects)
      return settleIfDone(&effects)
    }
    returnToWaiting(claim.step, isDue: isDue, &effects)
  }

  private mutating func makeDue(_ claim: StepClaim, _ effects: inout RunEffects) {
    guard isCurrent(claim, in: .waiting), delayed.remove(Int32(claim.step)) != nil else {
      return reject(&effects)
    }
    queue.append(claim.step)
  }

  private mutating func skip(_ claim: StepClaim, _ effects: inout RunEffects) {
    guard isCurrent(claim, in: .running) else { return reject(&effects) }
    if isCancelled { return endCancelled(claim, &effects) }
    end(claim.step, .skippedBenignly, &effects)
    release(claim.step)
    settleIfDone(&effects)
  }

  private mutating func commit(_ claim: StepClaim, _ effects: inout RunEffects) {
    guard isCurrent(claim, in: .running) else { return reject(&effects) }
    if isCancelled { return endCancelled(claim, &effects) }
    if isExpired { return fail(claim, retries: false, isDue: true, &effects) }
    steps[claim.step] = .committing
    runningCount -= 1
    committingCount += 1
    effects.append(.publish(claim))
  }

  private mutating func succeed(_ claim: StepClaim, _ effects: inout RunEffects) {
    guard isCurrent(claim, in: .running) else { return reject(&effects) }
    if isCancelled { return endCancelled(claim, &effects) }
    if isExpired { return fail(claim, retries: false, isDue: true, &effects) }
    end(claim.step, .succeeded, &effects)
    release(claim.step)
    settleIfDone(&effects)
  }

  private mutating func publish(
    _ claim: StepClaim, succeeded: Bool, _ effects: inout RunEffects
  ) {
    guard isCurrent(claim, in: .committing) else { return reject(&effects) }
    end(claim.step, succeeded ? .succeeded : .failed, &effects)
    if succeeded {
      release(claim.step)
    } else {
      skipDescendants(of: claim.step, &effects)
    }
    settleIfDone(&effects)
  }

  private mutating func handBack(_ claim: StepClaim, _ effects: inout RunEffects) {
    guard isCurrent(claim, in: .running) else { return reject(&effects) }
    if isCancelled { return endCancelled(claim, &effects) }
    if isExpired { return fail(claim, retries: false, isDue: true, &effects) }
    returnToWaiting(claim.step, isDue: true, &effects)
  }

  private mutating func endCancelled(_ claim: StepClaim, _ effects: inout RunEffects) {
    effects.append(.discard(claim))
    end(claim.step, .cancelled, &effects)
    settleIfDone(&effects)
  }

  private mutating func returnToWaiting(
    _ step: Int, isDue: Bool, _ effects: inout RunEffects
  ) {
    steps[step] = .waiting
    runningCount -= 1
    waitingCount += 1
    queue.returnPermits(of: step)
    if isDue { queue.append(step) } else { delayed.insert(Int32(step)) }
    effects.append(.waitsAgain(step: step))
    settleIfDone(&effects)
  }

  /// Moves a step to a terminal state and says so.
  private mutating func end(_ step: Int, _ end: StepEnd, _ effects: inout RunEffects) {
    switch steps[step] {
    case .waiting:
      waitingCount -= 1
      if !delayed.isEmpty { delayed.remove(Int32(step)) }
    case .running:
      runningCount -= 1
      queue.returnPermits(of: step)
    case .committing:
      committingCount -= 1
      queue.returnPermits(of: step)
    case .succeeded, .failed, .skipped, .cancelled:
      preconditionFailure("terminal states absorb")
    }
    steps[step] = end.state
    counts[end.kind] += 1
    if end.isUnwellSkip { unwellSkips += 1 }
    effects.append(.stepSettled(step, end))
  }

  /// A dependency succeeded, or had nothing to do: its dependents need one step less.
  private mutating func release(_ step: Int) {
    for dependent in links.dependents(of: step) {
      missing[Int(dependent)] -= 1
      if missing[Int(dependent)] == 0 { queue.append(Int(dependent)) }
    }
  }

  /// Skips everything that waits behind a step that did not succeed (RUN-3).
  private mutating func skipDescendants(of root: Int, _ effects: inout RunEffects) {
    var pending = [root]
    while let step = pending.popLast() {
      for dependent in links.dependents(of: step) where steps[Int(dependent)] == .waiting {
        end(Int(dependent), .skipped(root: root), &effects)
        pending.append(Int(dependent))
      }
    }
  }
}
