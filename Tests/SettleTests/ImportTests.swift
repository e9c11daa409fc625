import CSettleSystem
import Settle
import SettleTestSupport
import Testing

@Suite struct ImportTests {
  // IMP-1, IMP-2, IMP-5, IMP-6: what was imported is there after a restart without its source.
  @Test func anImportedDocumentIsOwnedByTheLibrary() async throws {
    try await withBox { box in
      let bytes = Documents.plain(pageCount: 3, byteCount: 5_000, seed: 9)
      let source = try box.write(bytes, as: "Invoice é.pdf")
      let (report, items) = try await box.importing()
      #expect(report.state == .succeeded)
      #expect(report.counts.succeeded == 1)
      #expect(report.byteCount == Int64(bytes.count))
      let entry = try #require(items.first?.entry)
      _ = source.withCString { unlink($0) }

      let library = try await box.open()
      defer { library.close() }
      let found = try await library.entry(entry.id)
      #expect(found == entry)
      #expect(found.name == Array("Invoice é.pdf".utf8))
      #expect(found.pageCount == 3)
      #expect(found.sha256 == Digest.sha256(bytes))
      #expect(found.engine.contains("qpdf"))
      #expect(found.path == "documents/0000/\(entry.id).pdf")
      let files = PosixFileSystem()
      let handle = try files.openSource(library.path(of: found), followsLink: false)
      defer { files.close(handle) }
      #expect(try files.readStart(of: handle, byteCount: 100_000) == bytes)
      #expect(try files.status(of: handle).mode & 0o777 == 0o400)
      try await box.expectConsistent()
    }
  }

  // IMP-12: the same content again is named by its id; another copy is a choice.
  @Test func theSameContentAgainIsReportedByItsID() async throws {
    try await withBox { box in
      try box.write(Documents.plain(seed: 1), as: "a.pdf")
      let first = try await box.importing()
      let id = try #require(first.items[0].entry?.id)
      let again = try await box.importing()
      #expect(again.report.state == .succeeded)
      #expect(again.items[0].outcome == .skipped(.duplicate(of: id.description)))
      var options = ImportOptions()
      options.onDuplicate = .fail
      let failing = try await box.importing(nil, options)
      guard case .failed(let error) = failing.items[0].outcome else {
        Issue.record("expected a failure, got \(failing.items[0].outcome)")
        return
      }
      #expect(error.code == .duplicate && error.detail == id.description)
      options.onDuplicate = .keep
      let kept = try await box.importing(nil, options)
      #expect(kept.report.counts.succeeded == 1)
      #expect(kept.items[0].entry?.id != id)
      try await box.expectConsistent()
    }
  }

  // RUN-11, IMP-12: with any number of workers the first of equal documents is the one stored.
  @Test(arguments: [1, 2, 5])
  func equalDocumentsAreStoredOnceByBatchOrder(workers: Int) async throws {
    try await withBox { box in
      box.options.workerCount = workers
      for index in 0..<60 {
        try box.write(
          Documents.plain(byteCount: 3_000, seed: UInt64(index % 7)), as: "\(100 + index).pdf")
      }
      let (report, items) = try await box.importing()
      #expect(report.counts.succeeded == 7)
      #expect(report.counts.skipped == 53)
      for item in items {
        let first = items[item.index % 7]
        if item.index < 7 {
          #expect(item.outcome == .succeeded)
        } else {
          let id = try #require(first.entry?.id)
          #expect(item.outcome == .skipped(.duplicate(of: id.description)))
        }
      }
      try await box.expectConsistent()
    }
  }

  // RUN-8
  @Test func anEmptyFolderSucceedsAtOnceUnlessInputIsRequired() async throws {
    try await withBox { box in
      let (report, items) = try await box.importing()
      #expect(report.state == .succeeded)
      #expect(items.isEmpty)
      var options = ImportOptions()
      options.failsIfEmpty = true
      let required = try await box.importing(nil, options)
      #expect(required.report.state == .failed)
      #expect(required.report.failure?.code == .noInput)
    }
  }

  // RUN-6: scanned first, then frozen: totals are exact before the first item starts.
  @Test func theBatchIsFrozenBeforeWorkStarts() async throws {
    try await withBox { box in
      for index in 0..<10 {
        try box.write(Documents.plain(seed: UInt64(index)), as: "\(index).pdf")
      }
      let probe = CheckpointProbe()
      box.options.probe = probe
      let runs = Collector<ImportRun>()
      let totals = Collector<WorkTotal>()
      let armed = Gate()
      probe.at("import.counting") { _ in armed.wait() }
      probe.at("import.beforeStart") { _ in totals.add(runs.all[0].snapshot().items) }
      let library = try await box.open()
      defer { library.close() }
      let run = try library.import([ImportSource(box.sourcePath)])
      runs.add(run)
      #expect(run.snapshot().phase == .counting)
      #expect(run.snapshot().progress.isIndeterminate)
      armed.open()
      let report = await run.report()
      #expect(report.counts.succeeded == 10)
      #expect(totals.all.count == 10)
      #expect(totals.all.allSatisfy { $0 == .exactly(10) })
    }
  }

  // RUN-12: while a run is held at a disk, the main actor that waits for its report goes on.
  @Test func waitingForARunBlocksNobody() async throws {
    try await withBox { box in
      try box.write(Documents.plain(), as: "a.pdf")
      let probe = CheckpointProbe()
      box.options.probe = probe
      let held = Gate()
      probe.at("import.beforeCopy") { _ in held.wait() }
      let library = try await box.open()
      defer { library.close() }
      let run = try library.import([ImportSource(box.sourcePath)])
      let waiting = Task { @MainActor in await run.report() }
      #expect(await held.waitForArrival())
      let turns = Collector<Int>()
      for turn in 0..<100 { await MainActor.run { turns.add(turn) } }
      #expect(turns.all.count == 100)
      #expect(!run.snapshot().state.isSettled)
      held.open()
      #expect(await waiting.value.state == .succeeded)
    }
  }

  // PRG-9, PRG-10, PRG-12, OBS-2: the last snapshot carries the outcome, and only then 100 %.
  @Test func theLastSnapshotCarriesTheOutcome() async throws {
    try await withBox { box in
      for index in 0..<30 {
        try box.write(Documents.plain(seed: UInt64(index)), as: "\(index).pdf")
      }
      let library = try await box.open()
      defer { library.close() }
      let run = try library.import([ImportSource(box.sourcePath)])
      var last: RunSnapshot?
      var fraction = 0.0
      for await snapshot in run.snapshots(every: .milliseconds(1), clock: .continuous) {
        #expect((snapshot.progress.fractionCompleted ?? 0) >= fraction)
        fraction = snapshot.progress.fractionCompleted ?? 0
        #expect(fraction < 1 || snapshot.phase == .ended)
        last = snapshot
      }
      #expect(last?.phase == .ended)
      #expect(last?.state == .succeeded)
      #expect(last?.progress.fractionCompleted == 1)
      #expect(last?.counts.succeeded == 30)
    }
  }

  // IMP-10, RUN-7: each item ends exactly once, with its stage.
  @Test func aMixedFolderSettlesEveryItemOnce() async throws {
    try await withBox { box in
      try box.write(Documents.plain(seed: 1), as: "good.pdf")
      try box.write(Documents.html, as: "page.pdf")
      try box.write(Documents.cut(at: 0.6), as: "cut.pdf")
      try box.write(Array("notes".utf8), as: "notes.txt")
      try box.write([], as: "empty.pdf")
      let (report, items) = try await box.importing()
      #expect(items.count == 5)
      #expect(report.state == .failed)
      #expect(report.counts.succeeded == 1)
      #expect(report.counts.failed == 3)
      #expect(report.counts.skipped == 1)
      #expect(items.map(\.index) == Array(0..<5))
      for item in items {
        if case .failed(let error) = item.outcome { #expect(error.stage != nil) }
      }
      try await box.expectConsistent()
    }
  }

  // RUN-6, IMP-7: a dry run tells what would happen, and stores and records nothing.
  @Test func aDryRunTellsAndStoresNothing() async throws {
    try await withBox { box in
      let first = try box.write(Documents.plain(seed: 1), as: "1.pdf")
      try box.write(Documents.plain(seed: 1), as: "2.pdf")
      try box.write(Documents.html, as: "3.pdf")
      var options = ImportOptions()
      options.isDryRun = true
      let (report, items) = try await box.importing(nil, options)
      #expect(report.counts.succeeded == 1 && report.counts.failed == 1)
      #expect(items[1].outcome == .skipped(.duplicate(of: shown(first.bytes))))
      #expect(items[0].entry == nil)
      let library = try await box.open()
      defer { library.close() }
      #expect(try await library.allEntries() == [])
      #expect(try await library.status().failedCount == 0)
      #expect(try await library.status().lastRun == nil)
      #expect(try box.names(in: "documents") == [])
      try await box.expectConsistent()
    }
  }
}
