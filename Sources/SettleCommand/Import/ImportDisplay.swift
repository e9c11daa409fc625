import CSettleSystem
import Settle
import SettleTerminal
import Synchronization

/// Shows a run while it works: JSON lines, a bar or plain lines, and a line for each failure.
///
/// Items may arrive before the caller of `import` has its run in hand; they wait for ``attach``.
final class ImportDisplay: Sendable {
  private struct State: Sendable {
    var run: RunID?
    var early: [ImportedItem] = []
    var hasStarted = false
    var reasons = ReasonTally()
    var plain = PlainProgress()
    var rate = RateEstimator()
    var lastProgressLine: Duration?
    var reported = Reports()
    /// The last line is printed, or the process is leaving: nothing comes any more.
    var isClosed = false
  }

  /// What the item lines said, added up.
  struct Reports: Sendable {
    var counts = OutcomeCounts()
    var byteCount: Int64 = 0
  }

  private let state = Mutex(State())
  private let console: Console
  private let start = ContinuousClock.now
  /// JSON progress comes at most four times a second.
  private static let shortestPause: Duration = .milliseconds(250)

  /// A display on a console.
  init(console: Console) { self.console = console }

  /// Why items were not imported.
  var reasons: ReasonTally { state.withLock { $0.reasons } }

  /// The run is known: shows what came before.
  func attach(_ snapshot: RunSnapshot) {
    state.withLock { state in
      state.run = snapshot.run
      let early = state.early
      state.early = []
      // Items settle only after counting, so from here on totals are exact.
      if !early.isEmpty { announce(snapshot, &state) }
      for item in early { show(item, run: snapshot.run, &state) }
    }
  }

  /// Prints the last line, unless the process is just leaving: then this is false.
  func finish(_ line: [(String, JSON)]) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.isClosed = true
      console.lastJSON(line)
      return true
    }
  }

  /// Ends the lines and says what they told; nil when the last line is printed already, or when a
  /// line is stuck at a reader that does not read.
  func abandon() -> Reports? {
    for _ in 0..<OutputPipe.patience {
      let reported = state.withLockIfAvailable { state -> Reports? in
        if state.isClosed { return nil }
        state.isClosed = true
        return state.reported
      }
      if let reported { return reported }
      poll(nil, 0, 1)
    }
    return nil
  }

  /// An item has its outcome.
  func item(_ item: ImportedItem, snapshot: () -> RunSnapshot?) {
    state.withLock { state in
      guard let run = state.run else {
        state.early.append(item)
        return
      }
      if !state.hasStarted, let snapshot = snapshot() { announce(snapshot, &state) }
      show(item, run: run, &state)
    }
  }

  /// A new snapshot.
  func show(_ snapshot: RunSnapshot) {
    let elapsed = ContinuousClock.now - start
    state.withLock { state in
      if state.isClosed { return }
      if snapshot.phase != .counting { announce(snapshot, &state) }
      state.rate.record(snapshot.progress.bytes.completedCount, at: elapsed)
      let estimate = FrameEstimate(
        bytesPerSecond: state.rate.unitsPerSecond,
        timeLeft: state.rate.timeLeft(to: snapshot.progress.bytes.attainableTotal))
      showJSON(snapshot, estimate, elapsed, &state)
      switch console.settings.progress {
      case .none: break
      case .plain:
        let line = state.plain.line(snapshot: snapshot, estimate: estimate, at: elapsed)
        if let line { console.urgent(line) }
      case .bar where snapshot.state.isSettled: break
      case .bar:
        // One column is left free: some terminals wrap a line that ends in the last one.
        console.draw(
          ProgressFrame.lines(
            snapshot: snapshot, estimate: estimate, columns: max(1, console.columns - 1)))
      }
    }
  }

  /// Says that the batch is frozen, once.
  private func announce(_ snapshot: RunSnapshot, _ state: inout State) {
    guard !state.hasStarted, !state.isClosed else { return }
    state.hasStarted = true
    console.json(ImportLines.started(snapshot))
  }

  private func showJSON(
    _ snapshot: RunSnapshot, _ estimate: FrameEstimate, _ elapsed: Duration, _ state: inout State
  ) {
    guard console.settings.isJSON, console.settings.tellsProgress, !snapshot.state.isSettled else {
      return
    }
    if let last = state.lastProgressLine, elapsed - last < Self.shortestPause { return }
    state.lastProgressLine = elapsed
    console.json(ImportLines.progress(snapshot, estimate))
  }

  private func show(_ item: ImportedItem, run: RunID, _ state: inout State) {
    if state.isClosed { return }
    state.reported.counts[item.outcome.kind] += 1
    state.reported.byteCount += item.entry?.byteCount ?? 0
    let isFirstOfItsReason = state.reasons.add(item.source.bytes, item.outcome)
    console.json(ImportLines.item(item, run: run))
    guard !console.settings.isJSON else { return }
    if case .failed(let error) = item.outcome {
      // A missing tool is about the machine: said once, not for each document.
      if error.code == .toolMissing, !isFirstOfItsReason { return }
      console.urgent(console.style.bad("failed: ") + error.message)
    } else if console.settings.isVerbose {
      console.talk(Self.line(item))
    }
  }

  private static func line(_ item: ImportedItem) -> String {
    if let entry = item.entry {
      let pages = Quantity.count(entry.pageCount, "page", "pages")
      let size = Quantity.bytes(entry.byteCount)
      return "imported: \(quoted(item.source.bytes)) as \(entry.id), \(pages), \(size)"
    }
    let reason = item.reason?.message ?? quoted(item.source.bytes)
    return "\(item.outcome.kind.rawValue): \(reason)"
  }
}
