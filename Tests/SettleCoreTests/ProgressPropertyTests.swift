import SettleCore
import SettleTestSupport
import Testing

/// Random trees against the exact model: the invariants of a progress tree, under every order of
/// attaching, counting, re-totalling, retrying, settling, dropping and reading.
@Suite(.timeLimit(.minutes(2))) struct ProgressPropertyTests {
  /// One random life of a tree, beside its model.
  private struct Life {
    private var random: SeededGenerator
    private let reads: Bool
    let tree: ProgressTree
    private var model: ProgressModel
    private var works: [(real: WorkProgress, model: ProgressModel.Work)]
    private var shares: [(real: StoredShare, model: ProgressModel.Share)] = []
    private var last = ProgressSnapshot()
    private(set) var broken: [String] = []

    init(seed: UInt64, reads: Bool) {
      random = SeededGenerator(seed: seed)
      self.reads = reads
      let total: WorkTotal = seed.isMultiple(of: 3) ? .atLeast(10) : .exactly(100)
      let unit: WorkUnit = seed.isMultiple(of: 5) ? .bytes : .items
      tree = ProgressTree(total: total, unit: unit)
      model = ProgressModel(total: total, unit: unit)
      works = [(tree.root, model.root)]
    }

    mutating func run(steps: Int) -> ProgressSnapshot {
      for _ in 0..<steps {
        step()
        if reads { check() }
      }
      let outcome = makeOutcome()
      expect(tree.root.settle(outcome) == model.settle(model.root, outcome), "first settle wins")
      check()
      for _ in 0..<5 { step() }
      shares = []
      check()
      expect(last.settledWeight == ProgressSnapshot.fullWeight, "all weight settles")
      expect(tree.liveWorkCount == 0, "nothing stays alive")
      return last
    }

    private mutating func expect(_ holds: Bool, _ rule: @autoclosure () -> String) {
      if !holds { broken.append(rule()) }
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
      Int64.random(in: range, using: &random)
    }

    private mutating func makeTotal() -> WorkTotal {
      switch number(0...6) {
      case 0: .unknown
      case 1: .atLeast(number(0...50))
      case 2: .exactly(0)
      default: .exactly(number(1...120))
      }
    }

    private mutating func makeOutcome() -> Outcome {
      switch number(0...7) {
      case 0: .failed(SettleError(.damaged))
      case 1: .cancelled
      case 2: .skipped(.unchanged)
      case 3: .skipped(.dependencyFailed(root: "step"))
      default: .succeeded
      }
    }

    private mutating func step() {
      let index = Int(number(0...Int64(works.count - 1)))
      let work = works[index]
      switch number(0...19) {
      case 0...4: share(work.real, work.model)
      case 5...7: useShare()
      case 8...14:
        let count = number(-1...30)
        work.real.complete(count)
        model.complete(count, of: work.model)
      case 15...16:
        let total = makeTotal()
        work.real.setTotal(total)
        model.setTotal(total, of: work.model)
      case 17:
        work.real.beginAttempt()
        model.beginAttempt(of: work.model)
      default:
        // The root settles at the end of the life, or else most lives would be short.
        if index == 0 { return }
        let outcome = makeOutcome()
        let isFirst = model.settle(work.model, outcome)
        expect(work.real.settle(outcome) == isFirst, "first settle wins")
      }
    }

    private mutating func share(_ real: WorkProgress, _ modelWork: ProgressModel.Work) {
      let weight = number(-1...40)
      let share = model.share(weight, of: modelWork)
      do throws(SettleError) {
        let token = try real.share(weight: weight).stored()
        guard let share else { return expect(false, "more than the total was handed out") }
        shares.append((token, share))
      } catch {
        expect(share == nil && error.code == .weightExceedsTotal, "a share was refused")
      }
    }

    private mutating func useShare() {
      guard !shares.isEmpty else { return }
      let share = shares.remove(at: Int(number(0...Int64(shares.count - 1))))
      guard number(0...4) > 0 else {
        if number(0...1) == 0 { _ = share.real.take() }
        return model.drop(share.model)
      }
      let total = makeTotal()
      let unit: WorkUnit = number(0...1) == 0 ? .bytes : .pages
      guard let work = share.real.take()?.start(total: total, unit: unit) else {
        return expect(false, "a stored share was gone")
      }
      let isTakenAgain = share.real.take() != nil
      expect(!isTakenAgain, "a stored share was taken twice")
      works.append((work, model.start(share.model, total: total, unit: unit)))
    }

    // MARK: Checks

    private mutating func check() {
      let now = tree.snapshot()
      expect(now == tree.snapshot(), "reading changes nothing")
      expect(
        now.settledWeight == now.succeededWeight + now.failedWeight + now.skippedWeight
          + now.cancelledWeight, "the four outcomes add up")
      expect(now.succeededWeight >= last.succeededWeight, "succeeded never falls")
      expect(now.failedWeight >= last.failedWeight, "failed never falls")
      expect(now.skippedWeight >= last.skippedWeight, "skipped never falls")
      expect(now.cancelledWeight >= last.cancelledWeight, "cancelled never falls")
      checkFraction(now)
      checkWeights(now)

      var rest = now
      rest.fractionCompleted = nil
      (rest.settledWeight, rest.succeededWeight, rest.failedWeight) = (0, 0, 0)
      (rest.skippedWeight, rest.cancelledWeight) = (0, 0)
      let expected = model.expected()
      expect(rest == expected, "counts: \(rest) is not \(expected)")
      expect(now.bytes.completedCount <= now.grossByteCount, "net is at most gross")
      expect(tree.liveWorkCount == model.liveCount, "live work is what has not settled")
      for work in works {
        expect(work.real.isSettled == (work.model.ending != nil), "isSettled tells the truth")
      }
      last = now
    }

    private mutating func checkFraction(_ now: ProgressSnapshot) {
      expect((now.fractionCompleted != nil) == model.hasFraction, "a fraction when there is one")
      guard let fraction = now.fractionCompleted else { return }
      expect(fraction >= 0 && fraction <= 1, "between 0 and 1")
      expect((fraction == 1) == (now.isSettled && model.isWhole), "1 only for the settled whole")
      let exact = Double(model.completed >> 40) / Double(ProgressSnapshot.fullWeight)
      expect(abs(fraction - exact) < 0x1p-50, "\(fraction) is not \(exact)")
      if let before = last.fractionCompleted { expect(fraction >= before, "never falls") }
    }

    /// A share or a reading loses less than one tick to rounding.
    private mutating func checkWeights(_ now: ProgressSnapshot) {
      let slack = Int64(2 * works.count + 200)
      for (real, kind) in [
        (now.succeededWeight, OutcomeKind.succeeded), (now.failedWeight, .failed),
        (now.skippedWeight, .skipped), (now.cancelledWeight, .cancelled),
      ] {
        let exact = Int64(model.weight(kind) >> 40)
        expect(abs(real - exact) <= slack, "\(kind) weight \(real) is not \(exact)")
      }
    }
  }

  // PRG-2, PRG-3, PRG-4, PRG-5, PRG-6, PRG-7, PRG-8, PRG-9, PRG-10, PRG-12, PRG-13
  @Test func randomTreesAgreeWithTheModel() {
    for seed in 0..<2000 as Range<UInt64> {
      var life = Life(seed: seed, reads: true)
      _ = life.run(steps: 60)
      if let first = life.broken.first {
        Issue.record("seed \(seed): \(first) (and \(life.broken.count - 1) more)")
        return
      }
    }
  }

  // PRG-11: the same life without a reader ends the same.
  @Test func readersChangeNothing() {
    for seed in 0..<1000 as Range<UInt64> {
      var (read, unread) = (Life(seed: seed, reads: true), Life(seed: seed, reads: false))
      #expect(read.run(steps: 40) == unread.run(steps: 40), "seed \(seed)")
    }
  }

  // PRG-2, PRG-5: with fixed totals the order of updates does not matter.
  @Test func theOrderOfUpdatesDoesNotMatter() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var updates = (0..<40).map { _ in
        (Int.random(in: 0..<5, using: &random), Int64.random(in: 1...20, using: &random))
      }
      var ends: [ProgressSnapshot] = []
      for _ in 0..<3 {
        let tree = ProgressTree(total: .exactly(15), unit: .items)
        let works = try (1...5).map {
          try tree.root.share(weight: $0).start(total: .exactly(150), unit: .bytes)
        }
        for (index, count) in updates { works[index].complete(count) }
        ends.append(tree.snapshot())
        updates.shuffle(using: &random)
      }
      #expect(ends[0] == ends[1] && ends[1] == ends[2], "seed \(seed)")
    }
  }
}
