import CSettleSystem
import Settle
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import SettleVerify
import Synchronization

/// Settle's import, as the kit drives it: documents that are written into a folder, imported into a
/// library beside it, and looked for again after the library was opened anew.
struct ImportAdapter: BatchAdapter {
  let verifier: VerifierPool

  var checkpoints: BatchCheckpoints {
    BatchCheckpoints(
      processing: "import.afterCopy", beforeCommit: "import.beforeCommit",
      afterCommit: "import.afterRename")
  }

  var lacks: [BatchAbility: String] {
    [.dependencies: "the documents of an import do not need each other"]
  }

  func prepare(_ request: BatchRequest) async throws -> PreparedBatch {
    let batch = try ImportBatch(request, verifier)
    try await batch.open()
    return PreparedBatch(
      run: { try await batch.run() }, cancel: { batch.cancel() }, look: { try batch.look() },
      reopen: { try await batch.open() })
  }
}

/// Holds an import before its start until the batch is run.
private struct HeldProbe: Probe {
  let base: any Probe
  let start: Gate

  func event(_ event: ProbeEvent) { base.event(event) }

  func reach(_ checkpoint: Checkpoint) {
    // A wait in vain ends the case by its own limit.
    if checkpoint.name == "import.beforeStart" { try? start.passBlocking(item: checkpoint.item) }
    base.reach(checkpoint)
  }

  func fault(_ point: Checkpoint) throws { try base.fault(point) }
}

private final class ImportBatch: Sendable {
  private struct State {
    var library: Library?
    var run: ImportRun?
    var entries: [Int: Entry] = [:]
  }

  private let request: BatchRequest
  private let verifier: VerifierPool
  private let start = Gate("import may start")
  private let state = Mutex(State())
  private let contents: [[UInt8]]

  private var sources: BytePath { request.folder.appending("sources".utf8) }
  private var home: BytePath { request.folder.appending("library".utf8) }

  init(_ request: BatchRequest, _ verifier: VerifierPool) throws {
    self.request = request
    self.verifier = verifier
    contents = request.items.map {
      $0.mustFail
        ? Documents.cut(at: 0.5) : Documents.plain(byteCount: 3_000, seed: UInt64($0.number))
    }
    _ = try PosixFileSystem().makeFolder(at: sources)
    for (item, bytes) in zip(request.items, contents) {
      try PosixFileSystem().makeFile(
        at: sources.appending("\(item.number).pdf".utf8), holding: bytes)
    }
  }

  /// Opens the library; the first time the import begins, too, and is held before its first item.
  func open() async throws {
    state.withLock { $0.library }?.close()
    var options = Library.Options()
    options.probe = HeldProbe(base: request.probe, start: start)
    options.verifier = verifier
    let library = try await Library.open(at: home, options: options)
    state.withLock { $0.library = library }
    if state.withLock({ $0.run == nil }) {
      let run = try library.import(
        request.items.map { ImportSource(sources.appending("\($0.number).pdf".utf8)) },
        options: importOptions)
      state.withLock { $0.run = run }
      // Before that it counts; a cancel then ends a run without items.
      if !request.items.isEmpty { try await start.waitForArrival() }
    }
  }

  private var importOptions: ImportOptions {
    let (probe, batch) = (request.probe, self)
    var options = ImportOptions()
    options.onItem = { item in
      if let entry = item.entry { batch.state.withLock { $0.entries[item.index] = entry } }
      probe.event(ProbeEvent("completion", item: item.index))
      if let snapshot = batch.state.withLock({ $0.run })?.snapshot() { batch.show(snapshot) }
    }
    return options
  }

  private func show(_ snapshot: RunSnapshot) {
    guard !snapshot.state.isSettled, let fraction = snapshot.progress.fractionCompleted else {
      return
    }
    request.probe.event(ProbeEvent("progress", detail: "\(fraction)"))
  }

  func run() async throws {
    start.open()
    guard let run = state.withLock({ $0.run }) else { preconditionFailure("it was opened") }
    _ = await run.report()
    request.probe.event(ProbeEvent("completion"))
  }

  func cancel() -> CancelAnswer? { state.withLock { $0.run }?.cancel() }

  func look() throws -> BatchFiles {
    let staging = home.appending("staging".utf8)
    var found = BatchFiles(folder: staging)
    let files = PosixFileSystem()
    let folder = try files.openFolder(at: staging)
    defer { files.close(folder) }
    try files.list(folder) { name, _ in
      found.leftovers.append(name.description)
      return true
    }
    for (number, entry) in state.withLock({ $0.entries }) {
      let path = home.appending(entry.path.utf8)
      found.paths[number] = path
      if access(path.description, F_OK) != 0 { continue }
      let bytes = try files.contents(at: path)
      found.results[number] = bytes == contents[number] ? .whole : .damaged
    }
    return found
  }
}
