import SettleCore
import Testing

/// Shares are attached once and never add up to more than the total.
@Suite struct ProgressShareTests {
  /// `#require` cannot see through an expression that holds a noncopyable value.
  private func start(_ stored: StoredShare, total: WorkTotal) -> WorkProgress? {
    stored.take()?.start(total: total)
  }

  // PRG-1
  @Test func treesKnowNothingOfEachOther() {
    let (first, second) = (ProgressTree(total: .exactly(2)), ProgressTree(total: .exactly(2)))
    first.root.complete()
    first.root.complete(-1)
    #expect(first.snapshot().fractionCompleted == 0.5)
    #expect(second.snapshot().fractionCompleted == 0)
    #expect(second.snapshot().ignoredUpdates == 0)
  }

  // PRG-3: `let share = …; _ = share.start(…); _ = share.start(…)` does not compile
  // ("'share' consumed more than once"), because the token cannot be copied.
  @Test func aStoredTokenIsTakenOnce() throws {
    let tree = ProgressTree(total: .exactly(10))
    let stored = try tree.root.share(weight: 5).stored()
    let work = try #require(start(stored, total: .exactly(1)))
    let isTakenAgain = stored.take() != nil
    #expect(!isTakenAgain)
    work.complete()
    work.settle(.succeeded)
    let snapshot = tree.snapshot()
    #expect(snapshot.fractionCompleted == 0.5)
    #expect(snapshot.unclaimedShares == 0)
    #expect(snapshot.settledWeight == ProgressSnapshot.fullWeight / 2)
  }

  // PRG-3
  @Test func moreThanTheTotalIsAnErrorAtTheCall() throws {
    let tree = ProgressTree(total: .exactly(100))
    let first = try tree.root.share(weight: 60).stored()
    for weight: Int64 in [41, -1, .max, .min] {
      #expect(throws: SettleError.self) { try tree.root.share(weight: weight).stored() }
    }
    let second = try tree.root.share(weight: 40).stored()
    let error = #expect(throws: SettleError.self) { try tree.root.share(weight: 1).stored() }
    #expect(error?.code == .weightExceedsTotal)
    withExtendedLifetime((first, second)) {
      #expect(tree.snapshot().unclaimedShares == 0)
      #expect(tree.snapshot().settledWeight == 0)
    }
  }

  // PRG-3: units that the parent completed itself cannot be handed out any more.
  @Test func completedUnitsAreNotHandedOut() throws {
    let tree = ProgressTree(total: .exactly(10))
    tree.root.complete(7)
    #expect(throws: SettleError.self) { try tree.root.share(weight: 4).stored() }
    let work = try tree.root.share(weight: 3).start(total: .exactly(1))
    work.complete()
    #expect(tree.snapshot().fractionCompleted == 1.0.nextDown)
  }

  // PRG-3
  @Test func nothingCanBeHandedOutOfAnUnknownTotal() throws {
    let tree = ProgressTree()
    #expect(throws: SettleError.self) { try tree.root.share(weight: 1).stored() }
    tree.root.setTotal(.atLeast(1))
    let work = try tree.root.share(weight: 1).start(total: .exactly(1))
    #expect(!work.isSettled)
  }

  // PRG-3, PRG-10: a token that is dropped leaves no hole in the account and fills nothing.
  @Test func aDroppedShareIsSkippedAndCounted() throws {
    let tree = ProgressTree(total: .exactly(4))
    do { _ = try tree.root.share(weight: 1) }
    do { _ = try tree.root.share(weight: 1).stored() }
    let snapshot = tree.snapshot()
    #expect(snapshot.unclaimedShares == 2)
    #expect(snapshot.skippedWeight == ProgressSnapshot.fullWeight / 2)
    #expect(snapshot.fractionCompleted == 0)
    tree.root.settle(.succeeded)
    #expect(tree.snapshot().fractionCompleted == 0.5)
    #expect(tree.snapshot().settledWeight == ProgressSnapshot.fullWeight)
  }

  // PRG-12: a share that outlives its parent starts nothing and changes nothing.
  @Test func aShareOfSettledWorkStartsSettledWork() throws {
    let tree = ProgressTree(total: .exactly(4))
    let early = try tree.root.share(weight: 2).stored()
    tree.root.settle(.cancelled)
    let settled = tree.snapshot()
    #expect(settled.unclaimedShares == 1)

    let late = try tree.root.share(weight: 99).start(total: .exactly(1))
    let work = try #require(start(early, total: .exactly(3)))
    #expect(late.isSettled && work.isSettled)
    work.complete()
    work.setTotal(.unknown)
    work.beginAttempt()
    #expect(!work.settle(.succeeded))
    var now = tree.snapshot()
    #expect(now.ignoredUpdates == 4)
    now.ignoredUpdates = settled.ignoredUpdates
    #expect(now == settled)
  }

  // PRG-2: units of different kinds live side by side and are never added.
  @Test func bytesAndPagesAreNotAdded() throws {
    let tree = ProgressTree(total: .exactly(2), unit: .items)
    let bytes = try tree.root.share(weight: 1).start(total: .exactly(1000), unit: .bytes)
    let pages = try tree.root.share(weight: 1).start(total: .exactly(10), unit: .pages)
    bytes.complete(250)
    pages.complete(5)
    let snapshot = tree.snapshot()
    #expect(snapshot.bytes.completedCount == 250)
    #expect(snapshot.bytes.total == .exactly(1000))
    #expect(snapshot.fractionCompleted == 0.375)
  }

  // PRG-2: any split of any total is exact at its end, in any order of weights.
  @Test(arguments: [
    [1, 1, 1], [3, 7, 11, 13], [1, 1_000_003, 5], [Int64](repeating: 1, count: 97),
  ])
  func sharesTogetherMakeTheWhole(weights: [Int64]) throws {
    let tree = ProgressTree(total: .exactly(weights.reduce(0, +)))
    for weight in weights {
      let work = try tree.root.share(weight: weight).start(total: .exactly(weight))
      work.settle(.succeeded)
    }
    #expect(tree.snapshot().settledWeight == ProgressSnapshot.fullWeight)
    #expect(tree.snapshot().fractionCompleted == 1.0.nextDown)
    tree.root.settle(.succeeded)
    #expect(tree.snapshot().fractionCompleted == 1)
  }
}
