import SettleCore
import SettleFiles
import SettleLedger

extension Library {
  /// Imports documents: finds them, copies, verifies, publishes and records each, and says how each
  /// ended. Returns at once; work goes on on threads of its own.
  ///
  /// An item has succeeded when the library's own verified copy is durable and recorded, never
  /// earlier. The sources are only read.
  ///
  /// **After cancellation** (``ImportRun/cancel()``): items past their commit point stay; of all
  /// others nothing is left. **After a crash:** the next open removes what was staged, completes
  /// what was published, and a second import skips what is there.
  /// - Throws: `libraryBusy` while this library does something else that writes,
  ///   `permissionDenied` when it was opened for reading only. All other errors are outcomes.
  public func `import`(
    _ sources: [ImportSource], options: ImportOptions = ImportOptions()
  ) throws -> ImportRun {
    try begin("importing")
    let run = ImportRun(id: self.options.time.makeID())
    do throws(SettleError) {
      try WorkerThread.start { self.work(on: run, sources, options) }
    } catch {
      end()
      throw error
    }
    return run
  }

  /// The run's own thread, from the first look at the sources to the report.
  private func work(on run: ImportRun, _ sources: [ImportSource], _ options: ImportOptions) {
    let clock = ContinuousClock()
    let start = clock.now
    var ended = EndedImport()
    do throws(SettleError) {
      ended = try workThrowing(on: run, sources, options)
    } catch {
      ended.failure = error
      ended.state = .failed
    }
    let report = ImportReport(
      run: run.id, state: ended.state, counts: ended.counts, byteCount: ended.byteCount,
      duration: start.duration(to: clock.now), failure: ended.failure)
    end()
    run.end(report, ended.snapshot ?? run.snapshot())
  }

  private struct EndedImport {
    var state = RunState.failed
    var counts = OutcomeCounts()
    var byteCount: Int64 = 0
    var failure: SettleError?
    var snapshot: RunSnapshot?
  }

  private func workThrowing(
    on run: ImportRun, _ sources: [ImportSource], _ options: ImportOptions
  ) throws(SettleError) -> EndedImport {
    options.countingProbe(self)
    let window = try ImportWindow(
      freeFileCount: OpenFiles.freeCount, workerCount: self.options.workerCount)
    let items = try scan(sources, for: run)
    if items.count == 0, options.failsIfEmpty {
      throw SettleError(.noInput, stage: .access)
    }
    let engine = ImportEngine(library: self, run: run.id, items: items, options: options)
    defer {
      engine.removeStaging()
      if !options.isDryRun { Reserve.refill(folders) }
    }
    run.freeze(engine)
    engine.probe.event(ProbeEvent("run.started", detail: String(items.count)))
    let startedAt = Int64(self.options.time.milliseconds)
    let coordinator: ImportCoordinator
    let end: (state: RunState, byteCount: Int64)
    do throws(SettleError) {
      try engine.makeStaging()
      try recordRun(options) { (ledger) throws(SettleError) in
        try ledger.beginRun(run.id, startedAt: startedAt)
      }
      coordinator = try ImportCoordinator(engine, window: window)
      end = try coordinator.run()
    } catch {
      return failed(engine, error)
    }
    var ended = EndedImport()
    ended.state = end.state
    ended.counts = engine.control.status.counts
    ended.byteCount = end.byteCount
    ended.failure = coordinator.ledgerError
    do throws(SettleError) {
      var record = LedgerRun(id: run.id, startedAt: startedAt)
      record.endedAt = Int64(self.options.time.milliseconds)
      record.state = ended.state
      record.counts = ended.counts
      record.byteCount = ended.byteCount
      let row = record
      try recordRun(options) { (ledger) throws(SettleError) in try ledger.endRun(row) }
    } catch {
      // The documents are recorded; only the run's own line is not.
      ended.failure = ended.failure ?? error
    }
    engine.tree.root.settle(ended.state.treeOutcome)
    ended.snapshot = engine.finalSnapshot()
    engine.tellEnd(ended.state, ended.counts)
    return ended
  }

  /// The run could not begin: every item has its outcome all the same.
  private func failed(_ engine: ImportEngine, _ error: SettleError) -> EndedImport {
    var ended = EndedImport()
    ended.failure = error
    ended.state = engine.failAll(error)
    ended.counts = engine.control.status.counts
    engine.tree.root.settle(ended.state.treeOutcome)
    ended.snapshot = engine.finalSnapshot()
    engine.tellEnd(ended.state, ended.counts)
    return ended
  }

  private func recordRun(
    _ options: ImportOptions, _ body: (Ledger) throws(SettleError) -> Void
  ) throws(SettleError) {
    if options.isDryRun { return }
    try Reserve.lend(folders) { () throws(SettleError) in try body(ledger) }
  }

  /// Finds what is to be imported (RUN-6). A cancellation ends the search. The library's own
  /// folders are no sources: importing them would double the library.
  private func scan(
    _ sources: [ImportSource], for run: ImportRun
  ) throws(SettleError) -> ImportItems {
    var items = ImportItems()
    let own = try folders.statuses()
    var goesOn = true
    for source in sources where goesOn {
      // Asked for each folder, too: a tree without files finds nothing for a long time (CAN-9).
      let scan = SourceScan(folders.files, closed: own) { goesOn && !run.isCountingCancelled }
      _ = scan.walk(source.path) { found in
        items.append(found)
        goesOn = run.found(byteCount: items.byteCount(of: items.count - 1))
        return goesOn
      }
    }
    return items
  }
}

extension ImportOptions {
  fileprivate func countingProbe(_ library: Library) {
    library.options.probe.reach(Checkpoint("import.counting"))
  }
}

extension RunState {
  /// The outcome of the whole for the progress tree: only success fills what is left of the bar.
  fileprivate var treeOutcome: Outcome {
    switch self {
    case .succeeded: .succeeded
    case .cancelled: .cancelled
    case .failed, .waiting, .running, .cancelling:
      .failed(SettleError(.dependencyFailed, detail: "some items did not succeed"))
    }
  }
}
