import SettleCore
import Testing

/// Counts, totals and attempts of one piece of work.
@Suite struct ProgressCountTests {
  private func fraction(_ tree: ProgressTree) -> Double? { tree.snapshot().fractionCompleted }

  // PRG-4: a wrong estimate never aborts the work and never shows more than all.
  @Test func excessSaturatesAndIsReported() {
    let tree = ProgressTree(total: .exactly(100), unit: .bytes)
    tree.root.complete(300)
    let snapshot = tree.snapshot()
    #expect(snapshot.fractionCompleted == 1.0.nextDown)
    #expect(snapshot.overrun == 200)
    #expect(snapshot.bytes.completedCount == 100)
    tree.root.settle(.succeeded)
    #expect(tree.snapshot().overrun == 200)
    #expect(tree.snapshot().fractionCompleted == 1)
  }

  // PRG-4
  @Test func negativeUpdatesAreIgnoredAndCounted() {
    let tree = ProgressTree(total: .exactly(10))
    tree.root.complete(5)
    tree.root.complete(-3)
    tree.root.complete(.min)
    tree.root.complete(0)
    #expect(fraction(tree) == 0.5)
    #expect(tree.snapshot().ignoredUpdates == 2)
  }

  // PRG-4: no number that a caller can pass traps.
  @Test func absurdNumbersSaturate() throws {
    let tree = ProgressTree(total: .exactly(.max), unit: .bytes)
    for _ in 0..<1000 { tree.root.complete(.max) }
    let snapshot = tree.snapshot()
    #expect(snapshot.fractionCompleted == 1.0.nextDown)
    #expect(snapshot.bytes.completedCount == 1 << 55)
    #expect(snapshot.ignoredUpdates == 0)
    #expect(!tree.root.isSettled)
    tree.root.setTotal(.exactly(.min))
    tree.root.setTotal(.atLeast(.max))
    tree.root.setTotal(.exactly(1))
    #expect(tree.snapshot().overrun == (1 << 55) - 1)
    #expect(tree.root.settle(.succeeded))
    #expect(fraction(tree) == 1)
  }

  // PRG-4: a count stops at its limit, not somewhere below it.
  @Test func aCountStopsExactlyAtItsLimit() {
    let tree = ProgressTree(total: .unknown, unit: .bytes)
    for _ in 0..<3 { tree.root.complete(1 << 53) }
    tree.root.complete((1 << 53) - 2)
    tree.root.complete(5)
    #expect(tree.snapshot().bytes.completedCount == 1 << 55)
    tree.root.complete(5)
    #expect(tree.snapshot().grossByteCount == 1 << 55)
  }

  // PRG-4: sums over many absurd numbers do not trap either.
  @Test func absurdSumsSaturate() throws {
    let tree = ProgressTree(total: .exactly(300))
    for index in 0..<300 {
      let work = try tree.root.share(weight: 1).start(total: .exactly(.max), unit: .bytes)
      for _ in 0..<5 { work.complete(.max) }
      if index.isMultiple(of: 2) { work.settle(.succeeded) }
    }
    #expect(tree.snapshot().grossByteCount == .max)
    #expect(tree.snapshot().bytes.total == .exactly(.max))
  }

  // PRG-6
  @Test func unknownOpenAndZeroTotalsGiveNoPercentage() {
    for total in [WorkTotal.unknown, .atLeast(10), .exactly(0), .atLeast(0), .exactly(-5)] {
      let tree = ProgressTree(total: total)
      tree.root.complete(3)
      #expect(tree.snapshot().isIndeterminate, "\(total)")
      tree.root.settle(.succeeded)
      #expect(tree.snapshot().fractionCompleted == 1, "\(total)")
    }
    let failed = ProgressTree(total: .unknown)
    failed.root.settle(.cancelled)
    #expect(failed.snapshot().isIndeterminate)
  }

  // PRG-6: zero of zero gives its share when it settles, not before, and never NaN.
  @Test func aChildWithNothingToDoGivesItsShareWhenItSettles() throws {
    let tree = ProgressTree(total: .exactly(2))
    let empty = try tree.root.share(weight: 1).start(total: .exactly(0))
    #expect(fraction(tree) == 0)
    empty.settle(.succeeded)
    #expect(fraction(tree) == 0.5)
  }

  // PRG-6: the order in which total and count are set does not matter.
  @Test func totalBeforeCountAndCountBeforeTotalReadTheSame() {
    for (total, count) in [(100, 40), (0, 0), (0, 3), (5, 9)] as [(Int64, Int64)] {
      let first = ProgressTree()
      first.root.setTotal(.exactly(total))
      first.root.complete(count)
      let second = ProgressTree()
      second.root.complete(count)
      second.root.setTotal(.exactly(total))
      #expect(first.snapshot() == second.snapshot())
    }
  }

  // PRG-6: while more may be found the end of the range stays out of reach.
  @Test func anOpenTotalNeverReachesTheEndOfItsShare() throws {
    let tree = ProgressTree(total: .exactly(2))
    let open = try tree.root.share(weight: 1).start(total: .atLeast(3))
    let unknown = try tree.root.share(weight: 1).start(total: .unknown)
    open.complete(3)
    unknown.complete(1000)
    #expect(fraction(tree) == 0.375)
    open.complete(1000)
    #expect(fraction(tree) == 0.375)
    #expect(tree.snapshot().overrun == 0)
    open.setTotal(.exactly(1003))
    #expect(fraction(tree) == 0.5)
    unknown.settle(.succeeded)
    #expect(fraction(tree) == 1.0.nextDown)
  }

  // PRG-5, PRG-7: what was shown stays, growth spreads only what is left.
  @Test func growthSpreadsOnlyWhatIsLeft() {
    let tree = ProgressTree(total: .exactly(10))
    tree.root.complete(5)
    tree.root.setTotal(.exactly(105))
    #expect(fraction(tree) == 0.5)
    tree.root.complete(50)
    #expect(fraction(tree) == 0.75)
    tree.root.complete(50)
    #expect(fraction(tree) == 1.0.nextDown)
  }

  // PRG-5, PRG-7: shares found on the way come out of what is left, too.
  @Test func growthLeavesSharesAsTheyAre() throws {
    let tree = ProgressTree(total: .exactly(4))
    let first = try tree.root.share(weight: 2).start(total: .exactly(1))
    tree.root.setTotal(.exactly(10))
    let rest = try tree.root.share(weight: 8).start(total: .exactly(1))
    first.complete()
    #expect(fraction(tree) == 0.5)
    rest.complete()
    #expect(fraction(tree) == 1.0.nextDown)
  }

  // PRG-4, PRG-5: a total below what was handed out or done saturates; nothing is taken back.
  @Test func aShrinkingTotalTakesNothingBack() throws {
    let tree = ProgressTree(total: .exactly(100))
    let work = try tree.root.share(weight: 50).start(total: .exactly(1))
    tree.root.complete(25)
    #expect(fraction(tree) == 0.25)
    tree.root.setTotal(.exactly(10))
    #expect(fraction(tree) == 0.25)
    #expect(tree.snapshot().overrun == 25)
    work.complete()
    #expect(fraction(tree) == 0.75)
    tree.root.settle(.succeeded)
    #expect(tree.snapshot().settledWeight == ProgressSnapshot.fullWeight)
  }

  // PRG-8: fail after 80 of 100, retry, finish.
  @Test func aRetryNeitherResetsNorCountsTwice() throws {
    let tree = ProgressTree(total: .exactly(1), unit: .items)
    let work = try tree.root.share(weight: 1).start(total: .exactly(100), unit: .bytes)
    work.complete(80)
    work.beginAttempt()
    #expect(fraction(tree) == 0.8)
    work.complete(50)
    #expect(fraction(tree) == 0.8)
    #expect(tree.snapshot().bytes.completedCount == 80)
    work.complete(50)
    let snapshot = tree.snapshot()
    #expect(snapshot.fractionCompleted == 1.0.nextDown)
    #expect(snapshot.bytes.completedCount == 100)
    #expect(snapshot.grossByteCount == 180)
    #expect(snapshot.overrun == 0)
    work.settle(.succeeded)
    #expect(tree.snapshot().grossByteCount == 180)
  }

  // PRG-8: an attempt that got less far than an earlier one counts as the better one.
  @Test func theBestAttemptCounts() throws {
    let tree = ProgressTree(total: .exactly(100), unit: .bytes)
    for count: Int64 in [30, 70, 10] {
      tree.root.beginAttempt()
      tree.root.complete(count)
    }
    #expect(fraction(tree) == 0.7)
    tree.root.settle(.cancelled)
    #expect(fraction(tree) == 0.7)
    #expect(tree.snapshot().bytes.completedCount == 70)
    #expect(tree.snapshot().grossByteCount == 110)
  }

  // PRG-6: a byte total is exact only when nothing can be added to it.
  @Test func theByteTotalSaysHowSureItIs() throws {
    let tree = ProgressTree(total: .exactly(3), unit: .items)
    #expect(tree.snapshot().bytes.total == .unknown)
    let first = try tree.root.share(weight: 1).start(total: .exactly(100), unit: .bytes)
    let second = try tree.root.share(weight: 1).start(total: .unknown, unit: .bytes)
    #expect(tree.snapshot().bytes.total == .atLeast(100))
    second.complete(7)
    #expect(tree.snapshot().bytes.total == .atLeast(107))
    second.settle(.succeeded)
    #expect(tree.snapshot().bytes.total == .exactly(107))
    let third = try tree.root.share(weight: 1).stored()
    #expect(tree.snapshot().bytes.total == .atLeast(107))
    _ = third.take()
    first.settle(.cancelled)
    #expect(tree.snapshot().bytes.total == .exactly(107))
    #expect(tree.snapshot().bytes.completedCount == 7)
  }
}
