import SettleCore

/// An exact model of a progress tree: keeps all work for ever and computes everything anew.
///
/// Ticks are 2^40 times finer than the engine's, so that the model's own rounding is far below one
/// tick. Nothing is folded, freed or cached here, which is what the engine is checked against.
struct ProgressModel {
  /// The whole, in fine ticks.
  static let whole = UInt128(1) << 100

  /// How a piece of work or a share ended.
  struct Ending: Equatable {
    var kind: OutcomeKind
    var fills: Bool
  }

  /// A share: handed out, then started or settled without a start.
  final class Share {
    let parent: Work?
    let span: UInt128
    var work: Work?
    var ending: Ending?
    var isUnclaimed = false

    init(parent: Work?, span: UInt128) { (self.parent, self.span) = (parent, span) }
  }

  /// A piece of work.
  final class Work {
    let unit: WorkUnit
    let span: UInt128
    var total: WorkTotal
    var attempts: [Int64] = [0]
    var shares: [Share] = []
    var assigned: Int64 = 0
    /// Fine ticks shown for good and the units they stand for.
    var kept: UInt128 = 0
    var keptUnits: Int64 = 0
    var ending: Ending?

    init(unit: WorkUnit, span: UInt128, total: WorkTotal) {
      (self.unit, self.span, self.total) = (unit, span, total)
    }

    var given: UInt128 { shares.reduce(0) { $0 + $1.span } }
    var own: UInt128 { span - given }
    var net: Int64 { attempts.max() ?? 0 }
    var gross: Int64 { attempts.reduce(0, +) }
    var capacity: Int64 { total.count - assigned }
    var excess: Int64 { total.isExact ? max(0, net - capacity) : 0 }
    var open: Int64 { max(0, capacity - keptUnits) }
    var doneSinceKept: Int64 { min(max(0, net - keptUnits), open) }

    var shown: UInt128 {
      let units = UInt128(open) + (total.isExact ? 0 : 1)
      return units == 0 ? kept : kept + (own - kept) * UInt128(doneSinceKept) / units
    }

    func keepWhatIsShown() {
      (kept, keptUnits) = (shown, keptUnits + doneSinceKept)
    }
  }

  let root: Work
  private(set) var all: [Work]
  private(set) var ignored: Int64 = 0
  private(set) var unclaimed: Int64 = 0

  init(total: WorkTotal, unit: WorkUnit) {
    root = Work(unit: unit, span: Self.whole, total: total)
    all = [root]
  }

  var liveCount: Int { all.count { $0.ending == nil } }

  /// Nil when the engine must throw.
  mutating func share(_ weight: Int64, of work: Work) -> Share? {
    guard work.ending == nil else {
      ignored += 1
      let share = Share(parent: work, span: 0)
      share.ending = Ending(kind: .skipped, fills: false)
      return share
    }
    work.keepWhatIsShown()
    guard weight >= 0, weight <= work.open else { return nil }
    let units = UInt128(work.open) + (work.total.isExact ? 0 : 1)
    let span = units == 0 ? 0 : (work.own - work.kept) * UInt128(weight) / units
    let share = Share(parent: work, span: span)
    work.assigned += weight
    work.shares.append(share)
    return share
  }

  mutating func start(_ share: Share, total: WorkTotal, unit: WorkUnit) -> Work {
    let work = Work(unit: unit, span: share.span, total: total)
    work.ending = share.ending
    // Work of a share that settled with its parent is not part of the tree any more.
    if share.ending == nil {
      share.work = work
      all.append(work)
    }
    return work
  }

  mutating func drop(_ share: Share) {
    guard share.ending == nil, share.work == nil else { return }
    share.ending = Ending(kind: .skipped, fills: false)
    unclaimed += 1
  }

  mutating func complete(_ count: Int64, of work: Work) {
    if count < 0 || (work.ending != nil && count != 0) { return ignored += 1 }
    if work.ending == nil { work.attempts[work.attempts.count - 1] += count }
  }

  mutating func setTotal(_ total: WorkTotal, of work: Work) {
    guard work.ending == nil else { return ignored += 1 }
    work.keepWhatIsShown()
    let least = work.assigned
    work.total =
      switch total {
      case .unknown: least == 0 ? .unknown : .atLeast(least)
      case .atLeast(let count): .atLeast(max(count, least))
      case .exactly(let count): .exactly(max(count, least))
      }
  }

  mutating func beginAttempt(of work: Work) {
    guard work.ending == nil else { return ignored += 1 }
    work.attempts.append(0)
  }

  mutating func settle(_ work: Work, _ outcome: Outcome) -> Bool {
    guard work.ending == nil else { return false }
    end(work, Ending(kind: outcome.kind, fills: outcome.isWell))
    return true
  }

  private mutating func end(_ work: Work, _ ending: Ending) {
    work.ending = ending
    let isSuccess = ending.kind == .succeeded
    let below = isSuccess ? Ending(kind: .skipped, fills: false) : ending
    for share in work.shares where share.ending == nil {
      if let child = share.work {
        guard child.ending == nil else { continue }
        if isSuccess { unclaimed += 1 }
        end(child, below)
      } else {
        share.ending = below
        unclaimed += 1
      }
    }
  }

  // MARK: What a snapshot must say

  /// Completed fine ticks.
  var completed: UInt128 {
    all.reduce(0) { sum, work in
      let unstarted = work.shares.filter { $0.work == nil && $0.ending?.fills == true }
      let own = work.ending?.fills == true ? work.own : work.shown
      return sum + own + unstarted.reduce(0) { $0 + $1.span }
    }
  }

  /// Fine ticks that ended in one way.
  func weight(_ kind: OutcomeKind) -> UInt128 {
    all.reduce(0) { sum, work in
      let unstarted = work.shares.filter { $0.work == nil && $0.ending?.kind == kind }
      let own = work.ending?.kind == kind ? work.own : 0
      return sum + own + unstarted.reduce(0) { $0 + $1.span }
    }
  }

  /// Everything but the weights, which the engine rounds.
  func expected() -> ProgressSnapshot {
    var expected = ProgressSnapshot()
    let bytes = all.filter { $0.unit == .bytes }
    expected.overrun = all.reduce(0) { $0 + $1.excess }
    expected.bytes.completedCount = bytes.reduce(0) { $0 + $1.net - $1.excess }
    expected.grossByteCount = bytes.reduce(0) { $0 + $1.gross }
    let total = bytes.reduce(0) { $0 + ($1.total.isExact ? $1.capacity : max($1.capacity, $1.net)) }
    expected.bytes.abandonedCount = bytes.filter { $0.ending != nil }.reduce(0) { sum, work in
      let total = work.total.isExact ? work.capacity : max(work.capacity, work.net)
      return sum + max(0, total - (work.net - work.excess))
    }
    let isOpen = all.contains { $0.shares.contains { $0.work == nil && $0.ending == nil } }
    if !isOpen, !bytes.isEmpty, bytes.allSatisfy({ $0.ending != nil || $0.total.isExact }) {
      expected.bytes.total = .exactly(total)
    } else if total > 0 {
      expected.bytes.total = .atLeast(total)
    }
    expected.ignoredUpdates = ignored
    expected.unclaimedShares = unclaimed
    expected.isSettled = root.ending != nil
    return expected
  }

  /// True when a percentage may be shown.
  var hasFraction: Bool {
    if root.ending != nil, isWhole { return true }
    if case .exactly(let count) = root.total { return count > 0 }
    return false
  }

  /// True when every tick was filled.
  var isWhole: Bool {
    all.allSatisfy { work in
      work.ending?.fills == true
        && work.shares.allSatisfy { $0.work != nil || $0.span == 0 || $0.ending?.fills == true }
    }
  }
}
