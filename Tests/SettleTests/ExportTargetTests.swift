import CSettleSystem
import Settle
import SettleTestSupport
import Testing

/// Where an export may write, and what a killed one leaves there.
@Suite struct ExportTargetTests {
  // IMP-13, FIL-3: the library's folder holds only what the library put there.
  @Test(arguments: ["", "/documents", "/new/deep", "/../library/trash", "-link", "-link/new"])
  func theLibraryIsNoTarget(suffix: String) async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 2_000, seed: 1), as: "a.pdf")
      _ = try await box.importing()
      let link = BytePath(box.libraryPath.bytes + Array("-link".utf8))
      _ = box.libraryPath.withCString { to in link.withCString { symlink(to, $0) } }
      let library = try await box.open()
      defer { library.close() }
      let before = try box.names(in: ".")
      do {
        _ = try await library.export(
          nil, to: BytePath(box.libraryPath.bytes + Array(suffix.utf8)))
        Issue.record("it was exported")
      } catch let error as SettleError {
        #expect(error.code == .targetInLibrary, "\(error)")
      }
      #expect(try box.names(in: ".") == before)
      #expect(try box.names(in: "trash") == [])
    }
  }

  // IMP-13: the folder is made with all above it, and an id that is given twice counts once.
  @Test func aNewFolderIsMadeWithThoseAboveIt() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 2_000, seed: 1), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let library = try await box.open()
      defer { library.close() }
      let target = box.folder.appending("a".utf8).appending("b".utf8).appending("c".utf8)
      let report = try await library.export([entry.id, entry.id], to: target)
      #expect(report.exportedCount == 1)
      #expect(try PosixFileSystem().contents(at: target.appending("a.pdf".utf8)).count > 0)
    }
  }

  // FIL-3, FIL-8: only what is surely a leftover goes; a copy that is being made is locked.
  @Test func leftoversOfAKilledExportAreRemoved() async throws {
    try await withBox { box in
      try box.write(Documents.plain(byteCount: 2_000, seed: 1), as: "a.pdf")
      let entry = try #require(try await box.importing().items.first?.entry)
      let target = box.folder.appending("out".utf8)
      let files = PosixFileSystem()
      _ = try files.makeFolder(at: target)
      let folder = try files.openFolder(at: target)
      defer { files.close(folder) }
      let time = SystemTime.machine
      let (left, held) = (".settle-\(time.makeID())", ".settle-\(time.makeID())")
      let foreign = ".settle-notes"
      for name in [left, held, foreign] {
        try files.makeFile(at: target.appending(name.utf8), holding: [1])
      }
      let handle = try files.openFile(FileName(own: held), in: folder)
      defer { files.close(handle) }
      #expect(try files.lock(handle))
      let library = try await box.open()
      defer { library.close() }
      _ = try await library.export([entry.id], to: target)
      let names = try files.names(in: folder).map { String(decoding: $0, as: UTF8.self) }
      #expect(Set(names) == ["a.pdf", held, foreign])
    }
  }

  // CAN-1, IMP-13
  @Test func aCancelledExportSaysWhatItDid() async throws {
    try await withBox { box in
      for seed in 1...3 {
        try box.write(Documents.plain(byteCount: 2_000, seed: UInt64(seed)), as: "\(seed).pdf")
      }
      _ = try await box.importing()
      let library = try await box.open()
      defer { library.close() }
      let target = box.folder.appending("out".utf8)
      let report = try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await library.export(nil, to: target)
      }.value
      #expect(report.wasCancelled && report.exportedCount == 0)
      let check = try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await library.check(deep: true)
      }.value
      #expect(check.wasCancelled && !check.isClean)
    }
  }
}
