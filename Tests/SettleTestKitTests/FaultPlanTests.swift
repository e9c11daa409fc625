import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// Plans: which operation fails, and whether it has.
@Suite(.timeLimit(.minutes(2))) struct FaultPlanTests {
  /// What a point of code gets to see.
  private func outcome(_ probe: any Probe, _ name: String, item: Int = -1) -> String {
    do {
      try probe.fault(Checkpoint(name, item: item))
      return "done"
    } catch let error as InjectedFault {
      return error.number.map { "error \($0)" } ?? "crash"
    } catch {
      return "\(error)"
    }
  }

  // TST-4: the n-th of its kind and no other; once, or for ever.
  @Test(arguments: [false, true]) func theNumberedOperationOfItsKindFails(isForever: Bool) throws {
    let plan = FaultPlan(.at("upload", 2, .error(EIO), forever: isForever))
    let probe = FaultProbe(plan)
    let seen = ["upload", "hash", "upload", "hash", "upload"].map { outcome(probe, $0) }
    #expect(seen == ["done", "done", "error 5", "done", isForever ? "error 5" : "done"])
    try plan.requireAllFired()
    #expect(plan.fired.map(\.number) == [3])
    #expect(plan.points.map(\.kind) == ["upload", "hash", "upload", "hash", "upload"])
  }

  // TST-4: a fault that joins later counts from then on.
  @Test func aLaterFaultCountsFromItsPlanning() {
    let plan = FaultPlan()
    let probe = FaultProbe(plan)
    #expect(outcome(probe, "a") == "done")
    plan.add(.at("a", 2, .error(EIO)))
    #expect((1...3).map { _ in outcome(probe, "a") } == ["done", "error 5", "done"])
    plan.add(.atAny(1, .noSpace, forever: true))
    #expect(outcome(probe, "b") == "error 28")
    plan.lift()
    #expect(outcome(probe, "b") == "done")
  }

  // TST-4: what never happened is told, with the reason, and the test has not passed.
  @Test func aFaultThatNeverHappenedIsNotPassed() throws {
    let plan = FaultPlan(
      .at("upload", 3, .error(EIO)), .at("uplaod", .crash), .at("upload", 2, .short(byteCount: 1)),
      .diskFull(after: 9))
    let probe = FaultProbe(plan)
    #expect((1...2).map { _ in outcome(probe, "upload") } == ["done", "done"])
    let failure = #expect(throws: UnfiredFaults.self) { try plan.requireAllFired() }
    #expect(
      failure?.description == """
        planned faults that never happened:
          upload #3 fails with error 5 (Input/output error): only 2 came
          uplaod #1 crashes the process: none came; operations were: upload 2
          upload #2 takes only 1 bytes: upload is a named point, which has no bytes to be short of
          the disk is full after 9 bytes: 9 bytes of room were left
        """)
    #expect(plan.fired.isEmpty)
  }

  // TST-4: after a crash nothing is done, whatever it is: a cleanup is not done either.
  @Test func nothingIsDoneAfterACrash() {
    let plan = FaultPlan(.at("rename", .crash), .at("cleanup", .error(EIO)))
    let probe = FaultProbe(plan)
    #expect(outcome(probe, "write") == "done")
    #expect(outcome(probe, "rename") == "crash")
    #expect(outcome(probe, "cleanup") == "crash")
    #expect(plan.hasCrashed)
    #expect(plan.fired.count == 1)
  }

  private struct Offline: Error {}

  // TST-4: an error of the code under test can be thrown at a point.
  @Test func aPointThrowsWhatWasPlanned() throws {
    let plan = FaultPlan(.at("fetch", .throwing(Offline())))
    #expect(throws: Offline.self) { try FaultProbe(plan).fault(Checkpoint("fetch", item: 4)) }
    #expect(plan.fired.first?.point.item == 4)
  }

  // TST-4: two faults for one operation: the first one happens, the other is told.
  @Test func twoFaultsForOneOperationAreTold() {
    let plan = FaultPlan(.at("a", .error(EIO)), .atAny(1, .error(EACCES)))
    #expect(outcome(FaultProbe(plan), "a") == "error 5")
    #expect(plan.unfired.map(\.reason) == ["another fault had already hit a"])
  }

  // TST-4: tasks with plans of their own do not see each other's faults.
  @Test func plansOfTasksAreTheirOwn() async {
    let counts = await withTaskGroup(of: Int.self) { group in
      for number in 1...20 {
        group.addTask {
          let plan = FaultPlan(.at("step", number, .error(EIO)))
          return await FaultPlan.$current.withValue(plan) {
            let probe = FaultProbe()
            var failed: [Int] = []
            for step in 1...20 {
              if outcome(probe, "step") != "done" { failed.append(step) }
              await Task.yield()
            }
            return failed == [number] && plan.fired.count == 1 ? 1 : 0
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(counts == 20)
    #expect(outcome(FaultProbe(), "step") == "done", "no plan is bound here")
  }

  // TST-1, TST-4: a delay ends when the test lets it end, by a gate or by its clock.
  @Test func aDelayEndsWhenTheTestSaysSo() async throws {
    let kit = TestKit()
    let (gate, clock) = (kit.gate("slow disk"), kit.clock())
    let passed = kit.gate("passed")
    passed.open()
    let plan = FaultPlan(
      .at("read", 1, .held(gate)), .at("read", 2, .delayed(.seconds(3_600), on: clock)))
    let probe = kit.probe(failing: plan)
    try WorkerThread.start {
      for _ in 1...2 {
        // Neither delay makes the operation fail.
        try? probe.fault(Checkpoint("read"))
        probe.reach(Checkpoint("passed"))
      }
    }
    let arrival = try await gate.waitForArrival()
    #expect(passed.arrivals.isEmpty)
    gate.release(arrival)
    try await passed.waitForArrival(1)
    try await clock.waitForSleepers()
    #expect(passed.arrivals.count == 1)
    try await clock.advance(by: .seconds(3_600))
    try await passed.waitForArrival(2)
    try plan.requireAllFired()
    try kit.finish()
  }

  // TST-4: operations are counted from 1, and the mistake is named at once.
  @Test func thereIsNoOperationZero() async {
    await #expect(processExitsWith: .failure) {
      _ = FaultPlan(.at("write", 0, .noSpace))
    }
    await #expect(processExitsWith: .failure) {
      _ = FaultPlan(.at("write", 1, .short(byteCount: 0)))
    }
  }
}

/// A disk whose operations fail by a plan, in memory and in earnest.
@Suite struct FaultyFileSystemTests {
  private let a = FileName(own: "a")
  private let b = FileName(own: "b")

  private func number(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? FileError)?.number ?? -1
    }
  }

  private func withDisks(
    _ plan: () -> FaultPlan, _ body: (FaultyFileSystem, Handle, BytePath) throws -> Void
  ) throws {
    let memory = FaultyFileSystem(base: MemoryFileSystem(), plan: plan())
    let root = try memory.openFolder(at: "/")
    try body(memory, root, "/")
    memory.close(root)
    try withTemporaryFolder { folder in
      let real = FaultyFileSystem(base: PosixFileSystem(), plan: plan())
      let root = try real.openFolder(at: folder)
      defer { real.close(root) }
      try body(real, root, folder)
    }
  }

  // TST-4, FIL-7: an operation that fails is not done.
  @Test func anOperationThatFailsIsNotDone() throws {
    try withDisks({ FaultPlan(.at("publish", .error(EIO))) }) { files, root, _ in
      try files.makeFile(a, in: root, holding: [1])
      #expect(number { try files.publish(a, in: root, as: b, in: root) } == EIO)
      #expect(try files.names(in: root) == [a.bytes])
      try files.publish(a, in: root, as: b, in: root)
      #expect(try files.names(in: root) == [b.bytes])
      try files.plan.requireAllFired()
      #expect(files.plan.fired.first?.point.subject == a.bytes)
    }
  }

  // TST-4: a short write takes what it says, and the rest can be written.
  @Test func aShortWriteIsShort() throws {
    try withDisks({ FaultPlan(.at("write", .short(byteCount: 2))) }) { files, root, path in
      let file = try files.createFile(a, in: root, mode: 0o600)
      #expect(try files.write([1, 2, 3], to: file) == 2)
      #expect(try files.write([3], to: file) == 1)
      files.close(file)
      #expect(try files.contents(at: path.appending(a.bytes)) == [1, 2, 3])
      try files.plan.requireAllFired()
    }
  }

  // TST-4, FIL-7: a full disk takes what fits; removing still works.
  @Test func aFullDiskTakesWhatFits() throws {
    try withDisks({ FaultPlan(.diskFull(after: 3)) }) { files, root, path in
      #expect(number { try files.makeFile(a, in: root, holding: [1, 2, 3, 4]) } == ENOSPC)
      #expect(try files.contents(at: path.appending(a.bytes)) == [1, 2, 3])
      #expect(number { _ = try files.createFile(b, in: root, mode: 0o600) } == ENOSPC)
      #expect(number { _ = try files.makeFolder(b, in: root) } == ENOSPC)
      try files.remove(a, in: root)
      #expect(try files.names(in: root) == [])
      try files.plan.requireAllFired()
    }
  }

  // TST-4, FIL-8: after a crash nothing changes, a cleanup included.
  @Test func aCrashEndsEverything() throws {
    try withDisks({ FaultPlan(.at("sync", .crash)) }) { files, root, path in
      let file = try files.createFile(a, in: root, mode: 0o600)
      #expect(number { try files.sync(file) } == FaultyFileSystem.crashNumber)
      #expect(number { try files.remove(a, in: root) } == FaultyFileSystem.crashNumber)
      #expect(number { _ = try files.write([1], to: file) } == FaultyFileSystem.crashNumber)
      files.close(file)
      files.plan.lift()
      #expect(try files.contents(at: path.appending(a.bytes)) == [])
    }
  }
}
