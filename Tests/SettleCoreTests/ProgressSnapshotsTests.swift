import SettleCore
import SettleTestKit
import SettleTestSupport
import Testing

/// Observers get the first value, the newest, and the last (PRG-12). Time moves by hand only.
@Suite(.timeLimit(.minutes(1))) struct ProgressSnapshotsTests {
  private let clock = TestClock()
  private let tree = ProgressTree(total: .exactly(100))

  /// An observer that keeps all it got.
  private final class Observer: Sendable {
    let task: Task<Void, Never>
    private let received: AsyncStream<ProgressSnapshot>

    init(_ snapshots: ProgressSnapshots) {
      let (stream, continuation) = AsyncStream<ProgressSnapshot>.makeStream()
      task = Task {
        for await snapshot in snapshots { continuation.yield(snapshot) }
        continuation.finish()
      }
      received = stream
    }

    /// All that it got until the sequence ended.
    func everything() async -> [ProgressSnapshot] {
      var all: [ProgressSnapshot] = []
      for await snapshot in received { all.append(snapshot) }
      return all
    }
  }

  private func observe(every interval: Duration = .seconds(1)) -> Observer {
    Observer(tree.snapshots(every: interval, clock: clock))
  }

  private func fractions(_ snapshots: [ProgressSnapshot]) -> [Double?] {
    snapshots.map(\.fractionCompleted)
  }

  // PRG-12: the last one comes with the end, whatever the interval, and then the sequence ends.
  @Test(arguments: [Duration.milliseconds(1), .seconds(1), .seconds(3600)])
  func firstAndLastAreDeliveredForEveryInterval(interval: Duration) async throws {
    let observer = observe(every: interval)
    try await clock.waitForSleepers()
    for _ in 0..<10 { tree.root.complete(10) }
    tree.root.settle(.succeeded)
    let all = await observer.everything()
    #expect(fractions(all) == [0, 1])
    #expect(all.last?.isSettled == true)
    #expect(clock.now.offset == .zero)
    #expect(clock.sleeperCount == 0)
  }

  // PRG-12: who comes late gets the settled one, once.
  @Test func aLateObserverGetsTheSettledOne() async throws {
    tree.root.settle(.cancelled)
    let all = await observe().everything()
    #expect(all == [tree.snapshot()])
  }

  // PRG-12: a step three levels down is one new snapshot at the next tick, not before.
  @Test func aDeepStepIsOneSnapshotAtTheNextTick() async throws {
    let middle = try tree.root.share(weight: 100).start(total: .exactly(1))
    let leaf = try middle.share(weight: 1).start(total: .exactly(4))
    var iterator = tree.snapshots(every: .seconds(1), clock: clock).makeAsyncIterator()
    #expect(await iterator.next()?.fractionCompleted == 0)
    leaf.complete()
    async let moved: Void = clock.advance(by: .seconds(1))
    #expect(await iterator.next()?.fractionCompleted == 0.25)
    try await moved
  }

  // PRG-12: ticks without news deliver nothing, and attaching work that did nothing is no news.
  @Test func ticksWithoutNewsDeliverNothing() async throws {
    let observer = observe()
    for _ in 0..<5 { try await clock.advance(by: .seconds(1)) }
    let work = try tree.root.share(weight: 50).start(total: .exactly(2))
    try await clock.advance(by: .seconds(1))
    try await clock.waitForSleepers()
    work.complete()
    try await clock.advance(by: .seconds(1))
    try await clock.waitForSleepers()
    tree.root.settle(.cancelled)
    #expect(fractions(await observer.everything()) == [0, 0.25, 0.25])
  }

  // PRG-12: many quick steps, then slow ones: each slow one shows within one interval.
  @Test func slowStepsAfterQuickOnesAllShow() async throws {
    let observer = observe()
    try await clock.waitForSleepers()
    tree.root.complete(50)
    try await clock.advance(by: .seconds(1))
    var expected: [Double?] = [0, 0.5]
    for step in 1...5 {
      for _ in 0..<9 { try await clock.advance(by: .seconds(1)) }
      try await clock.waitForSleepers()
      tree.root.complete()
      try await clock.advance(by: .seconds(1))
      expected.append(Double(50 + step) / 100)
    }
    try await clock.waitForSleepers()
    tree.root.settle(.cancelled)
    expected.append(0.55)
    let seen = fractions(await observer.everything())
    #expect(seen == expected)
  }

  // PRG-12: who does not ask holds nothing, and then gets the newest only.
  @Test func aStalledObserverGetsTheNewestOnly() async throws {
    var iterator = tree.snapshots(every: .seconds(1), clock: clock).makeAsyncIterator()
    #expect(await iterator.next()?.fractionCompleted == 0)
    tree.root.setTotal(.exactly(1_000_000))
    for _ in 0..<500_000 { tree.root.complete() }
    async let moved: Void = clock.advance(by: .seconds(1))
    #expect(await iterator.next()?.fractionCompleted == 0.5)
    try await moved
    for _ in 0..<250_000 { tree.root.complete() }
    tree.root.settle(.cancelled)
    #expect(await iterator.next()?.fractionCompleted == 0.75)
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
  }

  // PRG-12: no lock is held while an observer runs, so it may do anything to the tree.
  @Test func anObserverMayUseTheTree() async throws {
    var steps = 0
    for await snapshot in tree.snapshots(every: .zero, clock: clock) {
      steps += 1
      #expect(tree.snapshot() == snapshot)
      let work = try tree.root.share(weight: snapshot.isSettled ? 0 : 50).start(total: .exactly(1))
      work.complete()
      work.settle(.succeeded)
      if steps == 2 { tree.root.settle(.succeeded) }
    }
    #expect(steps == 3)
    #expect(tree.snapshot().fractionCompleted == 1)
  }

  // PRG-12: cancelling the observing task ends its sequence and disturbs nobody else.
  @Test func aCancelledObserverEnds() async throws {
    let (cancelled, other) = (observe(), observe())
    try await clock.waitForSleepers(2)
    cancelled.task.cancel()
    #expect(fractions(await cancelled.everything()) == [0])
    #expect(clock.sleeperCount == 1)
    tree.root.settle(.succeeded)
    #expect(fractions(await other.everything()) == [0, 1])
  }

  // PRG-12: a clock that cannot sleep costs the snapshots in between, never the last one.
  @Test func aBrokenClockStillDeliversTheLast() async throws {
    struct BrokenClock: Clock {
      struct Broken: Error {}
      let clock: TestClock
      let asked: AsyncStream<Void>.Continuation
      var now: TestClock.Instant { clock.now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        asked.yield()
        throw Broken()
      }
    }
    let (asks, asked) = AsyncStream<Void>.makeStream()
    let broken = BrokenClock(clock: clock, asked: asked)
    let observer = Observer(tree.snapshots(every: .seconds(1), clock: broken))
    for await _ in asks { break }
    tree.root.complete(50)
    tree.root.settle(.succeeded)
    #expect(fractions(await observer.everything()) == [0, 1])
  }
}
