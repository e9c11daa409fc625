import Settle
import SettleCore

extension Trace {
  /// The same options, with each item's notification recorded before it goes on to its receiver.
  public func observing(_ options: ImportOptions) -> ImportOptions {
    var observed = options
    observed.onItem = { [self] item in
      record(.completion, item: String(item.index), name: item.outcome.kind.rawValue)
      options.onItem?(item)
    }
    return observed
  }

  /// Records that whoever waited for an import got its report.
  public func record(_ report: ImportReport) {
    record(.completion, name: report.state.rawValue)
  }

  /// Records what an observer of a run was shown.
  public func record(_ snapshot: RunSnapshot) {
    // The end is no phase of its own: what it shows must not fall below what was shown before.
    let isCounting = snapshot.phase == .counting
    var shown = TraceEvent(.progress, name: isCounting ? "counting" : "importing")
    shown.fraction = snapshot.progress.fractionCompleted
    shown.items = snapshot.counts.settled
    record(shown)
  }
}
