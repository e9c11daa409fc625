/// One unsettled piece of work in a ``ProgressNodes``; guarded by the lock of the tree.
///
/// Its span of ticks has three parts: `given` to shares, `base` shown for good, and the rest, over
/// which the own units that are still open are spread. Rebasing turns what is shown into `base`
/// before anything changes, so that no change ever takes back what was shown (PRG-5, PRG-7).
struct ProgressNode {
  /// Names the node for good; slots are used again, serials never. Zero: the slot is free.
  var serial: UInt64 = 0
  /// Counts the node's own units.
  var counter: WorkCounter
  /// The unit in which it counts.
  var unit: WorkUnit
  /// Its total, never below `assigned`.
  private(set) var total: WorkTotal
  /// Ticks that it owns.
  var span: Int64

  /// Units of the total that were handed out as shares.
  private(set) var assigned: Int64 = 0
  /// Ticks that were handed out as shares, whatever became of them.
  private(set) var given: Int64 = 0
  /// Shares that were handed out and are neither started nor dropped, and their ticks.
  var pendingShares: Int64 = 0
  var pendingSpan: Int64 = 0

  /// Own ticks that are shown for good, and the own units that they stand for.
  private var base: Int64 = 0
  private var baseCount: Int64 = 0
  /// What the counter read when the current attempt began, and the best attempt before it.
  private var attemptStart: Int64 = 0
  private var bestAttempt: Int64 = 0

  /// Slots of the relatives, or -1.
  var parent = -1
  var firstChild = -1
  var previous = -1
  var next = -1

  init(counter: WorkCounter, total: WorkTotal, unit: WorkUnit, span: Int64) {
    self.counter = counter
    self.unit = unit
    self.span = span
    self.total = total.clamped(atLeast: 0)
  }

  /// Units of the total that belong to the node itself.
  private var capacity: Int64 { total.count - assigned }

  /// Own units that are neither shown for good nor handed out.
  private var openUnits: Int64 { max(0, capacity - baseCount) }

  /// Over how many units the rest is spread. While more may be found, one unit is kept back, so
  /// that the node cannot reach its end and growth always has something left to spread (PRG-6).
  private var spreadUnits: Int64 { total.isExact ? openUnits : openUnits + 1 }

  /// Own ticks that are neither shown for good nor handed out.
  private var rest: Int64 { span - given - base }

  /// Own ticks: all that was not handed out.
  var ownSpan: Int64 { span - given }

  /// What the counter's reading means for this node.
  func amount(of count: Int64) -> Amount {
    let net = max(bestAttempt, count - attemptStart)
    let done = min(max(net - baseCount, 0), openUnits)
    let shown = base + Ticks.part(done, of: spreadUnits, in: rest)
    let excess = total.isExact ? max(0, net - capacity) : 0
    return Amount(net: net, gross: count, shown: shown, excess: excess, known: capacity)
  }

  /// Keeps for good what is shown now.
  private mutating func rebase() {
    let count = counter.count
    let amount = amount(of: count)
    baseCount += min(max(amount.net - baseCount, 0), openUnits)
    base = amount.shown
  }

  /// Takes `weight` open units out for good and returns their ticks.
  mutating func takeOut(_ weight: Int64) -> Int64 {
    rebase()
    let weight = min(max(weight, 0), openUnits)
    let ticks = Ticks.part(weight, of: spreadUnits, in: rest)
    assigned += weight
    given += ticks
    return ticks
  }

  /// Hands out `weight` units and returns their ticks; nil when there are not that many.
  mutating func handOut(_ weight: Int64) -> Int64? {
    rebase()
    guard weight >= 0, weight <= openUnits else { return nil }
    let ticks = Ticks.part(weight, of: spreadUnits, in: rest)
    assigned += weight
    given += ticks
    pendingShares += 1
    pendingSpan += ticks
    return ticks
  }

  /// Replaces the total; what is shown stays, only the rest is spread anew.
  mutating func replaceTotal(_ new: WorkTotal) {
    rebase()
    total = new.clamped(atLeast: assigned)
  }

  /// Restarts the count; the best attempt so far keeps its credit (PRG-8).
  mutating func beginAttempt() {
    let count = counter.count
    bestAttempt = max(bestAttempt, count - attemptStart)
    attemptStart = count
  }

  /// A reading of a node.
  struct Amount {
    /// Units that count: those of the best attempt.
    var net: Int64
    /// Units of all attempts.
    var gross: Int64
    /// Own ticks to show.
    var shown: Int64
    /// Units beyond an exact total.
    var excess: Int64
    /// Own units of the total, as far as known.
    var known: Int64
  }
}

extension WorkTotal {
  /// The same kind of total, within what can be counted.
  func clamped(atLeast least: Int64) -> WorkTotal {
    switch self {
    case .unknown: least > 0 ? .atLeast(least) : .unknown
    case .atLeast(let count): .atLeast(min(max(count, least), WorkCounter.limit))
    case .exactly(let count): .exactly(min(max(count, least), WorkCounter.limit))
    }
  }
}
