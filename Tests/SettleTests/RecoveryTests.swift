import SettleCore
import SettleLedger
import SettleTestSupport
import SettleVerify
import Testing

@testable import Settle

/// What an opening makes of a document that was published and not recorded.
@Suite struct RecoveryTests {
  // FIL-7, FIL-8, IMP-8: who cannot judge a document now neither takes it away nor keeps the
  // library from being opened.
  @Test(arguments: [SettleError.Code.toolMissing, .toolFailed, .timeout, .unexpected])
  func aVerifierThatFailsPostpones(code: SettleError.Code) async throws {
    try await expectPostponed { () throws(SettleError) in throw SettleError(code) }
  }

  // FIL-8, IMP-8
  @Test(arguments: [SettleError.Code.tooComplex, .ioError, .permissionDenied, .notFound])
  func aRefusalThatSaysNothingOfTheContentPostpones(code: SettleError.Code) async throws {
    try await expectPostponed { () throws(SettleError) in .refused(code, detail: "") }
  }

  // IMP-8
  @Test(arguments: [SettleError.Code.notAPDF, .damaged, .incomplete, .noPages, .passwordRequired])
  func badContentIsQuarantined(code: SettleError.Code) async throws {
    try await withUnrecorded { box, id in
      box.options.verifier = ScriptedVerifier { () throws(SettleError) in
        .refused(code, detail: "")
      }
      let library = try await box.open()
      defer { library.close() }
      #expect(library.recovery.postponedCount == 0)
      #expect(try library.ledger.entry(id: id)?.state == .failed)
      #expect(try box.names(in: "quarantine") == ["\(id).pdf"])
    }
  }

  private func expectPostponed(
    _ answer: @escaping @Sendable () throws(SettleError) -> Verdict
  ) async throws {
    try await withUnrecorded { box, id in
      let verifier = box.options.verifier
      box.options.verifier = ScriptedVerifier(answer: answer)
      let library = try await box.open()
      #expect(library.recovery.postponedCount == 1)
      #expect(try library.ledger.entry(id: id)?.state == .pending)
      #expect(try box.names(in: "documents/0000") == ["\(id).pdf"])
      #expect(try box.names(in: "quarantine") == [])
      library.close()
      box.options.verifier = verifier
      let healed = try await box.open()
      defer { healed.close() }
      #expect(healed.recovery.postponedCount == 0)
      #expect(try await healed.allEntries().map(\.id) == [id])
    }
  }

  // FIL-8, RUN-7: a run that a crash ended has ended, with what its entries tell.
  @Test func aCrashedRunIsEnded() async throws {
    try await withUnrecorded { box, _ in
      var reading = box.options
      reading.access = .readOnly
      let reader = try await Library.open(at: box.libraryPath, options: reading)
      #expect(try await reader.status().lastRun?.state == .failed, "nobody works on it")
      reader.close()
      let library = try await box.open()
      defer { library.close() }
      let run = try #require(try library.ledger.lastRuns(1).first)
      #expect(run.state == .failed && run.endedAt != nil)
      #expect(run.counts.succeeded == 1 && run.byteCount > 0)
    }
  }

  /// A library in which a document was published and the process then killed.
  private func withUnrecorded(
    _ body: (inout LibraryBox, EntryID) async throws -> Void
  ) async throws {
    try await withBox { box in
      let library = try await box.open()
      let (run, id) = (library.options.time.makeID(), library.options.time.makeID())
      let location = DocumentLocation(id: id, sequence: 1)
      try library.ledger.beginRun(run, startedAt: 1)
      try library.ledger.addPending([
        PendingEntry(id: id, run: run, name: Array("a.pdf".utf8), path: location.path)
      ])
      try library.folders.inShard(location.shard, makes: true) { (shard) throws(FileError) in
        try library.folders.files.makeFile(
          location.name, in: shard, holding: Documents.plain(seed: 5))
      }
      library.close()
      try await body(&box, id)
    }
  }
}

/// Answers as it is told.
private struct ScriptedVerifier: DocumentVerifier {
  let answer: @Sendable () throws(SettleError) -> Verdict
  var engine: String { "scripted 1" }

  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict {
    try answer()
  }

  func close() {}
}
