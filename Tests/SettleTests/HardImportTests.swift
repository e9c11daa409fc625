import CSettleSystem
import Settle
import SettleTestSupport
import SettleVerify
import Synchronization
import Testing

/// What a review found by reading: each failed before it was mended.
@Suite struct HardImportTests {
  // PRG-4, RUN-7: stated sizes beyond all measure cost their own items, never the run.
  @Test func absurdSizesFailTheirOwnItems() async throws {
    try await withBox { box in
      // tmpfs allows files of almost 8 EiB; most other file systems do not.
      let memory = BytePath("/dev/shm/settle-test-\(getpid())")
      guard memory.withCString({ mkdir($0, 0o700) }) == 0 else {
        print("skipped: /dev/shm cannot be written here")
        return
      }
      defer { removeTree(memory) }
      var paths: [BytePath] = []
      for index in 0..<3 {
        let path = memory.appending("\(index).pdf".utf8)
        try PosixFileSystem().makeFile(at: path, holding: Documents.plain(seed: UInt64(index)))
        if index < 2, path.withCString({ truncate($0, off_t.max - 4_096) }) != 0 {
          print("skipped: /dev/shm refuses such sizes")
          return
        }
        paths.append(path)
      }
      let (report, items) = try await box.importing(paths)
      #expect(report.counts.failed == 2 && report.counts.succeeded == 1)
      for item in items.prefix(2) {
        guard case .failed(let error) = item.outcome else {
          Issue.record("\(item.outcome)")
          continue
        }
        #expect(error.code == .noSpace)
      }
      try await box.expectConsistent()
    }
  }

  // CAN-4, CAN-8, RUN-4: a copy that waits for an equal one ends with the cancellation and is never
  // handed to a verifier afterwards.
  @Test func aCancellationHandsNothingOutAnyMore() async throws {
    try await withBox { box in
      box.options.workerCount = 2
      let verifier = CountingVerifier()
      box.options.verifier = verifier
      let probe = CheckpointProbe()
      box.options.probe = probe
      let equal = Documents.plain(byteCount: 3_000, seed: 1)
      let paths = [
        try box.write(Documents.plain(byteCount: 9_000, seed: 8), as: "0 slow.pdf"),
        try box.write(equal, as: "1 first.pdf"), try box.write(equal, as: "2 equal.pdf"),
        try box.write(Documents.plain(byteCount: 5_000, seed: 9), as: "3 last.pdf"),
      ]
      let (held, armed) = (Gate(), Gate())
      let runs = Collector<ImportRun>()
      probe.at("import.counting") { _ in armed.wait() }
      // The slow one keeps the group waiting for company; the last one's verification comes after
      // the copies before it were judged by the coordinator.
      probe.at("import.beforeCopy") { if $0.item == 0 { held.wait() } }
      probe.at("import.beforeVerify") { checkpoint in
        guard checkpoint.item == 3 else { return }
        #expect(runs.all[0].cancel() == .accepted)
        held.open()
      }
      let library = try await box.open()
      defer { library.close() }
      let run = try library.import(paths.map(ImportSource.init))
      runs.add(run)
      armed.open()
      let report = await run.report()
      #expect(report.state == .cancelled)
      #expect(report.counts.settled == 4)
      // The first of the equal ones and the last; the equal one and the slow one never.
      #expect(verifier.calls.count == 2, "\(verifier.calls)")
      #expect(probe.count("run.rejected") == 0)
      try await box.expectConsistent()
    }
  }

  // PRG-8, PRG-9: an attempt that lost its sync counts nothing twice.
  @Test func aSecondAttemptCountsNothingTwice() async throws {
    try await withTemporaryFolder { folder in
      let world = try FaultWorld(folder)
      let library = try await world.open()
      defer { library.close() }
      world.files.fail(call: "sync", with: EIO)
      let run = try library.import([ImportSource(world.sourcePath)])
      let report = await run.report()
      #expect(world.files.firedFaultCount == 1)
      #expect(report.state == .succeeded)
      let progress = run.snapshot().progress
      #expect(progress.overrun == 0 && progress.ignoredUpdates == 0)
      #expect(progress.fractionCompleted == 1)
      let sizes = FaultWorld.sources.map { Int64($0.content.count) }
      #expect(progress.bytes.completedCount == sizes.reduce(0, +))
      #expect(progress.grossByteCount > progress.bytes.completedCount)
    }
  }

  // RUN-7, FIL-7: when the run's own folder cannot be made, every item still has its outcome.
  @Test func everyItemEndsWhenNothingCanBeStaged() async throws {
    try await withTemporaryFolder { folder in
      let world = try FaultWorld(folder)
      let library = try await world.open()
      defer { library.close() }
      world.files.fail(call: "makeFolder", with: ENOSPC, forever: true)
      let (report, items) = try await world.importing(library)
      #expect(report.state == .failed)
      #expect(report.failure?.code == .noSpace)
      #expect(report.counts.failed == FaultWorld.sources.count)
      #expect(items.count == FaultWorld.sources.count)
    }
  }

  // IMP-12: "already present" is said of whole files only; a damaged one is brought back, and kept
  // aside for whoever wants to look at it.
  @Test(arguments: ["changed", "cut", "gone"])
  func aDamagedDocumentIsBroughtBackByItsSource(how: String) async throws {
    try await withBox { box in
      let bytes = Documents.plain(seed: 4)
      try box.write(bytes, as: "a.pdf")
      let first = try await box.importing()
      let entry = try #require(first.items[0].entry)
      let stored = box.libraryPath.appending(entry.path.utf8)
      _ = stored.withCString { unlink($0) }
      if how != "gone" {
        let wrong = how == "cut" ? Array(bytes.dropLast(10)) : bytes.dropLast(10) + Array(0..<10)
        try PosixFileSystem().makeFile(at: stored, holding: wrong)
      }
      let again = try await box.importing()
      #expect(again.items[0].outcome == .succeeded)
      #expect(again.items[0].entry?.id == entry.id)
      #expect(try PosixFileSystem().contents(at: stored) == bytes)
      #expect(try box.names(in: "quarantine").count == (how == "gone" ? 0 : 1))
      #expect(try await box.importing().items[0].outcome == .skipped(.duplicate(of: "\(entry.id)")))
      try await box.expectConsistent()
    }
  }

  // IMP-12: the library's own folders are no sources, whatever path leads to them.
  @Test func importingTheLibraryIntoItselfDoublesNothing() async throws {
    try await withBox { box in
      try box.write(Documents.plain(seed: 4), as: "a.pdf")
      _ = try await box.importing()
      var options = ImportOptions()
      options.onDuplicate = .keep
      let sources = [box.folder, box.libraryPath, box.libraryPath.appending("documents".utf8)]
      let (report, items) = try await box.importing(sources, options)
      #expect(report.counts.succeeded == 1, "\(items)")
      #expect(report.counts.skipped == 1 && report.counts.failed == 2, "\(report.counts)")
      try await box.expectConsistent()
    }
  }

  // RUN-7: a verifier that stops although nobody cancelled fails its documents, never the process.
  @Test func aVerifierThatStopsByItselfFailsItsDocuments() async throws {
    try await withBox { box in
      box.options.verifier = StoppingVerifier()
      try box.write(Documents.plain(), as: "a.pdf")
      let (report, items) = try await box.importing()
      #expect(report.counts.failed == 1)
      guard case .failed(let error) = items[0].outcome else {
        Issue.record("\(items[0].outcome)")
        return
      }
      #expect(error.code == .toolFailed)
      try await box.expectConsistent()
    }
  }
}

/// Accepts everything and remembers what it was asked for.
private final class CountingVerifier: DocumentVerifier {
  private let paths = Collector<String>()

  var engine: String { "counting 1" }
  var calls: [String] { paths.all }

  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict {
    paths.add(path.description)
    return .accepted(pageCount: 1, flags: [])
  }

  func close() {}
}

/// Stops at every document.
private struct StoppingVerifier: DocumentVerifier {
  var engine: String { "stopping 1" }

  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict {
    .cancelled
  }

  func close() {}
}
