import Foundation
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// An `OperationQueue` of somebody else under the kit: with its faults, then without.
@Suite(.timeLimit(.minutes(2))) struct OwnQueueTests {
  /// A queue, its folder, and the kit that watches them.
  private struct Bench {
    let kit = TestKit()
    let queue = OperationQueue()
    let folder: BytePath
    /// Reached once by every operation that has ended, in whatever way.
    let ended: Gate

    init(_ folder: BytePath) {
      self.folder = folder
      ended = kit.gate("ended")
      ended.open()
    }

    private var url: URL { URL(fileURLWithPath: folder.description, isDirectory: true) }

    /// Adds the operation of an item, which needs those that were given.
    func add<Made: ThumbnailOperation>(
      _ type: Made.Type, _ item: Int, needs: [ThumbnailOperation] = [],
      _ make: (Int, URL, any Probe, @escaping @Sendable (OutcomeKind) -> Void) -> Made
    ) -> Made {
      var started = TraceEvent(.started, item: String(item))
      started.needs = needs.map { String($0.item) }
      kit.trace.record(started)
      let probe = kit.probe
      let operation = make(item, url, probe) { _ in
        probe.reach(Checkpoint("ended", item: item))
      }
      for need in needs { operation.addDependency(need) }
      queue.addOperation(operation)
      return operation
    }

    func careless(_ item: Int, needs: [ThumbnailOperation] = []) -> CarelessThumbnail {
      add(CarelessThumbnail.self, item, needs: needs) {
        CarelessThumbnail($0, in: $1, probe: $2, onEnd: $3)
      }
    }

    func careful(_ item: Int, needs: [ThumbnailOperation] = []) -> CarefulThumbnail {
      add(CarefulThumbnail.self, item, needs: needs) {
        CarefulThumbnail($0, in: $1, probe: $2, onEnd: $3)
      }
    }

    /// Looks at what is left: targets by item, then everything else.
    func look(_ items: Int...) throws {
      for item in items {
        let path = folder.description + "/\(item).thumb"
        let isThere = FileManager.default.fileExists(atPath: path)
        kit.trace.record(.target, item: String(item), name: isThere ? "new" : "old")
        if isThere { try FileManager.default.removeItem(atPath: path) }
      }
      try kit.trace.examine(folder)
    }

    /// The rules that are broken, once each.
    var broken: Set<String> { Set(kit.trace.judge().violations.map(\.rule)) }
  }

  /// Cancels right before the commit and lets the operation go on.
  private func cancelBeforeCommit(_ bench: Bench, _ operation: ThumbnailOperation) async throws {
    let gate = bench.kit.gate("before-commit")
    bench.queue.isSuspended = false
    let arrival = try await gate.waitForArrival()
    let answer = bench.kit.trace.cancelling(item: "1") { operation.askToCancel() }
    #expect(answer == .accepted)
    gate.release(arrival)
    try await bench.ended.waitForArrival()
  }

  private func makeBench(_ folder: BytePath) -> Bench {
    let bench = Bench(folder)
    bench.queue.isSuspended = true
    _ = bench.kit.gate("before-commit")
    return bench
  }

  // TST-2, TST-1, CAN-5: the fault, found without any luck.
  @Test func aPublicationAfterTheCancelIsFound() async throws {
    try await withTemporaryFolder { folder in
      let bench = makeBench(folder)
      try await cancelBeforeCommit(bench, bench.careless(1))
      try bench.look(1)
      #expect(bench.broken == ["noEffectAfterCancel", "errorIsNoSuccess"])
    }
  }

  // TST-1, CAN-5: mended, the same test passes; nothing is left and nothing is published.
  @Test func theMendedOneIsCancelledRightBeforeItsCommit() async throws {
    try await withTemporaryFolder { folder in
      let bench = makeBench(folder)
      try await cancelBeforeCommit(bench, bench.careful(1))
      try bench.look(1)
      let judgement = try bench.kit.finish()
      #expect(judgement.passed.contains("noEffectAfterCancel"))
      #expect(judgement.passed.contains("leftoversGone"))
      #expect(judgement.passed.contains("targetOldOrNew"))
      let end = bench.kit.trace.events.last { $0.kind == .outcome }
      #expect(end?.name == "cancelled")
    }
  }

  // TST-2, RUN-3, RUN-7, FIL-3: OperationQueue starts a dependent after a failure, too; and the
  // failed one tells its end twice and leaves its temporary file.
  @Test func aDependentThatRunsAfterAFailureIsFound() async throws {
    try await withTemporaryFolder { folder in
      let bench = makeBench(folder)
      bench.kit.gate("before-commit").open()
      let first = bench.careless(13)
      _ = bench.careless(2, needs: [first])
      bench.queue.isSuspended = false
      try await bench.ended.waitForArrival(ofItem: 2)
      try bench.look(13, 2)
      #expect(bench.broken == ["dependenciesFirst", "exactlyOneCompletion", "leftoversGone"])
    }
  }

  // RUN-3, RUN-7, TST-8: mended, the dependent is skipped and each end is told once.
  @Test func theMendedOneSkipsADependentOfAFailure() async throws {
    try await withTemporaryFolder { folder in
      let bench = makeBench(folder)
      bench.kit.gate("before-commit").open()
      let first = bench.careful(13)
      _ = bench.careful(2, needs: [first])
      bench.queue.isSuspended = false
      try await bench.ended.waitForArrival(2)
      try bench.look(13, 2)
      try bench.kit.finish()
      let ends = bench.kit.trace.events.filter { $0.kind == .outcome }.map(\.name)
      #expect(ends == ["failed", "skipped"])
    }
  }

  // RUN-3, CAN-6, TST-8: success, in order, and a cancel that comes too late.
  @Test func theMendedOneKeepsItsOrderAndItsSuccess() async throws {
    try await withTemporaryFolder { folder in
      let bench = makeBench(folder)
      bench.kit.gate("before-commit").open()
      let first = bench.careful(1)
      let second = bench.careful(2, needs: [first])
      bench.queue.isSuspended = false
      try await bench.ended.waitForArrival(2)
      let answer = bench.kit.trace.cancelling(item: "2") { second.askToCancel() }
      #expect(answer == .tooLate)
      try bench.look(1, 2)
      let judgement = try bench.kit.finish()
      #expect(judgement.passed.contains("dependenciesFirst"))
      #expect(judgement.passed.contains("cancelXorCommit"))
    }
  }
}
