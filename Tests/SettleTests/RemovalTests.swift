import CSettleSystem
import Settle
import SettleTestSupport
import Testing

@testable import SettleLedger

/// Deleting: what a cancellation and a file that cannot be taken away leave.
@Suite struct RemovalTests {
  // IMP-13, CAN-1: before the hiding is committed a cancellation changes nothing.
  @Test func cancellingBeforeTheCommitDeletesNothing() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 2_000, seed: 1), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let library = try await box.open()
      defer { library.close() }
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await library.remove([entry.id])
      }
      await #expect(throws: SettleError.self) { try await task.value }
      if case .failure(let error as SettleError) = await task.result {
        #expect(error.code == .cancelled)
        #expect(error.message.contains("nothing was deleted"))
      }
      #expect(try await library.allEntries() == [entry])
      try await box.expectConsistent()
    }
  }

  // IMP-8, CAN-1
  @Test func cancellingBeforeTheFirstRepairRepairsNothing() async throws {
    try await withBox { box in
      let library = try await box.open()
      defer { library.close() }
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await library.recover()
      }
      guard case .failure(let error as SettleError) = await task.result else {
        Issue.record("the recovery ran")
        return
      }
      #expect(error.code == .cancelled)
    }
  }

  // IMP-13, FIL-7: a file that cannot be moved takes the hiding back, of all or of none.
  @Test(arguments: [1, 2]) func aFileThatCannotBeMovedDeletesNothing(index: Int) async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let entries = try await library.allEntries()
      world.files.fail(call: "publish", at: index, with: EACCES)
      do {
        try await library.remove(entries.prefix(2).map(\.id))
        Issue.record("the removal succeeded")
      } catch let error as SettleError {
        #expect(error.code == .permissionDenied)
        #expect(error.message.contains("nothing was deleted"), "\(error)")
      }
      #expect(world.files.firedFaultCount == 1)
      world.files.stopFailing()
      #expect(try await library.allEntries() == entries)
      try await world.expectRepaired(library, "after the refusal")
      try await library.remove(entries.prefix(2).map(\.id))
      #expect(try await library.allEntries() == Array(entries.dropFirst(2)))
    }
  }

  // IMP-13, FIL-7: a folder that cannot be synced takes everything back; no file of a listed
  // document stays in the trash, where the next writer would take it for deleted.
  @Test(arguments: [EIO, ENOSPC]) func aFolderThatCannotBeSyncedDeletesNothing(number: Int32)
    async throws
  {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let entries = try await library.allEntries()
      world.files.fail(call: "syncFolder", at: 1, with: number)
      do {
        try await library.remove(entries.prefix(2).map(\.id))
        Issue.record("the removal succeeded")
      } catch let error as SettleError {
        #expect(error.description.contains("nothing was deleted"), "\(error)")
      }
      #expect(world.files.firedFaultCount == 1)
      world.files.stopFailing()
      #expect(try await library.allEntries() == entries)
      try await world.expectRepaired(library, "after the refusal")
      #expect(try await library.allEntries() == entries)
    }
  }

  // IMP-13, FIL-7, FIL-8: an end that cannot be recorded says that the documents are gone, and the
  // next recovery ends it.
  @Test func anEndThatCannotBeRecordedSaysSo() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      _ = try await world.importing(library)
      let entries = try await library.allEntries()
      let path = world.libraryPath.appending("ledger.sqlite".utf8)
      let other = try Connection(path: path.bytes, flags: 0x2)
      try other.execute(
        "CREATE TRIGGER stop BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'no'); END")
      do {
        try await library.remove([entries[0].id])
        Issue.record("the removal succeeded")
      } catch let error as SettleError {
        #expect(
          error.detail.hasSuffix(
            "the documents are not listed any more, and settle recover ends their removal"),
          "\(error)")
      }
      #expect(try await library.allEntries() == Array(entries.dropFirst()))
      try other.execute("DROP TRIGGER stop")
      library.close()
      let again = try await world.open()
      defer { again.close() }
      #expect(again.recovery.counts[.unfinishedRemoval] == 1)
      #expect(try await again.allEntries() == Array(entries.dropFirst()))
      try await world.expectRepaired(again, "after the end")
    }
  }

  // IMP-8, FIL-8: a removal that cannot be finished now keeps nobody out of the library.
  @Test func aRemovalThatCannotBeFinishedIsPostponed() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      _ = try await world.importing(library)
      let entries = try await library.allEntries()
      library.close()
      // As a crash right after the hiding leaves it, and then a folder without the right to write.
      let ledger = try Ledger(
        path: world.libraryPath.appending("ledger.sqlite".utf8).bytes, for: .writer)
      try ledger.hide([entries[0].id])
      ledger.close()
      world.files.fail(call: "publish", with: EACCES, forever: true)
      let second = try await world.open()
      #expect(second.recovery.counts == [.unfinishedRemoval: 1])
      #expect(second.recovery.postponedCount == 1)
      #expect(try await second.allEntries() == Array(entries.dropFirst()))
      second.close()
      world.files.stopFailing()
      let third = try await world.open()
      defer { third.close() }
      try await world.expectRepaired(third, "once it can be finished")
      #expect(try await third.allEntries() == Array(entries.dropFirst()))
    }
  }

  // IMP-8, FIL-3: what nobody deleted is not removed from the trash, whoever put it there.
  @Test(arguments: [false, true], [false, true])
  func aDocumentInTheTrashThatNobodyDeletedIsKept(isTaken: Bool, isKnownAsMissing: Bool)
    async throws
  {
    try await withBox { box in
      let content = Documents.plain(byteCount: 2_000, seed: 1)
      try box.write(content, as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let stored = box.libraryPath.appending(entry.path.utf8)
      let name = "\(entry.id).pdf"
      let trashed = box.libraryPath.appending("trash/\(name)".utf8)
      let away = box.folder.appending("away".utf8)
      func move(_ from: BytePath, _ to: BytePath) {
        #expect(from.withCString { old in to.withCString { rename(old, $0) } } == 0)
      }
      move(stored, isKnownAsMissing ? away : trashed)
      if isKnownAsMissing {
        let library = try await box.open()
        #expect(try await library.recover().counts == [.missing: 1])
        library.close()
        move(away, trashed)
      }
      if isTaken { try PosixFileSystem().makeFile(at: stored, holding: content) }
      let library = try await box.open()
      defer { library.close() }
      #expect(library.recovery.counts == (isTaken ? [.unknown: 1] : [.returned: 1]))
      _ = try await library.recover()
      #expect(try await library.allEntries() == [entry])
      #expect(try PosixFileSystem().contents(at: stored) == content)
      #expect(try box.names(in: "quarantine") == (isTaken ? [name] : []))
      try await box.expectConsistent()
    }
  }

  // CAN-9, IMP-13: deleting many documents syncs their folder once, also when recovery ends it.
  @Test(arguments: [false, true]) func manyDocumentsShareOneSync(isRecovered: Bool) async throws {
    try await withFaultWorld { world in
      var library = try await world.open()
      _ = try await world.importing(library)
      let entries = try await library.allEntries()
      if isRecovered {
        library.close()
        let path = world.libraryPath.appending("ledger.sqlite".utf8).bytes
        let ledger = try Ledger(path: path, for: .writer)
        try ledger.hide(entries.map(\.id))
        ledger.close()
      }
      let syncs = Collector<String>()
      world.files.configure { options in
        options.onOperation = { if $0.call == "syncFolder" { syncs.add($0.call) } }
      }
      if isRecovered {
        library = try await world.open()
        #expect(library.recovery.counts == [.unfinishedRemoval: entries.count])
      } else {
        try await library.remove(entries.map(\.id))
      }
      world.files.configure { $0.onOperation = nil }
      defer { library.close() }
      // Opening syncs the library's own folder and the one above it.
      #expect(entries.count > 1)
      #expect(syncs.all.count <= (isRecovered ? 3 : 1), "\(syncs.all.count)")
      #expect(try await library.allEntries().isEmpty)
      try await world.expectRepaired(library, "after deleting")
    }
  }
}
