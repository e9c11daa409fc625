import CSettleSystem
import SettleCore
import SettleTestSupport
import Testing

@testable import Settle

@Suite struct ExportTests {
  // IMP-13, FIL-7: a copy that is not what was imported is no export.
  @Test(arguments: [0, 1, 4_000]) func aDamagedDocumentIsNotExported(keptCount: Int) async throws {
    try await withBox { box in
      let content = Documents.plain(byteCount: 4_000, seed: 3)
      try box.write(content, as: "a.pdf")
      try box.write(Documents.plain(byteCount: 4_000, seed: 4), as: "b.pdf")
      let damaged = try #require(try await box.importing().items.first?.entry)
      let library = try await box.open()
      defer { library.close() }
      let stored = library.path(of: damaged)
      #expect(stored.withCString { unlink($0) } == 0)
      try PosixFileSystem().makeFile(
        at: stored, holding: content.prefix(keptCount).map { ~$0 })
      let items = Collector<ExportedItem>()
      let target = box.folder.appending("out".utf8)
      let report = try await library.export(nil, to: target) { items.add($0) }
      #expect(report.exportedCount == 1 && report.failedCount == 1)
      let failed = try #require(items.all.first { $0.entry.id == damaged.id })
      #expect(failed.error?.code == .changedFile && failed.name == nil)
      #expect(try names(in: target, PosixFileSystem()) == ["b.pdf"])
    }
  }

  // FIL-2, IMP-13: a copy is reported only once a sync of its folder has followed its name.
  @Test(arguments: [false, true])
  func aCopyIsReportedWhenItsNameIsDurable(isCancelled: Bool) async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let gate = Gate()
      let files = world.files
      let start = files.log.count
      files.configure { options in
        options.onOperation = { operation in
          let staged = files.log[start...].count { $0.call == "createFile" }
          if isCancelled, operation.call == "createFile", staged == 1 { gate.wait() }
        }
      }
      let reported = Collector<Bool>()
      let target = world.folder.appending("out".utf8)
      let export = Task {
        try await library.export(nil, to: target) { _ in
          let log = files.log[start...]
          let named = log.lastIndex { $0.call == "publish" }
          let synced = log.lastIndex { $0.call == "syncFolder" }
          reported.add(named.map { $0 < synced ?? 0 } ?? false)
        }
      }
      if isCancelled {
        #expect(await gate.waitForArrival())
        export.cancel()
        gate.open()
      }
      let result = await export.result
      files.configure { $0.onOperation = nil }
      #expect(try result.get().wasCancelled == isCancelled)
      let count = isCancelled ? 1 : FaultWorld.contentCount
      #expect(reported.all == Array(repeating: true, count: count))
      #expect(try names(in: target, files).count == count, "nothing else is left")
    }
  }

  // FIL-7: a folder that cannot be synced makes none of its names durable.
  @Test func aFolderThatCannotBeSyncedFailsItsItems() async throws {
    try await withFaultWorld { world in
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let target = world.folder.appending("out".utf8)
      world.files.fail(call: "syncFolder", with: EIO)
      let report = try await library.export(nil, to: target)
      #expect(report.exportedCount == 0 && report.failedCount == FaultWorld.contentCount)
    }
  }

  // IMP-13: as many renames as documents, nearly, also when all have one name.
  @Test func documentsOfOneNameAreNumberedWithoutCounting() async throws {
    try await withFaultWorld { world in
      let count = 60
      for index in 0..<count {
        let folder = world.sourcePath.appending("\(index)".utf8)
        _ = try world.files.makeFolder(at: folder)
        try world.files.makeFile(
          at: folder.appending("a.pdf".utf8),
          holding: Documents.plain(byteCount: 700, seed: UInt64(100 + index)))
      }
      let library = try await world.open()
      defer { library.close() }
      _ = try await world.importing(library)
      let start = world.files.log.count
      let target = world.folder.appending("out".utf8)
      let report = try await library.export(nil, to: target)
      #expect(report.exportedCount == count + FaultWorld.contentCount)
      let renames = world.files.log[start...].count { $0.call == "publish" }
      // A rename that finds its name taken is none; each document may meet one such.
      #expect(renames <= 2 * report.exportedCount, "\(renames) renames")
      let found = Set(try names(in: target, world.files))
      let expected = (2...count).map { "a (\($0)).pdf" } + ["a.pdf"]
      #expect(found.isSuperset(of: expected))
    }
  }

  // IMP-13: never a name without a stem, also when its first character alone is too long.
  @Test(arguments: [1, 2, 10_000]) func aCharacterThatIsTooLongIsReplaced(number: Int) {
    let name = "e" + String(repeating: "\u{301}", count: 200) + ".pdf"
    let safe = String(decoding: ExportName(Array(name.utf8)).bytes(number: number), as: UTF8.self)
    #expect(safe == (number == 1 ? "document.pdf" : "document (\(number)).pdf"))
  }

  private func names(in path: BytePath, _ files: any FileSystem) throws -> [String] {
    let folder = try files.openFolder(at: path)
    defer { files.close(folder) }
    return try files.names(in: folder).map { String(decoding: $0, as: UTF8.self) }
  }
}
