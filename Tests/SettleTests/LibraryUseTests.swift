import CSettleSystem
import SettleCore
import SettleTestSupport
import Testing

@testable import Settle
@testable import SettleLedger

/// Who uses a library, and what is open meanwhile.
@Suite struct LibraryUseTests {
  // IMP-14: a name in the ledger is believed only while somebody has the lock.
  @Test func aProcessThatWasKilledHoldsNothing() async throws {
    try await withBox { box in
      let library = try await box.open()
      let name = "process \(getpid()), since"
      #expect(try await library.status().holder?.hasPrefix(name) == true)
      library.close()
      let path = box.libraryPath.appending("ledger.sqlite".utf8)
      let ledger = try Ledger(path: path.bytes, for: .writer)
      try ledger.setFact("holder", to: "process 99, since 1")
      ledger.close()
      box.options.access = .readOnly
      let reader = try await box.open()
      defer { reader.close() }
      #expect(try await reader.status().holder == nil)
    }
  }

  // IMP-14: also before it has written its name.
  @Test func whoHoldsTheLockIsToldWithoutAName() async throws {
    try await withBox { box in
      let library = try await box.open()
      defer { library.close() }
      try library.ledger.setFact("holder", to: "")
      #expect(try await library.status().holder == "a process without a name yet")
    }
  }

  // CAN-4, RUN-7: closing takes nothing from a run; what begins afterwards is refused.
  @Test func closingLetsARunEnd() async throws {
    try await withBox { box in
      try box.write(Documents.plain(seed: 1), as: "a.pdf")
      let probe = CheckpointProbe()
      box.options.probe = probe
      let held = Gate()
      probe.at("import.beforeCopy") { _ in held.wait() }
      let library = try await box.open()
      let run = try library.import([ImportSource(box.sourcePath)])
      #expect(await held.waitForArrival())
      library.close()
      library.close()
      await #expect(throws: SettleError.self) { try await library.status() }
      await #expect(throws: SettleError.self) { try await library.allEntries() }
      #expect(throws: SettleError.self) { try library.import([ImportSource(box.sourcePath)]) }
      held.open()
      #expect(await run.report().state == .succeeded)
      box.options.probe = NoProbe()
      let again = try await box.open()
      defer { again.close() }
      #expect(try await again.allEntries().count == 1)
    }
  }

  // RUN-12: who asks for the state while an import records waits on no thread of its own.
  @Test func askingForTheStateBlocksNobody() async throws {
    try await withBox { box in
      let library = try await box.open()
      defer { library.close() }
      let held = Gate()
      try WorkerThread.start {
        try? library.ledger.read { (_) throws(SettleError) in _ = held.wait() }
      }
      #expect(await held.waitForArrival())
      let asking = Task { @MainActor in try await library.status() }
      let turns = Collector<Int>()
      for turn in 0..<100 { await MainActor.run { turns.add(turn) } }
      held.open()
      #expect(try await asking.value.entryCount == 0)
    }
  }

  // RUN-11, FIL-7: however many folders of documents there are, few are open.
  @Test func fewFoldersOfDocumentsAreOpen() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      let before = world.files.openHandleCount
      for number in 0..<100 {
        let name = FileName(own: String(1_000 + number))
        try library.folders.inShard(name, makes: true) { (_) throws(FileError) in }
      }
      #expect(world.files.openHandleCount <= before + OpenShards.limit)
      #expect(try await library.check().isClean)
      #expect(world.files.openHandleCount <= before + OpenShards.limit)
    }
  }

  // RUN-11: a folder that is in use stays open, whatever others open meanwhile.
  @Test func aFolderInUseStaysOpen() {
    var shards = OpenShards()
    func name(_ number: Int) -> FileName { FileName(own: String(1_000 + number)) }
    #expect(shards.add(name(0), Handle(100)) == Handle(100))
    var closed: [Handle] = []
    for number in 1..<50 {
      #expect(shards.take(name(number)) == nil)
      _ = shards.add(name(number), Handle(Int32(100 + number)))
      closed += shards.giveBack(name(number))
    }
    #expect(!closed.contains(Handle(100)))
    #expect(shards.take(name(0)) == Handle(100))
    #expect(shards.giveBack(name(0)) == [])
    #expect(shards.add(name(0), Handle(7)) == Handle(100), "the first one stays")
    #expect(closed.count + shards.removeAll().count == 50)
  }

  // IMP-14, FIL-6: what a library records is its owner's alone, whatever the umask.
  @Test func theLedgerIsPrivate() async throws {
    try await withBox { box in
      let library = try await box.open()
      defer { library.close() }
      let files = PosixFileSystem()
      for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let status = try files.status(
          at: box.libraryPath.appending(name.utf8), followsLink: false)
        #expect(status.mode == 0o600, "\(name)")
      }
    }
  }
}
