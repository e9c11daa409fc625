import SettleCore
import SettleFiles
import Synchronization

/// One import that is going on, or has ended.
///
/// Cancelling is a plain call from any thread; waiting is asynchronous and blocks nothing (RUN-12).
/// A run goes on when nobody holds it any more.
public final class ImportRun: Sendable {
  /// The run's identity, unguessable and sortable by time.
  public let id: RunID

  private enum Stage: Sendable {
    case counting(items: Int64, byteCount: Int64, isCancelled: Bool)
    case working(ImportEngine)
    case ended(ImportReport, RunSnapshot)
  }

  private let stage = Mutex(Stage.counting(items: 0, byteCount: 0, isCancelled: false))
  private let ended = SettledSignal()

  init(id: RunID) { self.id = id }

  /// A picture of the run at this moment.
  public func snapshot() -> RunSnapshot {
    switch stage.withLock({ $0 }) {
    case .counting(let items, let byteCount, let isCancelled):
      var snapshot = RunSnapshot(run: id)
      snapshot.state = isCancelled ? .cancelling : .waiting
      snapshot.items = .atLeast(items)
      snapshot.progress.bytes.total = .atLeast(byteCount)
      return snapshot
    case .working(let engine): return engine.snapshot()
    case .ended(_, let snapshot): return snapshot
    }
  }

  /// Pictures for an observer: one at once, then the newest after each `interval` in which
  /// something changed, and always the last (PRG-12). A slow observer delays nobody.
  public func snapshots<C: Clock>(every interval: Duration, clock: C) -> RunSnapshots
  where C.Duration == Duration {
    RunSnapshots(run: self) { try await clock.sleep(for: interval) }
  }

  /// Asks the run to end without committing anything more. True to its answer at once (CAN-2):
  /// items past their commit point stay succeeded.
  @discardableResult
  public func cancel() -> CancelAnswer {
    let (answer, engine): (CancelAnswer, ImportEngine?) = stage.withLock { stage in
      switch stage {
      case .counting(let items, let byteCount, let isCancelled):
        stage = .counting(items: items, byteCount: byteCount, isCancelled: true)
        return (isCancelled ? .alreadyRequested : .accepted, nil)
      case .working(let engine): return (.accepted, engine)
      case .ended(let report, _):
        return (report.state == .cancelled ? .alreadyRequested : .tooLate, nil)
      }
    }
    return engine?.cancel() ?? answer
  }

  /// Waits for the end and says how the run ended. Never throws.
  ///
  /// **After cancellation** of the waiting task the run goes on and the report is still awaited:
  /// cancel the run with ``cancel()``.
  public func report() async -> ImportReport {
    while true {
      if case .ended(let report, _) = stage.withLock({ $0 }) { return report }
      await ended.waitUninterrupted()
    }
  }

  func waitForEnd() async { await ended.wait() }

  // MARK: Steps of the run's own thread

  /// Counts one more found item; false once the run was cancelled.
  func found(byteCount added: Int64) -> Bool {
    stage.withLock { stage in
      guard case .counting(let items, let byteCount, let isCancelled) = stage else { return false }
      stage = .counting(
        items: items + 1, byteCount: byteCount.addingSaturating(added), isCancelled: isCancelled)
      return !isCancelled
    }
  }

  /// True once a cancellation of the counting was accepted.
  var isCountingCancelled: Bool {
    stage.withLock { if case .counting(_, _, true) = $0 { true } else { false } }
  }

  /// Freezes the batch: from here the engine answers. A cancellation of the counting is applied
  /// before anything starts, so that no body ever runs (CAN-3).
  func freeze(_ engine: ImportEngine) {
    stage.withLock { stage in
      if case .counting(_, _, true) = stage { engine.cancel() }
      stage = .working(engine)
    }
  }

  /// Ends the run: the state first, then the tree's last snapshot, then those who wait.
  ///
  /// A run that ends while it counts keeps an accepted cancellation, whatever else ended it: the
  /// answer was given under this lock (CAN-2).
  func end(_ report: ImportReport, _ snapshot: RunSnapshot) {
    stage.withLock { stage in
      var report = report
      if case .counting(_, _, true) = stage {
        report.state = .cancelled
        if report.failure?.code == .noInput { report.failure = nil }
      }
      var last = snapshot
      last.state = report.state
      last.phase = .ended
      last.counts = report.counts
      stage = .ended(report, last)
    }
    ended.open()
  }
}

/// The snapshots of one run for one observer: see ``ImportRun/snapshots(every:clock:)``.
public struct RunSnapshots: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = RunSnapshot
  /// The sequence cannot fail.
  public typealias Failure = Never

  fileprivate let run: ImportRun
  fileprivate let pause: @Sendable () async throws -> Void

  /// Starts observing.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  /// Looks at the run when it is asked to; keeps only what it delivered last.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: RunSnapshots
    private var delivered: RunSnapshot?

    fileprivate init(source: RunSnapshots) { self.source = source }

    /// The next snapshot that differs from the last; nil after the last or a cancellation.
    public mutating func next() async -> RunSnapshot? { await next(isolation: nil) }

    /// The next snapshot that differs from the last; nil after the last or a cancellation.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> RunSnapshot? {
      if delivered?.phase == .ended { return nil }
      while !Task.isCancelled {
        if delivered != nil { await source.waitForPauseOrEnd() }
        if Task.isCancelled { break }
        let current = source.run.snapshot()
        if current != delivered {
          delivered = current
          return current
        }
      }
      return nil
    }
  }

  private func waitForPauseOrEnd() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await run.waitForEnd() }
      group.addTask {
        // A clock that cannot sleep must not make this spin: then only the end is awaited.
        do { try await pause() } catch { await run.waitForEnd() }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
