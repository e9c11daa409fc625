import SettleTestSupport
import Testing

@testable import SettleCore

/// Drives the machine through every order of events for small runs and checks what must always hold.
private struct Explorer {
  var visited = 0
  let links: StepLinks
  let needs: [(step: Int, dependency: Int)]
  /// Events beyond those of a plain run.
  var extras: [RunEvent] = []
  var canDelay = false
  var demands = StepDemands()
  var permits = Int.max

  init(stepCount: Int, needs: [(step: Int, dependency: Int)] = []) {
    links = StepLinks(stepCount: stepCount, needs: needs)
    self.needs = needs
  }

  /// Explores from the start and says how many states it has seen.
  mutating func exploreAll(depth: Int) -> Int {
    explore(
      Path(machine: RunMachine(links, permits: permits, demands: demands)), depth: depth)
    return visited
  }

  /// What an outside observer knows after a sequence of events.
  struct Path {
    var machine: RunMachine
    var claims: [Int: StepClaim] = [:]
    var old: StepClaim?
    var ends: [Int: StepEnd] = [:]
    var committing: Set<Int> = []
    var begun: [Int: Int] = [:]
    var runEnds: [RunState] = []
    var answers: [CancelAnswer] = []
    var retries = 0
    var delayed: Set<Int> = []
    var isPaused = false
    var isExpired = false
    var isShutDown = false
    var handBacks = 0
    var history: [RunEvent] = []
  }

  /// Every event that somebody might send now, sensible or not.
  func events(_ path: Path) -> [RunEvent] {
    var events: [RunEvent] = [.start, .cancel, .claimNext] + extras
    for step in 0..<links.stepCount {
      events.append(.claim(step))
      guard let claim = path.claims[step] else { continue }
      events += [.commitAsked(claim), .failed(claim, retries: false), .nothingToDo(claim)]
      events += [.returned(claim), .published(claim), .publishFailed(claim)]
      if path.retries == 0 { events += [.failed(claim, retries: true), .handedBack(claim)] }
      if canDelay { events += path.retries == 0 ? [.failedForNow(claim)] : [.due(claim)] }
    }
    if let old = path.old { events += [.commitAsked(old), .published(old)] }
    return events
  }

  mutating func explore(_ path: Path, depth: Int) {
    visited += 1
    if depth == 0 { return }
    for event in events(path) {
      var next = path
      let effects = next.machine.apply(event)
      next.history.append(event)
      let isSilent: Bool
      switch event {
      case .pause, .resume, .expire, .shutDown, .due: isSilent = false
      default: isSilent = effects.isEmpty && next.machine.state == path.machine.state
      }
      if effects == [.rejected] || isSilent {
        checkUnchanged(path, next)
        continue
      }
      note(&next, event, effects)
      check(next)
      // Asking again changes nothing that could be explored.
      if case .cancel = event, path.answers.count > 1 { continue }
      explore(next, depth: depth - 1)
    }
  }

  private func noteEvent(_ path: inout Path, _ event: RunEvent) {
    switch event {
    case .pause: path.isPaused = true
    case .resume: path.isPaused = false
    case .expire: path.isExpired = true
    case .shutDown: path.isShutDown = true
    case .failedForNow(let claim): path.delayed.insert(claim.step)
    case .due(let claim): path.delayed.remove(claim.step)
    default: break
    }
  }

  private func note(_ path: inout Path, _ event: RunEvent, _ effects: [RunEffect]) {
    let (wasPaused, wasExpired, wasShutDown) = (path.isPaused, path.isExpired, path.isShutDown)
    noteEvent(&path, event)
    for effect in effects {
      switch effect {
      case .began(let claim):
        #expect(path.runEnds.isEmpty, "a step began after the end: \(path.history)")
        path.old = path.claims[claim.step] ?? path.old
        path.claims[claim.step] = claim
        path.begun[claim.step, default: 0] += 1
        #expect(!wasPaused && !wasExpired && !wasShutDown, "began while none may: \(path.history)")
        #expect(!path.delayed.contains(claim.step), "RUN-9, began too early: \(path.history)")
        for need in needs where need.step == claim.step {
          let end = path.ends[need.dependency]
          #expect(end == .succeeded || end == .skippedBenignly, "RUN-3: \(path.history)")
        }
        #expect(!path.answers.contains(.accepted), "CAN-3: \(path.history)")
      case .publish(let claim):
        #expect(!path.answers.contains(.accepted), "commit after an accepted cancel")
        path.committing.insert(claim.step)
      case .stepSettled(let step, let end):
        #expect(path.ends[step] == nil, "RUN-7, a step ended twice: \(path.history)")
        path.ends[step] = end
        path.delayed.remove(step)
        path.committing.remove(step)
      case .runSettled(let state): path.runEnds.append(state)
      case .answered(let answer):
        path.answers.append(answer)
      case .waitsAgain: path.retries += 1
      case .runHandedBack: path.handBacks += 1
      case .discard, .rejected: break
      }
    }
  }

  private func check(_ path: Path) {
    let history = path.history
    #expect(path.runEnds.count <= 1, "RUN-7: \(history)")
    #expect(path.machine.counts.settled == path.ends.count, "\(history)")
    for (step, end) in path.ends {
      #expect(path.machine.state(of: step).rawValue >= StepState.succeeded.rawValue)
      if case .skipped(let root) = end {
        #expect(path.begun[step] == nil, "RUN-3: a skipped body ran: \(history)")
        #expect(path.ends[root] == .failed, "the root cause failed: \(history)")
      }
      if end == .outOfTime {
        #expect(path.begun[step, default: 0] <= path.retries && path.isExpired, "\(history)")
      }
      if end == .cancelled { #expect(path.answers.contains(.accepted), "\(history)") }
    }
    let isEverythingEnded = path.ends.count == links.stepCount
    #expect(path.runEnds.isEmpty || isEverythingEnded, "RUN-4: \(history)")
    if let end = path.runEnds.first { checkEnd(path, end) }
    checkPermits(path)
    checkHandBack(path)
    checkNobodyIsForgotten(path)
    if isEverythingEnded, path.history.contains(.start) {
      #expect(!path.runEnds.isEmpty, "a run without an end: \(history)")
    }
  }

  private func checkEnd(_ path: Path, _ end: RunState) {
    let ends = path.ends.values
    let isWell = ends.allSatisfy { $0 == .succeeded || $0 == .skippedBenignly }
    let hasCancelled = ends.contains(.cancelled)
    #expect(path.machine.state == end)
    if path.isExpired, !path.answers.contains(.accepted) {
      #expect(end == .failed || isWell, "RUN-9, out of time: \(path.history)")
    }
    if path.answers.contains(.accepted) {
      // CAN-2: an accepted cancellation always shows, and nothing ends well because of it.
      #expect(end == .cancelled, "\(path.history)")
    } else {
      #expect(end == (isWell ? .succeeded : hasCancelled ? .cancelled : .failed))
    }
  }

  private func isBusy(_ step: Int, _ path: Path) -> Bool {
    [.running, .committing].contains(path.machine.state(of: step))
  }

  /// Permits are conserved under every ending: what is taken and what is free is the limit.
  private func checkPermits(_ path: Path) {
    let busy = (0..<links.stepCount).filter { isBusy($0, path) }
    #expect(path.machine.busyCount == busy.count && busy.count <= permits, "\(path.history)")
    for (resource, limit) in demands.limits.enumerated() {
      let taken = busy.count { demands.resources(of: $0).contains(Int32(resource)) }
      #expect(path.machine.freePermits[resource] == limit - Int32(taken), "\(path.history)")
      #expect(path.machine.freePermits[resource] >= 0, "\(path.history)")
    }
  }

  /// RUN-13: given back once, only when nothing works, with steps left to do.
  private func checkHandBack(_ path: Path) {
    #expect(path.handBacks <= 1 && path.handBacks + path.runEnds.count <= 1, "\(path.history)")
    let isIdle = path.machine.busyCount == 0
    if path.handBacks == 1 {
      #expect(isIdle && path.isShutDown && path.ends.count < links.stepCount, "\(path.history)")
    } else if path.isShutDown, isIdle {
      #expect(path.runEnds.count == 1, "shut down and never given back: \(path.history)")
    }
  }

  /// A step that may run is found by the next claim, whatever was parked, paused or delayed.
  private func checkNobodyIsForgotten(_ path: Path) {
    guard path.machine.state == .running, !path.isPaused, !path.isExpired, !path.isShutDown,
      path.machine.busyCount < permits
    else { return }
    let mayRun = (0..<links.stepCount).contains { step in
      path.machine.state(of: step) == .waiting && !path.delayed.contains(step)
        && needs.allSatisfy {
          $0.step != step || [.succeeded, .skippedBenignly].contains(path.ends[$0.dependency])
        }
        && demands.resources(of: step).allSatisfy { path.machine.freePermits[Int($0)] > 0 }
    }
    var copy = path.machine
    let found = copy.apply(.claimNext)
    #expect(mayRun == !found.isEmpty, "a step was forgotten: \(path.history)")
  }

  /// Terminal states absorb; what the table does not allow changes nothing (RUN-2).
  private func checkUnchanged(_ before: Path, _ after: Path) {
    #expect(after.machine.state == before.machine.state)
    #expect(after.machine.counts == before.machine.counts)
    for step in 0..<links.stepCount {
      #expect(after.machine.state(of: step) == before.machine.state(of: step))
    }
  }
}

@Suite struct RunMachineTests {
  // RUN-1, RUN-2, RUN-4, RUN-7, RUN-10, CAN-2, CAN-3, CAN-4, CAN-6, CAN-7
  @Test func everyOrderOfEventsOfTwoIndependentStepsKeepsTheTable() {
    var explorer = Explorer(stepCount: 2)
    explorer.explore(.init(machine: RunMachine(explorer.links)), depth: 7)
    #expect(explorer.visited > 5_000)
  }

  // RUN-1, RUN-2, RUN-7: with a failing or cancelled step in front of two others.
  @Test func everyOrderOfEventsOfAForkKeepsTheTable() {
    var explorer = Explorer(stepCount: 3, needs: [(1, 0), (2, 0)])
    explorer.explore(.init(machine: RunMachine(explorer.links)), depth: 9)
    #expect(explorer.visited > 10_000)
  }

  // RUN-2: a join waits for both, and is skipped once when both fail.
  @Test func everyOrderOfEventsOfAJoinKeepsTheTable() {
    var explorer = Explorer(stepCount: 3, needs: [(2, 0), (2, 1)])
    explorer.permits = 1
    #expect(explorer.exploreAll(depth: 10) > 10_000)
  }

  // RUN-2, RUN-9, CAN-3, CAN-4: delays of retries, and pauses, against everything else.
  @Test func everyOrderOfEventsWithDelaysAndPausesKeepsTheTable() {
    var explorer = Explorer(stepCount: 2, needs: [(1, 0)])
    explorer.canDelay = true
    explorer.extras = [.pause, .resume]
    #expect(explorer.exploreAll(depth: 8) > 10_000)
  }

  // RUN-2, RUN-9: the end of the run's time against everything else.
  @Test func everyOrderOfEventsWithADeadlineKeepsTheTable() {
    var explorer = Explorer(stepCount: 3, needs: [(2, 0)])
    explorer.canDelay = true
    explorer.extras = [.expire]
    #expect(explorer.exploreAll(depth: 7) > 10_000)
  }

  // RUN-2, RUN-13: a shutdown against everything else.
  @Test func everyOrderOfEventsWithAShutdownKeepsTheTable() {
    var explorer = Explorer(stepCount: 2, needs: [(1, 0)])
    explorer.canDelay = true
    explorer.extras = [.shutDown, .expire, .pause]
    #expect(explorer.exploreAll(depth: 8) > 10_000)
  }

  // RUN-2, RUN-7: permits of resources under every ending, and nobody is forgotten.
  @Test func everyOrderOfEventsWithResourcesKeepsThePermits() {
    var explorer = Explorer(stepCount: 4, needs: [(3, 0)])
    explorer.demands.limits = [1, 1]
    explorer.demands.sets = [[], [0], [0, 1], [1]]
    explorer.demands.setOfStep = [1, 2, 3, 2]
    explorer.demands.laneCount = 2
    explorer.demands.lanes = [1, 0, 1, 0]
    explorer.canDelay = true
    explorer.permits = 2
    #expect(explorer.exploreAll(depth: 7) > 10_000)
  }

  private func running(_ machine: inout RunMachine, _ step: Int) -> StepClaim {
    for case .began(let claim) in machine.apply(.claim(step)) { return claim }
    Issue.record("step \(step) could not be claimed")
    return StepClaim(step: step, fence: 0)
  }

  // RUN-8
  @Test func aRunWithoutStepsSucceedsAtOnce() {
    var machine = RunMachine(StepLinks(independent: 0))
    #expect(machine.apply(.start) == [.runSettled(.succeeded)])
  }

  // CAN-2, CAN-6
  @Test func cancellingWhileEverythingCommitsIsTooLate() {
    var machine = RunMachine(StepLinks(independent: 1))
    _ = machine.apply(.start)
    let claim = running(&machine, 0)
    #expect(machine.apply(.commitAsked(claim)) == [.publish(claim)])
    #expect(machine.apply(.cancel) == [.answered(.tooLate)])
    #expect(
      machine.apply(.published(claim)) == [.stepSettled(0, .succeeded), .runSettled(.succeeded)])
    #expect(machine.apply(.cancel) == [.answered(.tooLate)])
  }

  // CAN-5, CAN-7
  @Test func cancellingRightBeforeCommitPublishesNothing() {
    var machine = RunMachine(StepLinks(independent: 1))
    _ = machine.apply(.start)
    let claim = running(&machine, 0)
    #expect(machine.apply(.cancel) == [.answered(.accepted)])
    #expect(machine.state == .cancelling)
    #expect(
      machine.apply(.commitAsked(claim)) == [
        .discard(claim), .stepSettled(0, .cancelled), .runSettled(.cancelled),
      ])
  }

  // RUN-10
  @Test func anOlderAttemptIsRefusedAndCounted() {
    var machine = RunMachine(StepLinks(independent: 1))
    _ = machine.apply(.start)
    let old = running(&machine, 0)
    #expect(machine.apply(.failed(old, retries: true)) == [.waitsAgain(step: 0)])
    let new = running(&machine, 0)
    #expect(new.fence != old.fence)
    #expect(machine.apply(.commitAsked(old)) == [.rejected])
    #expect(machine.rejectedEvents == 1)
    #expect(machine.apply(.commitAsked(new)) == [.publish(new)])
  }

  // CAN-2: tens of thousands of waiting steps are cancelled by one call, each exactly once.
  @Test func cancellingSettlesEveryWaitingStepOnce() {
    var machine = RunMachine(StepLinks(independent: 20_000))
    _ = machine.apply(.start)
    let effects = machine.apply(.cancel)
    #expect(effects.count == 20_002)
    #expect(effects.last == .runSettled(.cancelled))
    #expect(machine.counts.cancelled == 20_000)
  }
}
