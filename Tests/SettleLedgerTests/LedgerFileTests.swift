import SettleCore
import SettleFiles
import SettleTestSupport
import Testing

@testable import SettleLedger

@Suite struct LedgerFileTests {
  private let files = PosixFileSystem()

  private func withFolder(_ body: (BytePath) throws -> Void) throws {
    try withTemporaryFolder { folder in
      try body(folder.appending(Array("ledger.sqlite".utf8)))
    }
  }

  private func raw(_ path: BytePath) throws -> Connection {
    try Connection(path: path.bytes, flags: 0x6)
  }

  // FIL-8: an empty file is what a crash before the first migration leaves.
  @Test func emptyFileBecomesALedger() throws {
    try withFolder { path in
      try files.makeFile(at: path, holding: [])
      let ledger = try Ledger(path: path.bytes, for: .writer)
      try ledger.makeAvailable([1])
      #expect(try raw(path).integer("PRAGMA user_version") == 1)
      #expect(try raw(path).integer("PRAGMA application_id") == 0x5365_746C)
    }
  }

  // FIL-2: what is recorded survives a power loss, and a damaged schema cannot run code.
  @Test func writerUsesTheDurableSettings() throws {
    try withLedger { ledger, _ in
      let settings = try ["synchronous", "foreign_keys", "trusted_schema", "journal_size_limit"]
        .map { name in
          try ledger.read { (connection) throws(SettleError) in
            try connection.integer("PRAGMA " + name)
          }
        }
      #expect(settings == [2, 1, 0, 4 << 20])
      let mode = try ledger.read { (connection) throws(SettleError) in
        try connection.rows("PRAGMA journal_mode") { (row) throws(SettleError) in row.text(0) }
      }
      #expect(mode == ["wal"])
    }
  }

  // FIL-8: many threads share one ledger, and each call is whole.
  @Test func callsFromManyTasksAreWhole() async throws {
    try await withTemporaryFolder { folder in
      let ledger = try Ledger(path: folder.appending([0x6C]).bytes, for: .writer)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask {
            for round in 0..<10 {
              let first = task * 1000 + round * 10
              try ledger.makeAvailable(first..<(first + 10))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try ledger.counts()[.available]?.entries == 800)
      #expect(try ledger.integrityCheck().isEmpty)
    }
  }

  // FIL-8: opening again, and again, keeps every entry of a version 1 file.
  @Test func ledgerOfVersion1IsOpenedUnchanged() throws {
    try withFolder { path in
      do {
        let connection = try raw(path)
        try connection.execute(Schema.migrations[0])
        try connection.execute("PRAGMA application_id = \(0x5365_746C); PRAGMA user_version = 1")
        try connection.insert([pendingEntry(1)])
        try connection.publish(publication(1))
      }
      for _ in 0..<2 {
        let ledger = try Ledger(path: path.bytes, for: .writer)
        #expect(try ledger.entries(limit: 10).map(\.id) == [entryID(1)])
      }
    }
  }

  // FIL-8
  @Test func newerFormatIsRefusedAndLeftAlone() throws {
    try withFolder { path in
      _ = try Ledger(path: path.bytes, for: .writer)
      try raw(path).execute("PRAGMA user_version = 99")
      let before = try files.contents(at: path)
      #expect(code { _ = try Ledger(path: path.bytes, for: .writer) } == .newerFormat)
      #expect(code { _ = try Ledger(path: path.bytes, for: .reader) } == .newerFormat)
      #expect(try files.contents(at: path) == before)
    }
  }

  // FIL-7: a file of someone else is named and not touched.
  @Test func foreignFilesAreRefusedAndLeftAlone() throws {
    try withFolder { path in
      try raw(path).execute("CREATE TABLE photos (id INTEGER)")
      let before = try files.contents(at: path)
      #expect(code { _ = try Ledger(path: path.bytes, for: .writer) } == .ledgerDamaged)
      #expect(code { _ = try Ledger(path: path.bytes, for: .reader) } == .ledgerDamaged)
      #expect(try files.contents(at: path) == before)
    }
    try withFolder { path in
      let text = [UInt8](repeating: 0x41, count: 8192)
      try files.makeFile(at: path, holding: text)
      #expect(code { _ = try Ledger(path: path.bytes, for: .writer) } == .ledgerDamaged)
      #expect(try files.contents(at: path) == text)
    }
  }

  // FIL-7
  @Test func damagedPagesAreNamed() throws {
    try withFolder { path in
      do { try Ledger(path: path.bytes, for: .writer).makeAvailable(1...200) }
      var bytes = try files.contents(at: path)
      for index in 4096..<bytes.count { bytes[index] = 0xAA }
      let folder = try files.openFolder(at: BytePath(Array(path.bytes.dropLast(13))))
      defer { files.close(folder) }
      try files.remove(FileName(own: "ledger.sqlite"), in: folder)
      try files.makeFile(at: path, holding: bytes)
      let found = code {
        _ = try Ledger(path: path.bytes, for: .writer).entries(limit: 200)
      }
      #expect(found == .ledgerDamaged)
    }
  }

  // FIL-7
  @Test func readerWithoutALedgerIsToldSo() throws {
    try withFolder { path in
      #expect(code { _ = try Ledger(path: path.bytes, for: .reader) } == .noLibrary)
      try files.makeFile(at: path, holding: [])
      #expect(code { _ = try Ledger(path: path.bytes, for: .reader) } == .noLibrary)
      #expect(try files.contents(at: path).isEmpty)
    }
  }

  // FIL-7, IMP-14: where nothing may be written, a ledger at rest is refused by name; one that a
  // writer holds open can be read.
  @Test func unwritableFolderIsNamed() async {
    await #expect(processExitsWith: .success) {
      try giveUpRoot()
      try withTemporaryFolder { path in
        let files = PosixFileSystem()
        let folder = try files.openFolder(at: path)
        defer { files.close(folder) }
        let ledger = path.appending(Array("ledger.sqlite".utf8)).bytes
        do {
          let writer = try Ledger(path: ledger, for: .writer)
          try writer.makeAvailable([1])
          try files.setMode(folder, 0o500)
          try #require(try Ledger(path: ledger, for: .reader).entries(limit: 2).count == 1)
          try files.setMode(folder, 0o700)
        }
        try files.setMode(folder, 0o500)
        try #require(code { _ = try Ledger(path: ledger, for: .reader) } == .permissionDenied)
        let other = path.appending([0x78]).bytes
        try #require(code { _ = try Ledger(path: other, for: .writer) } == .permissionDenied)
      }
    }
  }

  // FIL-6: the path of a ledger is bytes too, and never one of SQLite's special names.
  @Test func anyPathHoldsALedger() throws {
    try withTemporaryFolder { folder in
      for name: [UInt8] in [[0xFF, 0x3F], Array("file:a?mode=memory".utf8), Array("a%20b".utf8)] {
        let path = folder.appending(name)
        do { try Ledger(path: path.bytes, for: .writer).makeAvailable([1]) }
        #expect(try files.status(at: path, followsLink: false).kind == .regular)
        #expect(try Ledger(path: path.bytes, for: .reader).entries(limit: 2).count == 1)
      }
    }
  }

  // IMP-14: readers go on beside a writer and see what is committed, and nothing else.
  @Test func readerSeesCommittedEntriesWhileAWriterWrites() throws {
    try withLedger { ledger, path in
      let reader = try Ledger(path: path.bytes, for: .reader)
      #expect(try reader.entries(limit: 10).isEmpty)
      try ledger.makeAvailable([1])
      #expect(try reader.entries(limit: 10).map(\.id) == [entryID(1)])
      try ledger.write { (connection) throws(SettleError) in
        try connection.insert([pendingEntry(2)])
        #expect(try reader.unfinished().isEmpty)
      }
      #expect(try reader.unfinished().map(\.id) == [entryID(2)])
    }
  }

  // IMP-14
  @Test func readerCannotWrite() throws {
    try withLedger { _, path in
      let reader = try Ledger(path: path.bytes, for: .reader)
      #expect(code { try reader.addPending([pendingEntry(1)]) } == .permissionDenied)
    }
  }

  // IMP-14: a reader never checkpoints, neither while it reads nor as the last that closes.
  @Test func readerLeavesTheWriteAheadLogAlone() throws {
    try withTemporaryFolder { folder in
      let names = ["ledger.sqlite", "ledger.sqlite-wal"].map { Array($0.utf8) }
      let (live, copy) = (folder.appending([0x61]), folder.appending([0x62]))
      _ = try files.makeFolder(at: live)
      _ = try files.makeFolder(at: copy)
      // The files as a killed writer leaves them.
      let writer = try Ledger(path: live.appending(names[0]).bytes, for: .writer)
      try writer.makeAvailable(1...50)
      let before = try names.map { try files.contents(at: live.appending($0)) }
      #expect(before[1].count > 4096)
      for (name, bytes) in zip(names, before) {
        try files.makeFile(at: copy.appending(name), holding: bytes)
      }
      do {
        let reader = try Ledger(path: copy.appending(names[0]).bytes, for: .reader)
        #expect(try reader.entries(limit: 100).count == 50)
      }
      let after = try names.map { try files.contents(at: copy.appending($0)) }
      #expect(after == before)
    }
  }

  // IMP-14
  @Test func secondWritingTransactionIsBusy() throws {
    try withLedger { ledger, path in
      let other = try Ledger(path: path.bytes, for: .writer)
      try other.read { (connection) throws(SettleError) in
        connection.waitWhenBusy(milliseconds: 0)
      }
      try ledger.write { (connection) throws(SettleError) in
        #expect(code { try other.addPending([pendingEntry(2)]) } == .libraryBusy)
        try connection.insert([pendingEntry(1)])
      }
      try other.addPending([pendingEntry(2)])
      #expect(try ledger.unfinished().count == 2)
    }
  }

  // FIL-7: a full disk is named, what is recorded stays, and deleting still works.
  @Test func fullDiskIsNamedAndLeavesTheLedgerUsable() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1])
      try ledger.execute("PRAGMA max_page_count = 1")
      let many = (2...2000).map { pendingEntry($0) }
      #expect(code { try ledger.addPending(many) } == .noSpace)
      #expect(try ledger.unfinished().isEmpty)
      #expect(try ledger.entries(limit: 10).map(\.id) == [entryID(1)])
      try ledger.hide([entryID(1)])
      try ledger.remove([entryID(1)])
      #expect(try ledger.entries(limit: 10).isEmpty)
      try ledger.execute("PRAGMA max_page_count = 1000000")
      try ledger.addPending(many)
      #expect(try ledger.unfinished().count == many.count)
    }
  }
}
