import CSettleSystem
import Settle
import SettleCore
import SettleFiles
import SettleTestKit
import SettleVerify
import Synchronization

/// One cell of the import's matrix: a new library, one source, one fault, one cancellation.
final class ImportCell: Sendable {
  let combination: MatrixCombination
  let source: SelftestSources
  let library: BytePath
  let verifier: any DocumentVerifier
  private let kit = TestKit()
  private let plan = FaultPlan()
  private let items = Mutex<[ImportedItem]>([])
  private let copies = Mutex(0)
  private let troubles = Mutex<[String]>([])

  /// Longest wait for an import to reach the point of its cancellation.
  private static let limit: Duration = .seconds(5)

  init(
    _ combination: MatrixCombination, _ source: SelftestSources, library: BytePath,
    verifier: any DocumentVerifier
  ) {
    self.combination = combination
    self.source = source
    self.library = library
    self.verifier = verifier
  }

  /// Runs the import and looks at everything that it may have left.
  func observe() async throws -> CellObservation {
    let fault = SelftestFault(rawValue: combination.fault) ?? .none
    let cancel = SelftestCancel(rawValue: combination.cancelAt) ?? .never
    let library = try await Library.open(at: library, options: options())
    var report: ImportReport
    var answer: CancelAnswer?
    do {
      defer { library.close() }
      let gate = cancel == .never ? nil : kit.gate(cancel.checkpoint ?? "write")
      arm(fault, gate: cancel == .whileCopying ? gate : nil)
      var importing = ImportOptions()
      importing.onItem = { [self] item in items.withLock { $0.append(item) } }
      let run = try library.import(
        [ImportSource(source.named)], options: kit.trace.observing(importing))
      if let gate { answer = await self.cancel(run, at: gate) }
      report = await run.report()
      kit.trace.record(report)
    }
    let fired = plan.fired.contains { $0.point.kind != "clone" }
    plan.lift()
    return try await judged(report, fault == .none ? nil : fired, answer)
  }

  private func options() -> Library.Options {
    var options = Library.Options()
    options.verifier = verifier
    options.workerCount = 1
    options.files = FaultyFileSystem(base: PosixFileSystem(), plan: plan)
    options.probe = CellProbe(base: kit.probe) { [self] name in
      if name == "import.afterCopy" { change() }
      if name == "import.afterRename", combination.fault == SelftestFault.folderSyncError.rawValue {
        plan.add(.at("syncFolder", .error(EIO)))
      }
    }
    return options
  }

  private func change() {
    let number = copies.withLock { count in
      count += 1
      return count
    }
    do {
      try source.change(copy: number)
    } catch { troubles.withLock { $0.append("the source could not be changed: \(error)") } }
  }

  /// Plans the fault. Counted from now, when the library is open.
  private func arm(_ fault: SelftestFault, gate: Gate?) {
    if let gate { plan.add(.at("write", .held(gate))) }
    // Where blocks can be shared nothing is written; these cells are about writing.
    if gate != nil || [.fullDisk, .writeError, .shortWrite].contains(fault) {
      plan.add(.at("clone", .error(ENOTSUP), forever: true))
    }
    switch fault {
    case .none, .folderSyncError: break
    case .openDenied: plan.add(.at("openSource", .error(EACCES), forever: true))
    case .readError: plan.add(.at("read", .error(EIO), forever: true))
    case .noSpaceAtCreate: plan.add(.at("createFile", .noSpace, forever: true))
    case .fullDisk: plan.add(.diskFull(after: 100))
    case .writeError: plan.add(.at("write", .error(EIO), forever: true))
    case .shortWrite: plan.add(.at("write", .short(byteCount: 7)))
    case .syncError: plan.add(.at("sync", .error(EIO), forever: true))
    case .syncErrorOnce: plan.add(.at("sync", .error(EIO)))
    case .renameError: plan.add(.at("publish", .error(EIO), forever: true))
    }
  }

  /// Cancels while the work is held; nil when it never came there.
  private func cancel(_ run: ImportRun, at gate: Gate) async -> CancelAnswer? {
    defer { gate.open() }
    guard let arrival = try? await gate.waitForArrival(within: Self.limit) else { return nil }
    let answer = kit.trace.cancelling { run.cancel() }
    gate.release(arrival)
    return answer
  }

  // MARK: Afterwards

  private func judged(
    _ report: ImportReport, _ fired: Bool?, _ answer: CancelAnswer?
  ) async throws -> CellObservation {
    let settled = items.withLock { $0 }
    var seen = CellObservation(settled.first.map { CellEnding($0.outcome) })
    seen.fired = fired
    seen.counts = report.counts
    seen.byteCount = report.byteCount
    seen.completionCount = settled.count
    seen.problems = troubles.withLock { $0 }
    if settled.count != 1 { seen.problems.append("its end was notified \(settled.count) times") }
    if combination.isCancelled, answer == nil {
      seen.problems.append("the point of the cancellation was never reached")
    }
    seen.problems += kit.trace.judge().violations.map { "\($0.rule): \($0.message)" }
    seen.problems += try sourceProblems()
    try await lookAround(&seen, expecting: settled.count { $0.outcome == .succeeded })
    return seen
  }

  /// The source is as it was, or as this cell itself has changed it.
  private func sourceProblems() throws -> [String] {
    guard source.kind.hasFile, source.kind != .unreadable, !source.kind.changes else { return [] }
    return try source.contents() == source.bytes ? [] : ["the source was changed"]
  }

  /// Opens the library again: it lists what was reported, has its files and nothing else.
  private func lookAround(_ seen: inout CellObservation, expecting count: Int) async throws {
    var options = Library.Options()
    options.verifier = verifier
    let again = try await Library.open(at: library, options: options)
    defer { again.close() }
    if !again.recovery.isClean { seen.problems.append("opening it again had to repair it") }
    var entries: [Entry] = []
    for try await entry in again.entries() { entries.append(entry) }
    if entries.count != count {
      seen.problems.append("\(count) were reported as stored, \(entries.count) are listed")
    }
    if let entry = entries.first, try Digest.sha256(source.contents()) != entry.sha256 {
      seen.problems.append("the stored document is not the source")
    }
    if try await !again.check(deep: true).isClean {
      seen.problems.append("a check finds missing, changed or unknown files")
    }
    for folder in ["staging", "quarantine", "trash"] {
      let path = library.appending(folder.utf8)
      seen.leftovers += DemoFolder.files(below: path).map(\.description)
    }
    let stored = DemoFolder.fileCount(below: library.appending("documents".utf8))
    if stored != entries.count {
      seen.leftovers.append("\(stored) files for \(entries.count) entries")
    }
  }
}

/// Does something of its own at checkpoints, then what another probe does.
private struct CellProbe: Probe {
  let base: any Probe
  let atCheckpoint: @Sendable (String) -> Void

  func event(_ event: ProbeEvent) { base.event(event) }

  func reach(_ checkpoint: Checkpoint) {
    atCheckpoint(checkpoint.name)
    base.reach(checkpoint)
  }

  func fault(_ point: Checkpoint) throws { try base.fault(point) }
}
