import CSettleSystem
import SettleCore
import SettleTestSupport
import Synchronization
import Testing

@testable import Settle

/// What a check reports, and what it must not.
@Suite struct CheckTests {
  // IMP-7, IMP-13: an entry that is known to be missing is told by every check and can be deleted.
  @Test func aKnownLossIsReportedUntilItIsDeleted() async throws {
    try await withBox { box in
      try box.write(Documents.plain(seed: 1), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let library = try await box.open()
      defer { library.close() }
      let stored = library.path(of: entry)
      #expect(stored.withCString { unlink($0) } == 0)
      #expect(try await library.check().counts == [.missing: 1])
      #expect(try await library.recover().counts == [.missing: 1])
      #expect(try await library.check().counts == [.missing: 1])
      #expect(try await library.recover().isClean, "twice finds nothing")
      #expect(try await library.entry(entry.id, requiresFile: false) == entry)
      _ = try await library.remove([entry.id])
      #expect(try await library.check().isClean)
    }
  }

  // FIL-7, IMP-13: a bad sector is a finding, and the rest is looked at.
  @Test(arguments: ["read", "openFile", "status"])
  func whatCannotBeReadIsAFinding(call: String) async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      world.files.fail(call: call, with: EIO, forever: true)
      let report = try await library.check(deep: true)
      world.files.stopFailing()
      #expect(report.checkedCount == FaultWorld.contentCount)
      #expect(report.counts[.unreadable] == FaultWorld.contentCount, "\(report.counts)")
      #expect(try await library.check(deep: true).isClean)
    }
  }

  // FIL-7, IMP-13: the folder of documents and a folder in it.
  @Test(arguments: [1, 2]) func aFolderThatCannotBeListedIsAFinding(number: Int) async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      world.files.fail(call: "list", at: number, with: EIO)
      #expect(try await library.check().counts == [.unreadable: 1])
    }
  }

  // CAN-1, CAN-9: also in its second half, among the files without entries.
  @Test func aCancelledCheckEndsInItsSecondHalf() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let gate = Gate()
      world.files.configure { $0.onOperation = { if $0.call == "list" { gate.wait() } } }
      let check = Task { try await library.check() }
      #expect(await gate.waitForArrival())
      check.cancel()
      gate.open()
      let files = world.files
      let result = await check.result
      files.configure { $0.onOperation = nil }
      let report = try result.get()
      #expect(report.wasCancelled && !report.isClean)
      #expect(report.checkedCount == FaultWorld.contentCount)
    }
  }

  // IMP-13, IMP-14: what a writer deletes while it is looked at is no finding.
  @Test func aDocumentThatIsDeletedMeanwhileIsNoFinding() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let entry = try #require(try await library.allEntries().last)
      let name = "\(entry.id).pdf"
      let isDone = Atomic(false)
      world.files.configure { options in
        options.onOperation = { operation in
          guard operation.call == "status", operation.subject == Array(name.utf8),
            !isDone.exchange(true, ordering: .sequentiallyConsistent)
          else { return }
          deleteNow(entry.id, library)
        }
      }
      let report = try await library.check()
      world.files.configure { $0.onOperation = nil }
      let wasDeleted = isDone.load(ordering: .sequentiallyConsistent)
      #expect(wasDeleted)
      #expect(report.isClean, "\(report.counts)")
    }
  }
}

/// Deletes as another process would, on this thread.
private func deleteNow(_ id: EntryID, _ library: Library) {
  do {
    let row = try #require(try library.ledger.entry(id: id))
    try Removal(folders: library.folders, ledger: library.ledger).remove([row])
  } catch {
    Issue.record(error)
  }
}
