import SettleCore
import Testing

/// What an update and a snapshot may cost. Times are measured by `settle-bench`.
@Suite struct ProgressCostTests {
  // PRG-13: the lock is held by this very thread, so an update that took it would never return.
  @Test(.timeLimit(.minutes(1))) func anUpdateTakesNoLock() throws {
    let tree = ProgressTree(total: .exactly(1))
    var leaf = tree.root
    for _ in 0..<7 { leaf = try leaf.share(weight: 1).start(total: .exactly(1)) }
    leaf.setTotal(.exactly(4))
    let work = leaf
    tree.holdingLock {
      work.complete(1)
      work.complete(-1)
      #expect(!work.isSettled)
    }
    #expect(tree.snapshot().fractionCompleted == 0.25)
    #expect(tree.snapshot().ignoredUpdates == 1)
  }

  // PRG-13: settled children are freed and their places used again.
  @Test func settledChildrenAreFreed() throws {
    let tree = ProgressTree(total: .exactly(100_000))
    for index in 0..<100_000 {
      let work = try tree.root.share(weight: 1).start(total: .exactly(1), unit: .bytes)
      work.complete()
      work.settle(index.isMultiple(of: 2) ? .succeeded : .cancelled)
    }
    #expect(tree.liveWorkCount == 1)
    #expect(tree.slotCount == 2)
    #expect(tree.snapshot().bytes.completedCount == 100_000)
  }

  // PRG-13: neither the depth of what settles nor its width needs stack or leaves anything alive.
  @Test func aDeepAndAWideTreeSettleAtOnce() throws {
    let tree = ProgressTree(total: .exactly(20_001))
    var deepest = try tree.root.share(weight: 1).start(total: .exactly(1))
    for _ in 0..<20_000 {
      deepest = try deepest.share(weight: 1).start(total: .exactly(1))
      _ = try tree.root.share(weight: 1).start(total: .exactly(1))
    }
    #expect(tree.liveWorkCount == 40_002)
    deepest.complete()
    tree.root.settle(.cancelled)
    #expect(tree.liveWorkCount == 0)
    #expect(deepest.isSettled)
    #expect(tree.snapshot().cancelledWeight == ProgressSnapshot.fullWeight)
  }

  // PRG-13: a name of settled work never means the work that uses its place now.
  @Test func aReusedPlaceIsNotTheOldWork() throws {
    let tree = ProgressTree(total: .exactly(4))
    let old = try tree.root.share(weight: 1).start(total: .exactly(2))
    let oldShare = try old.share(weight: 1).stored()
    old.settle(.cancelled)
    let new = try tree.root.share(weight: 1).start(total: .exactly(2))
    #expect(tree.slotCount == 2)
    old.setTotal(.exactly(100))
    old.beginAttempt()
    #expect(!old.settle(.succeeded))
    do { _ = oldShare.take() }
    #expect(!new.isSettled)
    new.complete(2)
    #expect(tree.snapshot().fractionCompleted == 0.25)
    #expect(tree.snapshot().unclaimedShares == 1)
  }
}
