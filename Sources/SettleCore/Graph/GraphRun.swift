extension Graph {
  /// Starts a run of this graph. Its workers begin at once; nothing here waits for them.
  public func start(_ options: GraphOptions = GraphOptions()) -> GraphRun {
    start(options, resuming: nil)
  }

  /// Goes on where an earlier run was shut down, failed or was cancelled (RUN-13).
  ///
  /// Steps that succeeded there are not run again: they end as skipped (unchanged), and their
  /// results are those of the earlier run. They are found by their names, and must have the same
  /// ``ContentIdentity``, unless the earlier run was one of this very graph. A step whose result is
  /// needed and was let go is run again. ``StepReport/rerunReason`` says why a step was run.
  public func start(
    _ options: GraphOptions = GraphOptions(), resuming report: GraphReport?
  ) -> GraphRun {
    let engine = GraphEngine(storage, options)
    engine.start(resuming: report)
    return GraphRun(engine: engine)
  }
}

/// One run of a ``Graph``. Every call may come from any thread and none of them blocks.
public struct GraphRun: Sendable {
  let engine: GraphEngine

  /// The identity of the run.
  public var id: RunID { engine.id }

  /// Cancels the run; the answer is true at the moment it is given (CAN-2).
  ///
  /// Steps that wait are cancelled at once, also while the run is paused. Bodies that run are told
  /// by the cancellation of their task and by ``StepContext/isCancelled``, and are awaited. Steps
  /// past their commit point stay as they are.
  @discardableResult
  public func cancel() -> CancelAnswer { engine.transition { $0.cancel(at: $1) } }

  /// Lets no step begin until ``resume()``; what runs goes on.
  public func pause() { engine.transition { $0.setPaused(true, at: $1) } }

  /// Lets steps begin again.
  public func resume() { engine.transition { $0.setPaused(false, at: $1) } }

  /// Ends the run for this process without cancelling it (RUN-13).
  ///
  /// Bodies that run are told to stop and awaited; those that did not commit go back to waiting,
  /// their attempt not charged. The report names them as unfinished; see
  /// ``Graph/start(_:resuming:)``.
  public func shutDown() { engine.transition { $0.shutDown(at: $1) } }

  /// What became of the run, when nothing of it works any more. Waits for that, and never throws;
  /// cancelling the waiting task does not cancel the run.
  public var report: GraphReport {
    get async {
      await engine.ended.waitUninterrupted()
      return engine.report()
    }
  }

  /// The run at this moment. Reading changes nothing (PRG-11).
  public func snapshot() -> GraphSnapshot { engine.snapshot() }

  /// Snapshots for an observer: the current one at once, then the newest after each `every` in
  /// which something changed, and last the one of the end, as soon as there is one (PRG-12).
  public func updates<C: Clock>(every interval: C.Duration, clock: C) -> GraphUpdates
  where C.Duration == Duration {
    GraphUpdates(engine: engine) { try await clock.sleep(for: interval) }
  }
}
