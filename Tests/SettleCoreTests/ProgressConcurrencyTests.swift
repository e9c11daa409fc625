import SettleCore
import Testing

/// Many writers and readers at once: nothing is lost, nothing goes back.
@Suite(.timeLimit(.minutes(2))) struct ProgressConcurrencyTests {
  // PRG-13
  @Test func updatesFromManyTasksAreAllCounted() async throws {
    let tree = ProgressTree(total: .exactly(5), unit: .items)
    let works = try (0..<4).map { _ in
      try tree.root.share(weight: 1).start(total: .exactly(40_000), unit: .bytes)
    }
    let shared = try tree.root.share(weight: 1).start(total: .exactly(40_000), unit: .bytes)
    await withTaskGroup(of: Void.self) { group in
      for work in works {
        group.addTask {
          for _ in 0..<10_000 {
            work.complete(4)
            shared.complete()
          }
        }
      }
    }
    #expect(tree.snapshot().bytes.completedCount == 200_000)
    #expect(tree.snapshot().fractionCompleted == 1.0.nextDown)
    #expect(tree.snapshot().overrun == 0)
  }

  // PRG-4, PRG-12: at the moment of settling each update is either counted or ignored.
  @Test func anUpdateIsCountedOrIgnoredNeverLost() async throws {
    for _ in 0..<50 {
      let tree = ProgressTree(total: .exactly(4000), unit: .bytes)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { for _ in 0..<1000 { tree.root.complete() } } }
        group.addTask {
          while tree.snapshot().bytes.completedCount < 300 { await Task.yield() }
          tree.root.settle(.succeeded)
        }
      }
      let snapshot = tree.snapshot()
      #expect(snapshot.bytes.completedCount + snapshot.ignoredUpdates == 2000)
      #expect(snapshot.fractionCompleted == 1)
    }
  }

  // PRG-3, PRG-10: of many that settle or take at once, one wins.
  @Test func oneOfManyWins() async throws {
    for _ in 0..<100 {
      let tree = ProgressTree(total: .exactly(2))
      let stored = try tree.root.share(weight: 1).stored()
      let outcomes: [Outcome] = [.succeeded, .cancelled, .skipped(.unchanged), .cancelled]
      let wins = await withTaskGroup(of: (takes: Int, settles: Int).self) { group in
        for outcome in outcomes {
          group.addTask {
            let work = stored.take()?.start(total: .exactly(1))
            return (work == nil ? 0 : 1, tree.root.settle(outcome) ? 1 : 0)
          }
        }
        return await group.reduce((0, 0)) { ($0.0 + $1.takes, $0.1 + $1.settles) }
      }
      #expect(wins == (1, 1))
      #expect(tree.snapshot().settledWeight == ProgressSnapshot.fullWeight)
    }
  }

  /// A reader that notes whatever should never be seen.
  private static func watch(_ tree: ProgressTree) async -> [String] {
    var (faults, last) = ([String](), tree.snapshot())
    while !last.isSettled {
      let now = tree.snapshot()
      if (now.fractionCompleted ?? 0) < (last.fractionCompleted ?? 0) {
        faults.append("the fraction fell from \(last) to \(now)")
      }
      if now.fractionCompleted == 1, !now.isSettled { faults.append("1 too early: \(now)") }
      let sum =
        now.succeededWeight + now.failedWeight + now.skippedWeight + now.cancelledWeight
      if now.settledWeight != sum { faults.append("weights do not add up: \(now)") }
      if now.settledWeight < last.settledWeight { faults.append("weight fell: \(now)") }
      if now.bytes.completedCount < last.bytes.completedCount {
        faults.append("bytes fell: \(now)")
      }
      if now.bytes.completedCount > now.grossByteCount { faults.append("net over gross: \(now)") }
      last = now
      await Task.yield()
    }
    return faults
  }

  // PRG-5, PRG-10, PRG-11: readers see a tree that only moves forward, whatever the writers do.
  @Test func readersSeeOnlyForward() async throws {
    let tree = ProgressTree(total: .exactly(3000), unit: .items)
    let readers = (0..<2).map { _ in Task { await Self.watch(tree) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask {
          for index in 0..<1000 {
            let work = try tree.root.share(weight: 1).start(total: .atLeast(2), unit: .bytes)
            work.complete(2)
            work.setTotal(.exactly(6))
            work.beginAttempt()
            work.complete(4)
            work.setTotal(.exactly(12))
            let outcomes: [Outcome] = [.succeeded, .cancelled, .skipped(.unchanged)]
            work.settle(outcomes[(index + writer) % 3])
            if index.isMultiple(of: 50) { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    tree.root.settle(.succeeded)
    for reader in readers { #expect(await reader.value == []) }
    let snapshot = tree.snapshot()
    #expect(snapshot.settledWeight == ProgressSnapshot.fullWeight)
    #expect(snapshot.bytes.completedCount == 12_000)
    #expect(snapshot.grossByteCount == 18_000)
    #expect(tree.liveWorkCount == 0)
  }

  // PRG-12: an observer beside busy writers ends with the settled snapshot, every time.
  @Test func observersAlwaysGetTheLast() async throws {
    for round in 0..<50 {
      let tree = ProgressTree(total: .exactly(10))
      let observers = (0..<3).map { _ in
        Task {
          var last: ProgressSnapshot?
          for await snapshot in tree.snapshots(every: .zero, clock: ContinuousClock()) {
            last = snapshot
          }
          return last
        }
      }
      if round.isMultiple(of: 2) { await Task.yield() }
      for _ in 0..<10 { tree.root.complete() }
      tree.root.settle(.succeeded)
      for observer in observers { #expect(await observer.value == tree.snapshot()) }
    }
  }
}
