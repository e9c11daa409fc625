import Synchronization

/// What a tree, its writers, its shares and its observers hold in common.
final class ProgressCore: Sendable {
  /// The one lock of the tree. Updates never take it, and nothing of a caller's runs in it.
  let nodes: Mutex<ProgressNodes>
  private let ignoredUpdates = Atomic<Int64>(0)
  /// Opens when the root settles.
  let ended = SettledSignal()

  init(root: ProgressNode) {
    nodes = Mutex(ProgressNodes(root: root))
  }

  /// Counts an update that was negative or late.
  func ignore() {
    ignoredUpdates.wrappingAdd(1, ordering: .relaxed)
  }

  /// One consistent cut through the tree.
  func snapshot(adding units: SettledUnits = SettledUnits()) -> ProgressSnapshot {
    var snapshot = nodes.withLock { $0.snapshot(adding: units) }
    snapshot.ignoredUpdates = ignoredUpdates.load(ordering: .relaxed)
    return snapshot
  }

  /// Hands out a share; see ``WorkProgress/share(weight:)``.
  func share(_ weight: Int64, of id: ProgressNodes.ID) throws(SettleError) -> ProgressShare {
    let ticks = try nodes.withLock { (nodes) throws(SettleError) in
      try nodes.handOut(weight, of: id)
    }
    if ticks == nil { ignore() }
    return ProgressShare(.init(core: self, parent: id, ticks: ticks ?? 0))
  }

  /// Starts a share's work; it is settled from the start when the parent has settled.
  func start(_ claim: ProgressShare.Claim, total: WorkTotal, unit: WorkUnit) -> WorkProgress {
    let counter = WorkCounter()
    let node = ProgressNode(counter: counter, total: total, unit: unit, span: claim.ticks)
    if let id = nodes.withLock({ $0.start(node, below: claim.parent) }) {
      return WorkProgress(core: self, id: id, counter: counter)
    }
    return WorkProgress(core: self, id: claim.parent, counter: WorkCounter(settled: true))
  }

  /// Settles a share that was never started.
  func drop(_ claim: ProgressShare.Claim) {
    nodes.withLock { $0.drop(claim.ticks, of: claim.parent) }
  }

  /// See ``WorkProgress/setTotal(_:)``.
  func setTotal(_ total: WorkTotal, of id: ProgressNodes.ID) {
    if !nodes.withLock({ $0.replaceTotal(total, of: id) }) { ignore() }
  }

  /// See ``WorkProgress/beginAttempt()``.
  func beginAttempt(of id: ProgressNodes.ID) {
    if !nodes.withLock({ $0.beginAttempt(of: id) }) { ignore() }
  }

  /// See ``WorkProgress/settle(_:)``.
  func settle(_ id: ProgressNodes.ID, _ outcome: Outcome) -> Bool {
    let isFirst = nodes.withLock { $0.settle(id, outcome) }
    if isFirst, id.slot == ProgressNodes.root.slot { ended.open() }
    return isFirst
  }
}
