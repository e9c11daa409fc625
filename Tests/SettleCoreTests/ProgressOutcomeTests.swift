import SettleCore
import Testing

/// What outcomes do to the bar and to the accounts.
@Suite struct ProgressOutcomeTests {
  private static let whole = ProgressSnapshot.fullWeight
  private static let failure = Outcome.failed(SettleError(.damaged))
  private static let missed = Outcome.skipped(.dependencyFailed(root: "download"))

  private func fraction(_ tree: ProgressTree) -> Double? { tree.snapshot().fractionCompleted }

  // PRG-10
  @Test(arguments: [
    (Outcome.succeeded, true), (.skipped(.unchanged), true), (missed, false), (failure, false),
    (.cancelled, false),
  ])
  func onlySuccessAndBenignSkipsFillTheBar(outcome: Outcome, fills: Bool) throws {
    let tree = ProgressTree(total: .exactly(2))
    let work = try tree.root.share(weight: 1).start(total: .exactly(4))
    work.complete(1)
    work.settle(outcome)
    #expect(fraction(tree) == (fills ? 0.5 : 0.125))
    let snapshot = tree.snapshot()
    #expect(snapshot.settledWeight == Self.whole / 2)
    #expect(snapshot.succeededWeight == (outcome.kind == .succeeded ? Self.whole / 2 : 0))
    #expect(snapshot.failedWeight == (outcome.kind == .failed ? Self.whole / 2 : 0))
    #expect(snapshot.skippedWeight == (outcome.kind == .skipped ? Self.whole / 2 : 0))
    #expect(snapshot.cancelledWeight == (outcome.kind == .cancelled ? Self.whole / 2 : 0))
  }

  // PRG-14: what was refused before it was copied takes no time any more.
  @Test func refusedBytesAreNoWorkLeft() throws {
    let tree = ProgressTree(total: .exactly(2))
    let film = try tree.root.share(weight: 1).start(total: .exactly(3_000), unit: .bytes)
    let scan = try tree.root.share(weight: 1).start(total: .exactly(100), unit: .bytes)
    film.complete(10)
    film.settle(.skipped(.unsupportedType))
    scan.complete(40)
    let bytes = tree.snapshot().bytes
    #expect(bytes.total == .exactly(3_100) && bytes.completedCount == 50)
    #expect(bytes.abandonedCount == 2_990 && bytes.attainableTotal == .exactly(110))
    scan.complete(60)
    scan.settle(.succeeded)
    #expect(tree.snapshot().bytes.abandonedCount == 2_990)
    var rate = RateEstimator()
    rate.record(0, at: .zero)
    rate.record(50, at: .seconds(5))
    #expect(rate.timeLeft(to: bytes.attainableTotal) == .seconds(6))
  }

  // PRG-9, PRG-10: cancelling at 12 of 100 is not 100 %, at no moment.
  @Test func cancelledIsNeverShownAsDone() {
    let tree = ProgressTree(total: .exactly(100))
    tree.root.complete(12)
    tree.root.settle(.cancelled)
    let snapshot = tree.snapshot()
    #expect(snapshot.isSettled)
    #expect(snapshot.fractionCompleted == 0.12)
    #expect(snapshot.succeededWeight == 0)
    #expect(snapshot.cancelledWeight == Self.whole)
  }

  // PRG-9: a hundred percent, settled by a failure, is not one.
  @Test func allUnitsWithoutSuccessAreLessThanOne() {
    let tree = ProgressTree(total: .exactly(7))
    tree.root.complete(7)
    tree.root.settle(Self.failure)
    #expect(fraction(tree) == 1.0.nextDown)
  }

  // PRG-9: one missing unit of very many is still missing.
  @Test func oneMissingUnitOfManyKeepsItBelowOne() throws {
    let count: Int64 = (1 << 53) + 1
    let tree = ProgressTree(total: .exactly(count))
    tree.root.complete(count - 2)
    tree.root.complete(1)
    #expect(fraction(tree) == 1.0.nextDown)
    tree.root.settle(.cancelled)
    #expect(fraction(tree) == 1.0.nextDown)
  }

  // PRG-10: what had settled keeps its outcome when the work above it settles.
  @Test func settledChildrenKeepTheirOutcome() throws {
    let tree = ProgressTree(total: .exactly(8))
    let outcomes: [Outcome] = [.succeeded, Self.failure, .skipped(.unchanged), .cancelled]
    for outcome in outcomes {
      try tree.root.share(weight: 1).start(total: .exactly(1)).settle(outcome)
    }
    tree.root.settle(.cancelled)
    let snapshot = tree.snapshot()
    #expect(snapshot.succeededWeight == Self.whole / 8)
    #expect(snapshot.failedWeight == Self.whole / 8)
    #expect(snapshot.skippedWeight == Self.whole / 8)
    #expect(snapshot.cancelledWeight == Self.whole / 8 * 5)
    #expect(snapshot.settledWeight == Self.whole)
    #expect(snapshot.fractionCompleted == 0.25)
  }

  // PRG-10: work below takes the outcome of the work above, through all levels.
  @Test(arguments: [Outcome.cancelled, failure, missed, .skipped(.unchanged)])
  func unsettledWorkBelowTakesTheOutcome(outcome: Outcome) throws {
    let tree = ProgressTree(total: .exactly(4))
    let middle = try tree.root.share(weight: 2).start(total: .exactly(2))
    let leaf = try middle.share(weight: 1).start(total: .exactly(2))
    let waiting = try middle.share(weight: 1).stored()
    leaf.complete(1)
    middle.settle(outcome)
    #expect(leaf.isSettled)
    #expect(!leaf.settle(.succeeded))
    #expect(tree.snapshot().settledWeight == Self.whole / 2)
    #expect(fraction(tree) == (outcome.isWell ? 0.5 : 0.125))
    #expect(tree.snapshot().unclaimedShares == 1)
    withExtendedLifetime(waiting) {}
    #expect(tree.snapshot().unclaimedShares == 1)
  }

  // PRG-10: success above does not complete what nobody did.
  @Test func successAboveSkipsWhatNobodyDid() throws {
    let tree = ProgressTree(total: .exactly(4))
    let leaf = try tree.root.share(weight: 1).start(total: .exactly(2))
    leaf.complete(1)
    let waiting = try tree.root.share(weight: 1).stored()
    tree.root.settle(.succeeded)
    let snapshot = tree.snapshot()
    #expect(snapshot.succeededWeight == Self.whole / 2)
    #expect(snapshot.skippedWeight == Self.whole / 2)
    #expect(snapshot.unclaimedShares == 2)
    #expect(snapshot.fractionCompleted == 0.625)
    withExtendedLifetime(waiting) {}
  }

  // PRG-12: after the end nothing changes but a counter.
  @Test func nothingChangesAfterTheEnd() throws {
    let tree = ProgressTree(total: .exactly(4), unit: .bytes)
    let leaf = try tree.root.share(weight: 1).start(total: .exactly(2), unit: .bytes)
    leaf.complete(2)
    leaf.settle(.succeeded)
    tree.root.settle(Self.failure)
    let settled = tree.snapshot()
    for work in [tree.root, leaf] {
      work.complete(5)
      work.complete(-5)
      work.setTotal(.exactly(1000))
      work.beginAttempt()
      #expect(!work.settle(.succeeded))
    }
    var now = tree.snapshot()
    #expect(now.ignoredUpdates == 8)
    now.ignoredUpdates = 0
    #expect(now == settled)
  }

  // PRG-11
  @Test func readingChangesNothing() throws {
    let tree = ProgressTree(total: .exactly(9))
    let work = try tree.root.share(weight: 4).start(total: .atLeast(3))
    work.complete(2)
    let first = tree.snapshot()
    for _ in 0..<1000 { #expect(tree.snapshot() == first) }
  }
}
