import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// The kit's gate; the one of the support target has the same name.
typealias Gate = SettleTestKit.Gate

@Suite(.timeLimit(.minutes(2))) struct GateTests {
  private let kit = TestKit()

  /// Runs work on a thread of its own and tells when it has passed.
  private func work(at gate: Gate, item: Int = -1) throws -> Gate {
    let passed = Gate("passed \(item)", in: kit.parking)
    passed.open()
    try WorkerThread.start {
      do throws(WaitFailure) {
        try gate.passBlocking(item: item)
        try passed.passBlocking(item: item)
      } catch {
        // Recorded in the table, where `finish` finds it.
      }
    }
    return passed
  }

  // TST-1: hold, look, release; the order is that of the test, not that of the machine.
  @Test func workIsHeldUntilItIsReleased() async throws {
    let gate = kit.gate("before-commit")
    let passed = try work(at: gate, item: 3)
    let arrival = try await gate.waitForArrival()
    #expect(arrival == GateArrival(gate: "before-commit", number: 1, generation: 1, item: 3))
    #expect(passed.arrivals == [])
    #expect(kit.parking.waiters.map(\.role).contains(.held))
    #expect(gate.release(arrival))
    try await passed.waitForArrival()
    try await gate.waitForArrival(ofItem: 3)
  }

  // TST-1: latched, so that nothing is lost that comes before somebody waits for it.
  @Test func aReleaseBeforeTheArrivalIsKept() async throws {
    let gate = kit.gate("a")
    gate.release(2)
    for item in 1...2 { try await work(at: gate, item: item).waitForArrival() }
    let third = try work(at: gate, item: 3)
    let arrival = try await gate.waitForArrival(3)
    #expect(arrival.item == 3)
    #expect(third.arrivals == [])
    gate.open()
    try await third.waitForArrival()
    try await work(at: gate, item: 4).waitForArrival()
    gate.close()
    let fifth = try work(at: gate, item: 5)
    try await gate.waitForArrival(5)
    #expect(fifth.arrivals == [])
    gate.release()
    try await fifth.waitForArrival()
  }

  // TST-1: a release that was meant for an older generation does nothing.
  @Test func aReleaseOfAnOlderGenerationIsRefused() async throws {
    let gate = kit.gate("a")
    let first = try work(at: gate, item: 1)
    let old = try await gate.waitForArrival()
    gate.renew()
    try await first.waitForArrival()
    let second = try work(at: gate, item: 2)
    let new = try await gate.waitForArrival()
    #expect(new.generation == 2 && new.number == 1 && new.item == 2)
    #expect(!gate.release(old))
    #expect(second.arrivals == [])
    #expect(gate.release(new))
    try await second.waitForArrival()
  }

  // TST-1: a wait in vain fails and says who waits where.
  @Test func aWaitInVainNamesWhoWaitsWhere() async throws {
    let (held, other) = (kit.gate("before-commit"), kit.gate("never-reached"))
    let passed = try work(at: held, item: 7)
    try await held.waitForArrival()
    let clock = kit.clock("backoff")
    let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
    try await clock.waitForSleepers()
    let failure = await #expect(throws: WaitFailure.self) {
      try await other.waitForArrival(2, within: .milliseconds(20), file: "My.swift", line: 12)
    }
    #expect(
      failure?.description == """
        the test at My.swift:12 waited 0.02 seconds for arrival 2 at gate "never-reached", in vain. \
        Who waits where:
          held at gate "before-commit": item 7, arrival 1 of generation 1
          asleep on backoff: a task, until 5.0 seconds
          waiting for arrival 2 at gate "never-reached": the test at My.swift:12
        """)
    sleeper.cancel()
    held.open()
    try await passed.waitForArrival()
    _ = await sleeper.result
    let end = #expect(throws: KitFailure.self) { try kit.finish() }
    #expect(end?.waits == [failure].compactMap { $0 })
    #expect(end?.parked == [])
  }

  // TST-1: held work does not wait for ever either.
  @Test func heldWorkFailsAtItsLimit() async throws {
    let gate = kit.gate("a")
    let failure = await #expect(throws: WaitFailure.self) {
      try await gate.pass(item: 2, within: .milliseconds(20))
    }
    #expect(failure?.goal == "gate \"a\" to let it go")
    #expect(failure?.who == "item 2, arrival 1 of generation 1")
    #expect(kit.parking.waiters == [])
  }

  // TST-1: the asynchronous wait ends with its task.
  @Test func aCancelledTaskLeavesTheGate() async throws {
    let (gate, kit) = (kit.gate("a"), kit)
    let task = Task { try await gate.pass(item: 1) }
    try await gate.waitForArrival()
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(kit.parking.waiters == [])
    #expect(kit.parking.failures == [])
  }

  // TST-1: who still waits at the end makes the test fail.
  @Test func whoStillWaitsAtTheEndIsTold() async throws {
    let gate = kit.gate("a")
    let passed = try work(at: gate, item: 1)
    try await gate.waitForArrival()
    let failure = #expect(throws: KitFailure.self) { try kit.finish() }
    #expect(failure?.description.contains("held at gate \"a\": item 1") == true)
    gate.open()
    try await passed.waitForArrival()
  }

  // TST-1: blocking one of the few threads that run tasks could stop them all.
  @Test func theBlockingWaitsRefuseATask() async {
    await #expect(processExitsWith: .failure) {
      try Gate("a").passBlocking(within: .milliseconds(1))
    }
    await #expect(processExitsWith: .failure) {
      try Gate("a").waitForArrivalBlocking(within: .milliseconds(1))
    }
  }

  // TST-1
  @Test func theBlockingWaitOfAThreadSeesTheArrival() async throws {
    let gate = kit.gate("a")
    let passed = try work(at: gate, item: 9)
    let item = try await WorkerThread.run { () throws(SettleError) -> Int in
      do throws(WaitFailure) {
        let arrival = try gate.waitForArrivalBlocking()
        gate.release(arrival)
        return arrival.item
      } catch {
        throw SettleError(.unexpected, detail: error.description)
      }
    }
    #expect(item == 9)
    try await passed.waitForArrival()
  }

  // TST-1: code under test is held where there is a gate, and nowhere else.
  @Test func theProbeHoldsOnlyAtGates() async throws {
    let (probe, gate, free) = (kit.probe, kit.gate("a"), kit.gate("b"))
    free.open()
    try WorkerThread.start {
      probe.reach(Checkpoint("elsewhere", item: 1))
      probe.reach(Checkpoint("a", item: 1))
      probe.reach(Checkpoint("b", item: 1))
    }
    let arrival = try await gate.waitForArrival()
    #expect(free.arrivals == [])
    gate.release(arrival)
    try await free.waitForArrival()
  }
}

@Suite(.timeLimit(.minutes(2))) struct TestClockTests {
  private let kit = TestKit()

  // TST-1: time moves only when those who are expected to sleep do.
  @Test func advanceWaitsForTheSleepers() async throws {
    let clock = kit.clock()
    let tasks = (1...3).map { number in
      Task { try await clock.sleep(for: .seconds(number)) }
    }
    try await clock.advance(by: .seconds(2), afterSleepers: 3)
    try await tasks[0].value
    try await tasks[1].value
    #expect(clock.sleeperCount == 1)
    #expect(clock.now.offset == .seconds(2))
    try await clock.advance(by: .seconds(1))
    try await tasks[2].value
    #expect(kit.parking.waiters == [])
  }

  // TST-1: a sleeper that never comes makes the test fail, with the table.
  @Test func aMissingSleeperIsTold() async throws {
    let clock = kit.clock("backoff")
    let task = Task { try await clock.sleep(for: .seconds(3)) }
    try await clock.waitForSleepers()
    let failure = await #expect(throws: WaitFailure.self) {
      try await clock.waitForSleepers(2, within: .milliseconds(20))
    }
    #expect(failure?.goal == "2 asleep on backoff")
    #expect(failure?.parked.first?.description == "asleep on backoff: a task, until 3.0 seconds")
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(kit.parking.waiters == [])
  }
}
