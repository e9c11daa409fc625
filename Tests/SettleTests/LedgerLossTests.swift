import CSettleSystem
import Settle
import SettleLedger
import SettleTestSupport
import Testing

/// A ledger that was emptied, lost its log or is no file at all.
@Suite struct LedgerLossTests {
  private static let ledgerFiles = ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"]

  // FIL-7, FIL-8, IMP-8: an emptied ledger is told; a new one would call every document unknown.
  @Test(arguments: [Library.Access.readWrite, .readOnly], [true, false])
  func anEmptiedLedgerIsNotBegunAnew(access: Library.Access, keepsLog: Bool) async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      for name in keepsLog ? Self.ledgerFiles.prefix(1) : Self.ledgerFiles[...] {
        _ = box.libraryPath.appending(name.utf8).withCString { unlink($0) }
      }
      try PosixFileSystem().makeFile(
        at: box.libraryPath.appending("ledger.sqlite".utf8), holding: [])
      try await expectRefusal(box, access, .ledgerDamaged)
      #expect(try box.names(in: "quarantine") == [])
      let stored = box.libraryPath.appending(entry.path.utf8)
      #expect(Digest.sha256(try PosixFileSystem().contents(at: stored)) == entry.sha256)
    }
  }

  // FIL-7, FIL-8: the same for a ledger of the right form that never had an entry.
  @Test(arguments: [Library.Access.readWrite, .readOnly])
  func aFreshLedgerBesideDocumentsIsRefused(access: Library.Access) async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      _ = try await box.importing()
      for name in Self.ledgerFiles {
        _ = box.libraryPath.appending(name.utf8).withCString { unlink($0) }
      }
      let path = box.libraryPath.appending("ledger.sqlite".utf8).bytes
      try Ledger(path: path, for: .writer).close()
      try await expectRefusal(box, access, .ledgerDamaged)
    }
  }

  // FIL-8: a library whose documents were all deleted has an empty list and is opened.
  @Test func aLibraryWithoutDocumentsIsOpened() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let library = try await box.open()
      try await library.remove([entry.id])
      library.close()
      try await box.open().close()
      try await box.expectConsistent()
    }
  }

  // IMP-9, FIL-6: what is no file of ours is neither waited for nor followed.
  @Test(
    arguments: ["ledger.sqlite", "ledger.sqlite-wal", "library.lock", "reserve", "documents"],
    [true, false])
  func anOddKindIsNamed(name: String, isPipe: Bool) async throws {
    try await withBox { box in
      try await box.open().close()
      let path = box.libraryPath.appending(name.utf8)
      let away = box.folder.appending("away".utf8)
      _ = path.withCString { from in away.withCString { rename(from, $0) } }
      let made = path.withCString { path in
        isPipe ? mkfifo(path, 0o600) : away.withCString { symlink($0, path) }
      }
      #expect(made == 0)
      for access in [Library.Access.readOnly, .readWrite] {
        let error = try await expectRefusal(box, access, .notARegularFile)
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
      }
    }
  }

  // FIL-6: a folder on the way to the library may be a link.
  @Test func aLinkToTheLibraryIsFollowed() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 4_000, seed: 3), as: "a.pdf")
      _ = try await box.importing()
      let link = box.folder.appending("link".utf8)
      _ = box.libraryPath.withCString { to in link.withCString { symlink(to, $0) } }
      let library = try await Library.open(at: link, options: box.options)
      defer { library.close() }
      #expect(try await library.allEntries().count == 1)
    }
  }

  @discardableResult
  private func expectRefusal(
    _ box: LibraryBox, _ access: Library.Access, _ code: SettleError.Code
  ) async throws -> SettleError? {
    var options = box.options
    options.access = access
    do {
      try await Library.open(at: box.libraryPath, options: options).close()
      Issue.record("it was opened")
      return nil
    } catch let error as SettleError {
      #expect(error.code == code, "\(error)")
      return error
    }
  }
}
