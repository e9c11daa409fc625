import Testing

@testable import SettleCore

/// The real engine under every order of its jobs and of what happens from outside.
@Suite struct GraphExplorationTests {
  private typealias Plan = Scenario.StepPlan

  /// Explores and prints how much was seen; a scenario that ends in fewer ways than expected has
  /// not tested what it is for.
  private func explore(
    _ name: String, _ scenario: Scenario, ends: Set<RunState>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await GraphExplorer.explore(scenario, name, limit: 60_000)
    print("explored \(result)")
    #expect(result.faults.isEmpty, "\(result)", sourceLocation: sourceLocation)
    #expect(result.states == ends, sourceLocation: sourceLocation)
    #expect(result.exploration.isProved, "\(result)", sourceLocation: sourceLocation)
  }

  private let chain = [
    Plan(name: "a"), Plan(name: "b", needs: ["a"], commits: true), Plan(name: "c", needs: ["b"]),
  ]
  private let diamond = [
    Plan(name: "a"), Plan(name: "b", needs: ["a"]), Plan(name: "c", needs: ["a"], commits: true),
    Plan(name: "d", needs: ["b", "c"]),
  ]

  // CAN-3, CAN-4, CAN-5, CAN-6, CAN-7, RUN-3, RUN-7: a chain, cancelled at every point.
  @Test func aChainCancelledAtEveryPoint() async throws {
    try await explore(
      "chain", Scenario(steps: chain, actions: [.cancel], actsAtCheckpoints: true),
      ends: [.succeeded, .cancelled])
  }

  // CAN-7, RUN-3, RUN-4, RUN-7, RUN-11
  @Test func aDiamondCancelledAtEveryPoint() async throws {
    try await explore(
      "diamond", Scenario(steps: diamond, actions: [.cancel]), ends: [.succeeded, .cancelled])
  }

  // RUN-3, RUN-7, CAN-7: one branch fails, the other commits.
  @Test func aFailingBranchCancelledAtEveryPoint() async throws {
    var steps = diamond
    steps[1].failures = 1
    try await explore(
      "failing branch", Scenario(steps: steps, actions: [.cancel]), ends: [.failed, .cancelled])
  }

  // RUN-9, CAN-3, CAN-7: a retry with a delay, cancelled at every point, also in the delay.
  @Test func aRetryCancelledAtEveryPoint() async throws {
    let retry = RetryPolicy(retries: 1, firstDelay: .seconds(1))
    try await explore(
      "retry",
      Scenario(
        steps: [
          Plan(name: "a", failures: 1, retry: retry, commits: true), Plan(name: "b", needs: ["a"]),
        ], actions: [.time, .cancel]), ends: [.succeeded, .cancelled])
  }

  // CAN-3: paused and resumed at every point, and cancelled at every point after it.
  @Test func aPauseAtEveryPoint() async throws {
    try await explore(
      "pause", Scenario(steps: chain, actions: [.pause, .resume]), ends: [.succeeded])
    try await explore(
      "pause and cancel", Scenario(steps: chain, actions: [.pause, .cancel]),
      // A run that is paused and never resumed does not end; the cancellation ends it.
      ends: [.succeeded, .cancelled])
  }

  // RUN-13, CAN-2: shut down at every point, and cancelled after it.
  @Test func aShutdownAtEveryPoint() async throws {
    try await explore(
      "shutdown", Scenario(steps: diamond, actions: [.shutDown]), ends: [.succeeded, .waiting])
    try await explore(
      "shutdown and cancel", Scenario(steps: chain, actions: [.shutDown, .cancel]),
      ends: [.succeeded, .waiting, .cancelled])
  }

  // RUN-9, CAN-7: the time limit of a step at every point, with a second attempt.
  @Test func aTimeLimitAtEveryPoint() async throws {
    try await explore(
      "time limit",
      Scenario(
        steps: [
          Plan(
            name: "a", retry: RetryPolicy(retries: 1), timeout: .seconds(1), commits: true),
          Plan(name: "b", needs: ["a"]),
        ], actions: [.time]), ends: [.succeeded])
  }

  // RUN-7: two resources, three workers, a failure among them; permits come back.
  @Test func resourcesAtEveryPoint() async throws {
    try await explore(
      "resources",
      Scenario(
        steps: [
          Plan(name: "a", resources: ["x"]), Plan(name: "b", failures: 1, resources: ["x", "y"]),
          Plan(name: "c", resources: ["y"]),
        ], actions: [.cancel], workers: 3, limits: ["x": 1, "y": 1]),
      ends: [.failed, .cancelled])
  }
}

#if DEBUG
  /// TST-7's idea for the engine itself: a broken engine must be caught by the same exploration.
  @Suite struct GraphSabotageTests {
    private typealias Plan = Scenario.StepPlan

    private func expectCaught(
      _ fault: String, _ change: (inout Scenario) -> Void,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      var scenario = Scenario(
        steps: [
          Plan(name: "a", commits: true), Plan(name: "b", needs: ["a"]), Plan(name: "c"),
          Plan(name: "d", needs: ["b"]),
        ], actions: [.cancel])
      change(&scenario)
      let result = try await GraphExplorer.explore(scenario, fault, limit: 4_000)
      print("sabotage: \(result.faults) by \(result.exploration.failure?.minimal.steps ?? [])")
      #expect(
        result.faults.contains { $0.hasPrefix(fault) }, "\(result)", sourceLocation: sourceLocation)
      #expect(result.exploration.failure != nil, sourceLocation: sourceLocation)
    }

    // RUN-7
    @Test func aStepThatEndsTwiceIsCaught() async throws {
      try await expectCaught("RUN-7: b ended twice") { scenario in
        scenario.sabotage.effects = { _, effects in
          effects.flatMap { effect -> [RunEffect] in
            if case .stepSettled(1, _) = effect { [effect, effect] } else { [effect] }
          }
        }
      }
    }

    // RUN-7
    @Test func aStepWhoseEndIsLostIsCaught() async throws {
      try await expectCaught("RUN-7: d was not told rightly") { scenario in
        scenario.sabotage.effects = { _, effects in
          effects.filter { if case .stepSettled(3, _) = $0 { false } else { true } }
        }
      }
    }

    // RUN-7
    @Test func aRunWhoseEndIsLostIsCaught() async throws {
      try await expectCaught("liveness") { scenario in
        scenario.sabotage.effects = { _, effects in
          effects.filter { if case .runSettled = $0 { false } else { true } }
        }
      }
    }

    // RUN-4, RUN-7
    @Test func aRunThatEndsTooEarlyIsCaught() async throws {
      try await expectCaught("RUN-") { scenario in
        scenario.sabotage.effects = { _, effects in
          effects.flatMap { effect -> [RunEffect] in
            if case .stepSettled(2, _) = effect {
              [effect, .runSettled(.succeeded)]
            } else {
              [effect]
            }
          }
        }
      }
    }

    // RUN-4: a cancellation that claims to have stopped a body which still works.
    @Test func aCancellationThatStopsTooEarlyIsCaught() async throws {
      try await expectCaught("RUN-4: a ended before its body returned") { scenario in
        scenario.sabotage.effects = { event, effects in
          // The second step still waits and the first one does not: it is running.
          let isRunning =
            effects.contains(.stepSettled(1, .cancelled))
            && !effects.contains(.stepSettled(0, .cancelled))
          return event == .cancel && isRunning
            ? effects + [.stepSettled(0, .cancelled)] : effects
        }
      }
    }

    // RUN-3
    @Test func aStepThatBeginsBeforeItsDependencyIsCaught() async throws {
      try await expectCaught("RUN-3: b began before a succeeded") { scenario in
        scenario.sabotage.effects = { event, effects in
          guard event == .claimNext, case .began(let claim)? = effects.first, claim.step == 2
          else { return effects }
          return [.began(StepClaim(step: 1, fence: claim.fence))]
        }
      }
    }

    // CAN-7: the flag is looked at, but not where the commit is decided.
    @Test func aCommitAfterAnAcceptedCancellationIsCaught() async throws {
      try await expectCaught("CAN-") { $0.sabotage.ignoresStops = true }
    }

    // RUN-9, RUN-10: an attempt whose time is over commits, and so does the next one.
    @Test func aCommitOfAnOldAttemptIsCaught() async throws {
      try await expectCaught("CAN-7: a committed twice") { scenario in
        scenario.steps = [
          Plan(name: "a", retry: RetryPolicy(retries: 1), timeout: .seconds(1), commits: true)
        ]
        scenario.actions = [.time]
        scenario.sabotage.ignoresStops = true
      }
    }

    // CAN-2: an answer that is not true.
    @Test func anUntrueAnswerIsCaught() async throws {
      try await expectCaught("CAN-2") { $0.sabotage.alwaysAccepts = true }
    }

    // Liveness: two workers, and nobody wakes the one that sleeps.
    @Test func aLostWakeUpIsCaught() async throws {
      try await expectCaught("liveness") { scenario in
        scenario.actions = [.pause, .resume]
        scenario.sabotage.losesWakes = true
      }
    }

    // Permits
    @Test func anOverdrawnResourceIsCaught() async throws {
      try await expectCaught("overdrawn: x") { scenario in
        scenario.steps = [
          Plan(name: "a", resources: ["x"]), Plan(name: "b", resources: ["x"]),
        ]
        scenario.limits = ["x": 2]
        scenario.expectedLimits = ["x": 1]
      }
    }
  }
#endif
