import CSettleSystem
import Settle
import SettleTestSupport
import Testing

/// What counts as "already present" when stored files were lost, damaged or came back.
@Suite struct FaultPresenceTests {
  // IMP-7, IMP-12, IMP-13: a file that came back is listed again, not only called a duplicate.
  @Test func aFileThatCameBackIsListedAgain() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let stored = box.libraryPath.appending(entry.path.utf8)
      let away = box.folder.appending("away".utf8)
      #expect(stored.withCString { from in away.withCString { rename(from, $0) } } == 0)
      let library = try await box.open()
      defer { library.close() }
      #expect(try await library.recover().counts == [.missing: 1])
      #expect(try await library.allEntries().isEmpty)
      #expect(away.withCString { from in stored.withCString { rename(from, $0) } } == 0)
      let again = try await box.run(in: library)
      #expect(again.items.map(\.outcome) == [.skipped(.duplicate(of: entry.id.description))])
      #expect(try await library.allEntries() == [entry])
    }
  }

  // FIL-7, FIL-8, IMP-8: a lost ledger is told; a new one would call every document unknown.
  @Test func aLibraryWithoutItsLedgerIsNotBegunAnew() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
        _ = box.libraryPath.appending(name.utf8).withCString { unlink($0) }
      }
      for access in [Library.Access.readWrite, .readOnly] {
        var options = box.options
        options.access = access
        do {
          try await Library.open(at: box.libraryPath, options: options).close()
          Issue.record("\(access): it was opened")
        } catch let error as SettleError {
          #expect(error.code == .ledgerDamaged)
        }
      }
      let stored = box.libraryPath.appending(entry.path.utf8)
      #expect(stored.withCString { access($0, F_OK) } == 0)
    }
  }

  // IMP-7, IMP-12: one that came back with another content is not believed.
  @Test func aFileThatCameBackChangedIsNotListed() async throws {
    try await withBox { box in
      let content = Documents.plain(byteCount: 4_000, seed: 3)
      try box.write(content, as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let stored = box.libraryPath.appending(entry.path.utf8)
      #expect(stored.withCString { unlink($0) } == 0)
      let library = try await box.open()
      defer { library.close() }
      #expect(try await library.recover().counts == [.missing: 1])
      try PosixFileSystem().makeFile(at: stored, holding: content.map { ~$0 })
      let again = try await box.run(in: library)
      #expect(again.items.map(\.outcome) == [.succeeded])
      #expect(try await library.allEntries().map(\.id) == again.items.compactMap(\.entry?.id))
    }
  }
}
