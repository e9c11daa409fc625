import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// The sweep, on a toy that stores a note; careful, careless, and with a second try.
@Suite(.timeLimit(.minutes(2))) struct FaultSweepKitTests {
  private static let old: [UInt8] = [1, 2, 3]
  private static let new: [UInt8] = [4, 5, 6, 7]

  /// How the toy treats errors.
  enum Manner: Sendable {
    case careful, swallowsSync, triesTwice, leavesStaging, writesInPlace
  }

  private struct Wrong: Error, CustomStringConvertible { var description: String }

  /// A folder with the old note, on a disk that fails by a plan.
  private struct Desk {
    let files: any FileSystem
    let folder: Handle
    private let note = FileName(own: "note")
    private let staging = FileName(own: "note.new")
    private let kept = FileName(own: "note.old")

    init(_ disk: any FileSystem, _ path: BytePath, _ plan: FaultPlan) throws {
      files = FaultyFileSystem(base: disk, plan: plan)
      folder = try files.openFolder(at: path)
      try files.makeFile(note, in: folder, holding: FaultSweepKitTests.old)
    }

    func store(_ manner: Manner) throws {
      for attempt in 1... {
        do {
          return try storeOnce(manner)
        } catch {
          guard manner == .triesTwice, attempt == 1 else { throw error }
        }
      }
    }

    private func storeOnce(_ manner: Manner) throws {
      if manner == .writesInPlace { try files.remove(note, in: folder) }
      let name = manner == .writesInPlace ? note : staging
      do {
        let file = try files.createFile(name, in: folder, mode: 0o600)
        defer { files.close(file) }
        try files.writeAll(file, FaultSweepKitTests.new)
        do {
          try files.sync(file)
        } catch  where manner == .swallowsSync {}
        if manner == .writesInPlace { return }
        try files.publish(note, in: folder, as: kept, in: folder)
        do {
          try files.publish(staging, in: folder, as: note, in: folder)
        } catch {
          try files.publish(kept, in: folder, as: note, in: folder)
          throw error
        }
        try files.syncFolder(folder)
        try files.remove(kept, in: folder)
      } catch {
        if manner != .leavesStaging { try? files.remove(name, in: folder) }
        throw error
      }
    }

    /// What the toy does when it starts: the note that was put aside comes back.
    func recover() throws {
      let names = try files.names(in: folder)
      if names.contains(kept.bytes) {
        if names.contains(note.bytes) {
          try files.remove(kept, in: folder)
        } else {
          try files.publish(kept, in: folder, as: note, in: folder)
        }
      }
    }

    func judge(_ result: Result<Void, any Error>, at path: BytePath) throws {
      let found = try? files.contents(at: path.appending(note.bytes))
      guard found == FaultSweepKitTests.old || found == FaultSweepKitTests.new else {
        throw Wrong(description: "the note is \(found ?? [])")
      }
      if case .success = result, found != FaultSweepKitTests.new {
        throw Wrong(description: "stored, and not there")
      }
      if try files.names(in: folder).contains(staging.bytes) {
        throw Wrong(description: "its staging file is left")
      }
    }
  }

  private func sweep(
    _ manner: Manner, _ change: (inout FaultSweep) -> Void = { _ in }
  ) async -> SweepReport {
    var sweep = FaultSweep()
    change(&sweep)
    return await sweep.run { run in
      let desk = try Desk(MemoryFileSystem(), "/", run.plan)
      let result = run.attemptBlocking { try desk.store(manner) }
      try desk.recover()
      try desk.judge(result, at: "/")
    }
  }

  // TST-4, FIL-7: each operation fails once, each is noticed, and the row ends where nothing fires.
  @Test func aCarefulProgramPasses() async throws {
    let report = await sweep(.careful) { $0.troubles = [.once(.error(EIO))] }
    try report.requirePassed()
    #expect(
      report.runs.map { $0.fired?.point.kind } == [
        "createFile", "write", "sync", "publish", "publish", "syncFolder", "remove", nil,
      ])
    #expect(report.maskedRuns.isEmpty)
    #expect(
      report.summary == "8 runs: 7 faults fired, 7 noticed, 0 masked; 0 wrong")
    print("toy note, careful: \(report.summary)")
  }

  // TST-4, FIL-7: the same on the real disk.
  @Test func aCarefulProgramPassesOnTheRealDisk() async throws {
    var sweep = FaultSweep()
    sweep.troubles = [.once(.error(EIO)), .once(.short(byteCount: 1))]
    let report = await sweep.run { run in
      try withTemporaryFolder { path in
        let desk = try Desk(PosixFileSystem(), path, run.plan)
        defer { desk.files.close(desk.folder) }
        let result = run.attemptBlocking { try desk.store(.careful) }
        try desk.recover()
        try desk.judge(result, at: path)
      }
    }
    try report.requirePassed()
    #expect(report.firedRuns.count == 8)
    #expect(report.maskedRuns.map { $0.fired?.point.kind } == ["write"], "a short write goes on")
    #expect(report.runs.count { $0.obstacle != nil } == 6, "only a write can be short")
  }

  // TST-4: a fault that nobody noticed is told. A second try masks rightly, a swallowed sync not.
  @Test(arguments: [Manner.swallowsSync, .triesTwice]) func aMaskedFaultIsTold(
    _ manner: Manner
  ) async throws {
    let report = await sweep(manner) { $0.troubles = [.once(.error(EIO))] }
    let masked = report.maskedRuns.compactMap { $0.fired?.point.kind }
    if manner == .swallowsSync {
      #expect(masked == ["sync"])
    } else {
      #expect(masked.starts(with: ["createFile", "write", "sync"]))
    }
    #expect(report.description.contains(": masked"))
  }

  // TST-4, FIL-3, FIL-4: what a failure leaves is judged, each time.
  @Test(arguments: [Manner.leavesStaging, .writesInPlace]) func whatIsLeftIsJudged(
    _ manner: Manner
  ) async {
    let report = await sweep(manner)
    let problems = Set(report.wrongRuns.flatMap(\.problems))
    let expected = manner == .leavesStaging ? "its staging file is left" : "the note is []"
    #expect(problems.contains(expected))
    #expect(throws: SweepFailure.self) { try report.requirePassed() }
  }

  // TST-4: an operation that does not exist has not passed, nor has a sweep without operations.
  @Test func anOperationThatNeverComesHasNotPassed() async {
    let report = await sweep(.careful) { $0.kinds = ["sync", "sink"] }
    #expect(report.kindsWithoutFault == ["sink"])
    #expect(throws: SweepFailure.self) { try report.requirePassed() }
    let idle = await FaultSweep().run { run in _ = run.attemptBlocking {} }
    #expect(idle.summary.contains("no fault fired, so nothing was proven"))
    #expect(throws: SweepFailure.self) { try idle.requirePassed() }
    let lazy = await FaultSweep().run { _ in }
    #expect(lazy.wrongRuns.first?.problems == ["nothing was attempted"])
  }

  // TST-4: a program that fails without a fault, and one that never ends, are told.
  @Test func aSweepIsBounded() async {
    var bounded = FaultSweep()
    bounded.runLimit = 5
    let report = await bounded.run { run in
      _ = run.attemptBlocking { for _ in 0..<100 { try run.probe.fault(Checkpoint("step")) } }
    }
    #expect(!report.isComplete && report.runs.count == 5)
    #expect(throws: SweepFailure.self) { try report.requirePassed() }
    let broken = await FaultSweep().run { run in
      _ = run.attemptBlocking { throw Wrong(description: "always") }
    }
    #expect(broken.wrongRuns.first?.problems == ["failed although nothing was injected: always"])
  }

  // TST-2, TST-4: the rules judge each run's events.
  @Test func theRulesJudgeEachRun() async {
    let report = await FaultSweep().run { run in
      await run.attempt {
        let probe = run.probe
        probe.event(ProbeEvent("entered", item: 0))
        do {
          try probe.fault(Checkpoint("fetch", item: 0))
          probe.event(ProbeEvent("outcome.succeeded", item: 0))
        } catch {
          probe.event(ProbeEvent("outcome.failed", item: 0))
          // Wrong on purpose: told twice.
          probe.event(ProbeEvent("completion", item: 0))
        }
        probe.event(ProbeEvent("completion", item: 0))
      }.ignored()
    }
    #expect(report.maskedRuns.isEmpty, "a failure that is recorded is noticed")
    #expect(report.wrongRuns.allSatisfy { $0.fired != nil }, "\(report)")
    #expect(report.wrongRuns.first?.problems.first?.contains("exactlyOneCompletion") == true)
  }

  // TST-4, FIL-7: a disk that stays full while the recovery runs, too.
  @Test func aFullDiskDuringTheRecovery() async throws {
    var sweep = FaultSweep()
    sweep.troubles = [.forever(.noSpace), .once(.crash)]
    let report = await sweep.run { run in
      let desk = try Desk(MemoryFileSystem(), "/", run.plan)
      let result = run.attemptBlocking {
        try desk.store(.careful)
        try desk.recover()
      }
      // The disk is well again, or the program starts anew: a cleanup that was refused is made up.
      try desk.recover()
      let names = try desk.files.names(in: desk.folder)
      if names.contains(Array("note.new".utf8)) {
        try desk.files.remove(FileName(own: "note.new"), in: desk.folder)
      }
      try desk.judge(result, at: "/")
    }
    try report.requirePassed()
    #expect(report.runs.count { $0.fired != nil } >= 14)
  }
}

extension Result {
  /// For a result that says nothing new.
  fileprivate func ignored() {}
}
