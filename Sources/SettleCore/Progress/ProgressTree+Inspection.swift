extension ProgressTree {
  /// Number of pieces of work that have not settled, the root included. For tests of PRG-13.
  package var liveWorkCount: Int { core.nodes.withLock { $0.liveCount } }

  /// Number of places for work in memory, used or not. For tests of PRG-13.
  package var slotCount: Int { core.nodes.withLock { $0.slotCount } }

  /// Runs a body while the structure's lock is held, to show that an update does without it.
  package func holdingLock(_ body: () -> Void) {
    core.nodes.withLock { _ in body() }
  }
}
