import SettleCore

/// Snapshots for frames, made by hand.
func snapshot(
  _ state: RunState, phase: RunSnapshot.Phase = .importing, items: WorkTotal = .exactly(0)
) -> RunSnapshot {
  var random = SystemRandomNumberGenerator()
  var snapshot = RunSnapshot(run: RunID(milliseconds: 1, using: &random))
  snapshot.state = state
  snapshot.phase = phase
  snapshot.items = items
  return snapshot
}

/// A run in the middle of 12,000 items with some failures.
func busySnapshot() -> RunSnapshot {
  var value = snapshot(.running, items: .exactly(12_000))
  value.counts.succeeded = 5_060
  value.counts.failed = 3
  value.counts.skipped = 5
  value.progress.fractionCompleted = 0.42
  value.progress.bytes.completedCount = 1_234_567_890
  value.progress.bytes.total = .exactly(2_900_000_000)
  return value
}
