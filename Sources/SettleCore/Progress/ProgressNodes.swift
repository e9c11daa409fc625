/// The structure of a progress tree: a value, kept by ``ProgressCore`` in one lock.
///
/// Invariants, checked by the property test:
/// - The spans of all unsettled nodes' own parts, of all pending shares and of everything settled
///   add up to ``ProgressSnapshot/fullWeight`` (PRG-10).
/// - A node lives exactly as long as it is unsettled. What it leaves behind is in `account`, so a
///   snapshot walks over live nodes only and settled ones cost nothing (PRG-13).
/// - A live node's ancestors are alive: settling a node settles all below it.
struct ProgressNodes {
  /// Names a node; stays valid as a name after the node has gone.
  struct ID: Sendable {
    var slot: Int
    var serial: UInt64
  }

  /// How a node ends: in which account its ticks go, and whether it fills the bar.
  struct Ending {
    var kind: OutcomeKind
    var fills: Bool

    init(_ outcome: Outcome) {
      kind = outcome.kind
      fills = outcome.isWell
    }

    init(kind: OutcomeKind, fills: Bool) {
      self.kind = kind
      self.fills = fills
    }

    /// What nobody did although what is around it succeeded: skipped, and not filled.
    static let leftOut = Ending(kind: .skipped, fills: false)

    /// How unsettled work below ends with this.
    var below: Ending { kind == .succeeded ? .leftOut : self }
  }

  private var slots: [ProgressNode] = []
  private var freeSlots: [Int] = []
  private var nextSerial: UInt64 = 1
  /// What the settled ones left behind.
  private var account = ProgressSnapshot()
  private var settledTicks: Int64 = 0
  /// False once any work ended otherwise than well: then the whole is never complete.
  private var isAllWell = true
  private var settledByteTotal: Int64 = 0
  private var hasSettledBytes = false
  private var pendingShares: Int64 = 0
  /// The root's total once the root has settled.
  private var finalTotal: WorkTotal?

  /// The root's name: it is the first node.
  static let root = ID(slot: 0, serial: 1)

  init(root node: ProgressNode) {
    insert(node, below: -1)
  }

  private func isAlive(_ id: ID) -> Bool { slots[id.slot].serial == id.serial }

  /// Hands out a share of `weight` units and returns its ticks.
  ///
  /// A settled node hands out shares without weight, whose work is settled from the start.
  mutating func handOut(_ weight: Int64, of id: ID) throws(SettleError) -> Int64? {
    guard isAlive(id) else { return nil }
    guard let ticks = slots[id.slot].handOut(weight) else {
      throw SettleError(
        .weightExceedsTotal,
        detail: "\(weight) of a total of \(slots[id.slot].total.count)")
    }
    pendingShares += 1
    return ticks
  }

  /// Turns a pending share into a node; nil when its parent has settled in the meantime.
  mutating func start(_ node: ProgressNode, below parent: ID) -> ID? {
    guard isAlive(parent) else { return nil }
    takePending(node.span, of: parent.slot)
    return insert(node, below: parent.slot)
  }

  /// Settles a pending share that nobody will start.
  mutating func drop(_ ticks: Int64, of parent: ID) {
    guard isAlive(parent) else { return }
    takePending(ticks, of: parent.slot)
    account.add(ticks, to: .skipped)
    account.unclaimedShares += 1
  }

  private mutating func takePending(_ ticks: Int64, of slot: Int) {
    slots[slot].pendingShares -= 1
    slots[slot].pendingSpan -= ticks
    pendingShares -= 1
  }

  /// Replaces a node's total; false when it has settled.
  mutating func replaceTotal(_ total: WorkTotal, of id: ID) -> Bool {
    guard isAlive(id) else { return false }
    slots[id.slot].replaceTotal(total)
    return true
  }

  /// Restarts a node's count; false when it has settled.
  mutating func beginAttempt(of id: ID) -> Bool {
    guard isAlive(id) else { return false }
    slots[id.slot].beginAttempt()
    return true
  }

  // MARK: Settling

  /// Settles a node and all below it; false when it had settled before.
  mutating func settle(_ id: ID, _ outcome: Outcome) -> Bool {
    guard isAlive(id) else { return false }
    if id.slot == Self.root.slot { finalTotal = slots[id.slot].total }
    unlink(id.slot)
    var open = [(slot: id.slot, ending: Ending(outcome))]
    while let (slot, ending) = open.popLast() {
      var child = slots[slot].firstChild
      while child >= 0 {
        if ending.kind == .succeeded { account.unclaimedShares += 1 }
        open.append((child, ending.below))
        child = slots[child].next
      }
      fold(slots[slot], ending)
      slots[slot] = .free
      freeSlots.append(slot)
    }
    return true
  }

  /// Moves what a node is into the account: its own ticks, its pending shares, its counts.
  private mutating func fold(_ node: ProgressNode, _ ending: Ending) {
    let amount = node.amount(of: node.counter.close())
    isAllWell = isAllWell && ending.fills
    account.add(node.ownSpan, to: ending.kind)
    settledTicks += ending.fills ? node.ownSpan : amount.shown

    account.add(node.pendingSpan, to: ending.below.kind)
    settledTicks += ending.below.fills ? node.pendingSpan : 0
    account.unclaimedShares += node.pendingShares
    pendingShares -= node.pendingShares

    account.count(node, amount)
    if node.unit == .bytes {
      hasSettledBytes = true
      let total = node.total.isExact ? amount.known : max(amount.known, amount.net)
      settledByteTotal = settledByteTotal.addingSaturated(total)
      let undone = max(0, total - (amount.net - amount.excess))
      account.bytes.abandonedCount = account.bytes.abandonedCount.addingSaturated(undone)
    }
  }

  /// Settles units of the root's total that were never handed out.
  mutating func settle(_ units: SettledUnits) {
    guard finalTotal == nil else { return }
    for (count, ending) in units.parts where count > 0 {
      let ticks = slots[Self.root.slot].takeOut(count)
      account.add(ticks, to: ending.kind)
      if ending.fills { settledTicks += ticks } else { isAllWell = false }
    }
  }

  // MARK: Reading

  /// One consistent cut, as if `units` had been settled. Changes nothing (PRG-11).
  func snapshot(adding units: SettledUnits) -> ProgressSnapshot {
    guard finalTotal == nil, !units.isEmpty else { return snapshot() }
    var root = slots[Self.root.slot]
    var account = account
    var ticks = settledTicks
    for (count, ending) in units.parts where count > 0 {
      let part = root.takeOut(count)
      account.add(part, to: ending.kind)
      if ending.fills { ticks += part }
    }
    return snapshot(account, ticks)
  }

  /// One consistent cut. Changes nothing (PRG-11); costs O(live nodes).
  func snapshot() -> ProgressSnapshot { snapshot(account, settledTicks) }

  private func snapshot(_ account: ProgressSnapshot, _ settledTicks: Int64) -> ProgressSnapshot {
    var snapshot = account
    var ticks = settledTicks
    var byteTotal = settledByteTotal
    var isByteTotalExact = pendingShares == 0
    var hasBytes = hasSettledBytes
    walk { node in
      let amount = node.amount(of: node.counter.count)
      ticks += amount.shown
      snapshot.count(node, amount)
      guard node.unit == .bytes else { return }
      hasBytes = true
      let isExact = node.total.isExact
      isByteTotalExact = isByteTotalExact && isExact
      byteTotal = byteTotal.addingSaturated(isExact ? amount.known : max(amount.known, amount.net))
    }
    snapshot.isSettled = finalTotal != nil
    if hasBytes, isByteTotalExact {
      snapshot.bytes.total = .exactly(byteTotal)
    } else if byteTotal > 0 {
      snapshot.bytes.total = .atLeast(byteTotal)
    }
    snapshot.fractionCompleted = fraction(ticks)
    return snapshot
  }

  /// Nil while no honest figure exists (PRG-6); 1 only when all of it is settled well (PRG-9).
  private func fraction(_ ticks: Int64) -> Double? {
    if finalTotal != nil, isAllWell, ticks == ProgressSnapshot.fullWeight { return 1 }
    guard case .exactly(let count) = finalTotal ?? slots[Self.root.slot].total, count > 0
    else { return nil }
    return min(Double(ticks) / Double(ProgressSnapshot.fullWeight), 1.0.nextDown)
  }

  /// Number of unsettled nodes.
  var liveCount: Int { slots.count - freeSlots.count }

  /// Number of slots, used or free.
  var slotCount: Int { slots.count }

  /// Visits every live node, parents first, along the links.
  private func walk(_ visit: (borrowing ProgressNode) -> Void) {
    var slot = finalTotal == nil ? Self.root.slot : -1
    while slot >= 0 {
      visit(slots[slot])
      if slots[slot].firstChild >= 0 {
        slot = slots[slot].firstChild
        continue
      }
      while slot >= 0, slots[slot].next < 0 { slot = slots[slot].parent }
      if slot >= 0 { slot = slots[slot].next }
    }
  }

  // MARK: Slots

  @discardableResult
  private mutating func insert(_ node: ProgressNode, below parent: Int) -> ID {
    var node = node
    node.serial = nextSerial
    node.parent = parent
    node.next = parent < 0 ? -1 : slots[parent].firstChild
    nextSerial += 1
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(node) } else { slots[slot] = node }
    if node.next >= 0 { slots[node.next].previous = slot }
    if parent >= 0 { slots[parent].firstChild = slot }
    return ID(slot: slot, serial: node.serial)
  }

  /// Takes a node out of its siblings. Its own children stay below it.
  private mutating func unlink(_ slot: Int) {
    let (parent, previous, next) = (slots[slot].parent, slots[slot].previous, slots[slot].next)
    if next >= 0 { slots[next].previous = previous }
    if previous >= 0 {
      slots[previous].next = next
    } else if parent >= 0 {
      slots[parent].firstChild = next
    }
  }
}

extension ProgressNode {
  /// A slot without a node.
  fileprivate static let free = ProgressNode(
    counter: WorkCounter(settled: true), total: .unknown, unit: .steps, span: 0)
}

extension ProgressSnapshot {
  /// Settles `ticks` in the account of one kind of outcome.
  fileprivate mutating func add(_ ticks: Int64, to kind: OutcomeKind) {
    settledWeight += ticks
    switch kind {
    case .succeeded: succeededWeight += ticks
    case .failed: failedWeight += ticks
    case .skipped: skippedWeight += ticks
    case .cancelled: cancelledWeight += ticks
    }
  }

  /// Adds the counts of one node.
  fileprivate mutating func count(_ node: borrowing ProgressNode, _ amount: ProgressNode.Amount) {
    overrun = overrun.addingSaturated(amount.excess)
    guard node.unit == .bytes else { return }
    bytes.completedCount = bytes.completedCount.addingSaturated(amount.net - amount.excess)
    grossByteCount = grossByteCount.addingSaturated(amount.gross)
  }
}
