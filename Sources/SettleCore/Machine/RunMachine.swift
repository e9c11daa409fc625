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
/// | any of these three | running, fence current, cancel accepted | cancelled | `endCancelled` |
/// | published, publish failed | committing, fence current | succeeded, failed | `publish` |
/// | handed back | running, fence current, no cancel | waiting, not charged | `handBack` |
/// | cancel | run not settled | waiting steps cancelled, running ones flagged | `cancel` |
///
/// A run settles when nothing is waiting, running or committing. Fences come from a counter, never
/// from an attempt number. Complexity: constant for each event, plus the steps it settles.
package struct RunMachine: Sendable {
  /// Where the run is.
  package private(set) var state = RunState.waiting
  /// Events that the table did not allow.
  package private(set) var rejectedEvents = 0

  private let links: StepLinks
  private let permitLimit: Int
  private var steps: [StepState]
  private var fences: [UInt32]
  private var missing: [Int32]
  private var queue: ReadyQueue
  private var lastFence: UInt32 = 0
  private var waitingCount: Int
  private var runningCount = 0
  private var committingCount = 0
  private var isCancelRequested = false
  private var ends = OutcomeCounts()
  private var unwellSkips = 0

  /// A run that has not started. `permits` limits how many steps are running at once.
  package init(_ links: StepLinks, permits: Int = .max) {
    self.links = links
    permitLimit = permits
    steps = Array(repeating: .waiting, count: links.stepCount)
    fences = Array(repeating: 0, count: links.stepCount)
    missing = links.dependencyCounts
    waitingCount = links.stepCount
    queue = ReadyQueue(links)
  }

  /// How many steps there are.
  package var stepCount: Int { steps.count }
  /// Steps by outcome.
  package var counts: OutcomeCounts { ends }
  /// True once a cancellation was accepted.
  package var isCancelled: Bool { isCancelRequested }
  /// Where one step is.
  package func state(of step: Int) -> StepState { steps[step] }

  /// Applies one event and says what its owner has to do, in order.
  package mutating func apply(_ event: RunEvent) -> [RunEffect] {
    switch event {
    case .start: start()
    case .claimNext: claimNext()
    case .claim(let step): claim(step)
    case .failed(let claim, let retries): fail(claim, retries: retries)
    case .nothingToDo(let claim): skip(claim)
    case .commitAsked(let claim): commit(claim)
    case .published(let claim): publish(claim, succeeded: true)
    case .publishFailed(let claim): publish(claim, succeeded: false)
    case .handedBack(let claim): handBack(claim)
    case .cancel: cancel()
    }
  }

  // MARK: The run

  private mutating func start() -> [RunEffect] {
    guard state == .waiting else { return reject() }
    state = .running
    return settleIfDone([])
  }

  private mutating func cancel() -> [RunEffect] {
    if isCancelRequested { return [.answered(.alreadyRequested)] }
    guard !state.isSettled, waitingCount + runningCount > 0 || state == .waiting else {
      return [.answered(.tooLate)]
    }
    isCancelRequested = true
    state = .cancelling
    var effects: [RunEffect] = [.answered(.accepted)]
    effects.reserveCapacity(waitingCount + 2)
    for step in steps.indices where steps[step] == .waiting {
      end(step, .cancelled, &effects)
    }
    return settleIfDone(effects)
  }

  private mutating func settleIfDone(_ effects: [RunEffect]) -> [RunEffect] {
    guard !state.isSettled, state != .waiting, waitingCount + runningCount + committingCount == 0
    else { return effects }
    if ends.cancelled > 0 || (isCancelRequested && steps.isEmpty) {
      state = .cancelled
    } else {
      state = ends.failed + unwellSkips > 0 ? .failed : .succeeded
    }
    return effects + [.runSettled(state)]
  }

  private mutating func reject() -> [RunEffect] {
    rejectedEvents += 1
    return [.rejected]
  }

  // MARK: Steps

  private mutating func claimNext() -> [RunEffect] {
    while let step = queue.first {
      if steps[step] != .waiting {
        queue.removeFirst()
        continue
      }
      guard isClaimable(step) else { return [] }
      queue.removeFirst()
      return claim(step)
    }
    return []
  }

  private func isClaimable(_ step: Int) -> Bool {
    state == .running && steps[step] == .waiting && !isCancelRequested
      && (missing.isEmpty || missing[step] == 0) && runningCount < permitLimit
  }

  private mutating func claim(_ step: Int) -> [RunEffect] {
    guard steps.indices.contains(step), isClaimable(step) else { return reject() }
    lastFence += 1
    fences[step] = lastFence
    steps[step] = .running
    waitingCount -= 1
    runningCount += 1
    return [.began(StepClaim(step: step, fence: lastFence))]
  }

  private func isCurrent(_ claim: StepClaim, in expected: StepState) -> Bool {
    steps.indices.contains(claim.step) && steps[claim.step] == expected
      && fences[claim.step] == claim.fence
  }

  private mutating func fail(_ claim: StepClaim, retries: Bool) -> [RunEffect] {
    guard isCurrent(claim, in: .running) else { return reject() }
    if isCancelRequested { return endCancelled(claim) }
    guard retries else {
      var effects: [RunEffect] = []
      end(claim.step, .failed, &effects)
      skipDescendants(of: claim.step, &effects)
      return settleIfDone(effects)
    }
    returnToWaiting(claim.step)
    return [.waitsAgain(step: claim.step)]
  }

  private mutating func skip(_ claim: StepClaim) -> [RunEffect] {
    guard isCurrent(claim, in: .running) else { return reject() }
    if isCancelRequested { return endCancelled(claim) }
    var effects: [RunEffect] = []
    end(claim.step, .skippedBenignly, &effects)
    release(claim.step)
    return settleIfDone(effects)
  }

  private mutating func commit(_ claim: StepClaim) -> [RunEffect] {
    guard isCurrent(claim, in: .running) else { return reject() }
    if isCancelRequested { return endCancelled(claim) }
    steps[claim.step] = .committing
    runningCount -= 1
    committingCount += 1
    return [.publish(claim)]
  }

  private mutating func publish(_ claim: StepClaim, succeeded: Bool) -> [RunEffect] {
    guard isCurrent(claim, in: .committing) else { return reject() }
    var effects: [RunEffect] = []
    end(claim.step, succeeded ? .succeeded : .failed, &effects)
    if succeeded {
      release(claim.step)
    } else {
      skipDescendants(of: claim.step, &effects)
    }
    return settleIfDone(effects)
  }

  private mutating func handBack(_ claim: StepClaim) -> [RunEffect] {
    guard isCurrent(claim, in: .running) else { return reject() }
    if isCancelRequested { return endCancelled(claim) }
    returnToWaiting(claim.step)
    return [.waitsAgain(step: claim.step)]
  }

  private mutating func endCancelled(_ claim: StepClaim) -> [RunEffect] {
    var effects: [RunEffect] = [.discard(claim)]
    end(claim.step, .cancelled, &effects)
    return settleIfDone(effects)
  }

  private mutating func returnToWaiting(_ step: Int) {
    steps[step] = .waiting
    runningCount -= 1
    waitingCount += 1
    queue.append(step)
  }

  /// Moves a step to a terminal state and says so.
  private mutating func end(_ step: Int, _ end: StepEnd, _ effects: inout [RunEffect]) {
    switch steps[step] {
    case .waiting: waitingCount -= 1
    case .running: runningCount -= 1
    case .committing: committingCount -= 1
    case .succeeded, .failed, .skipped, .cancelled:
      preconditionFailure("terminal states absorb")
    }
    steps[step] = end.state
    ends[end.kind] += 1
    if case .skipped = end { unwellSkips += 1 }
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
  private mutating func skipDescendants(of root: Int, _ effects: inout [RunEffect]) {
    var pending = [root]
    while let step = pending.popLast() {
      for dependent in links.dependents(of: step) where steps[Int(dependent)] == .waiting {
        end(Int(dependent), .skipped(root: root), &effects)
        pending.append(Int(dependent))
      }
    }
  }
}

/// Steps whose dependencies have succeeded, in the order in which they became so.
private struct ReadyQueue: Sendable {
  private var steps: [Int32] = []
  private var head = 0

  init(_ links: StepLinks) {
    let counts = links.dependencyCounts
    steps = (0..<Int32(links.stepCount)).filter { counts.isEmpty || counts[Int($0)] == 0 }
  }

  var first: Int? { head < steps.count ? Int(steps[head]) : nil }

  mutating func removeFirst() {
    head += 1
    if head > 4_096, head * 2 > steps.count {
      steps.removeFirst(head)
      head = 0
    }
  }

  mutating func append(_ step: Int) { steps.append(Int32(step)) }
}
