// The calls of SQLite can be recorded on Linux only; PowerLossTests run everywhere.
#if os(Linux)
  import CSettleSystem
  import Settle
  import SettleCore
  import SettleInterpose
  import SettleLedger
  import SettleTestKit
  import SettleTestSupport
  import Synchronization
  import Testing

  /// Every image that a crash may leave of an import and a removal, with the real ledger and the
  /// real recovery: all calls below the library are recorded, SQLite's own included.
  @Suite(.timeLimit(.minutes(10))) struct ImportCrashTests {
    /// The rows of the crash table in ARCHITECTURE.md.
    enum Row: String, CaseIterable, Sendable {
      case beforePending = "before 2"
      case staging = "2 to 6"
      case renamed = "7"
      case durable = "8"
      case recorded = "9"
      case deleting = "delete"
    }

    private struct Wrong: Error, CustomStringConvertible { var description: String }

    /// Sources, and the means to open a library on the real disk.
    private struct Bench: Sendable {
      static let contents = [0, 1, 2, 0].map {
        Documents.plain(byteCount: 1_500 + 300 * $0, seed: UInt64($0))
      }
      let folder: BytePath
      var sources: BytePath { folder.appending("sources".utf8) }
      var recorded: BytePath { folder.appending("recorded".utf8) }

      init(_ folder: BytePath) throws {
        self.folder = folder
        for path in [sources, recorded] { _ = path.withCString { mkdir($0, 0o700) } }
        for (number, content) in Self.contents.enumerated() {
          let path = sources.appending("\(number).pdf".utf8)
          try PosixFileSystem().makeFile(at: path, holding: content)
        }
      }

      func open(_ folder: BytePath) async throws -> Library {
        var options = Library.Options()
        options.verifier = BlindVerifier()
        return try await Library.open(at: folder.appending("library".utf8), options: options)
      }

      func importAll(_ library: Library) async throws -> ImportReport {
        await (try library.import([ImportSource(sources)])).report()
      }
    }

    // FIL-2, FIL-4, FIL-8, IMP-7, IMP-8, IMP-13, TST-5: every row of the crash table is visited, and
    // whatever a crash leaves is repaired once and for all.
    @Test(arguments: 0..<2) func everyImageIsRepaired(_ half: Int) async throws {
      try await withFaultWorld { world in
        let bench = try Bench(world.folder)
        let (disk, _) = try await CrashDisk.recording(
          bench.recorded, isUnchecked: { $0.bytes.suffix(4).elementsEqual("-shm".utf8) }
        ) {
          let library = try await bench.open(bench.recorded)
          defer { library.close() }
          let report = try await bench.importAll(library)
          #expect(report.counts.succeeded == 3 && report.counts.skipped == 1)
          let entries = try await library.allEntries()
          try await library.remove(entries.prefix(2).map(\.id))
        }
        var options = CrashOptions()
        options.choiceLimit = 6
        options.seed = UInt64(half)
        let visited = Mutex<[Row: Int]>([:])
        let opened = Mutex(0)
        let report = await disk.reopen(options) { image in
          guard image.number % 2 == half else { return }
          opened.withLock { $0 += 1 }
          let place = bench.folder.appending("image".utf8)
          _ = place.withCString { mkdir($0, 0o700) }
          defer { removeTree(place) }
          for row in try rows(of: image, bench) { visited.withLock { $0[row, default: 0] += 1 } }
          try image.write(to: place)
          try await recover(place, bench)
        }
        let counts = visited.withLock { $0 }
        let texts = Row.allCases.map { "row \($0.rawValue): \(counts[$0] ?? 0)" }
        print(
          "crash images of an import, half \(half): \(opened.withLock { $0 }) of \(report)\n"
            + "  visited \(texts.joined(separator: ", "))")
        try report.requirePassed()
        for row in Row.allCases {
          #expect(counts[row] ?? 0 > 0, "no image visits the row \(row.rawValue)")
        }
      }
    }

    /// The rows that an image belongs to, one for each entry that its ledger has.
    private func rows(of image: CrashImage, _ bench: Bench) throws -> [Row] {
      let place = bench.folder.appending("ledger".utf8)
      _ = place.withCString { mkdir($0, 0o700) }
      defer { removeTree(place) }
      for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
        if let content = image.contents(of: BytePath("/library/" + name)) {
          try PosixFileSystem().makeFile(at: place.appending(name.utf8), holding: content)
        }
      }
      let ledger = try Ledger(path: place.appending("ledger.sqlite".utf8).bytes, for: .writer)
      defer { ledger.close() }
      let uncertain = Set(image.uncertainPaths)
      var rows: [Row] = []
      for entry in try ledger.unfinished() {
        let path = BytePath("/library/" + entry.path)
        if entry.state == .deleting {
          rows.append(.deleting)
        } else if uncertain.contains(path) {
          rows.append(.renamed)
        } else {
          rows.append(image.exists(path) ? .durable : .staging)
        }
      }
      for entry in try ledger.entries(limit: 10)
      where image.exists(BytePath("/library/" + entry.path)) {
        rows.append(.recorded)
      }
      return try ledger.highestSequence() == 0 ? [.beforePending] : rows
    }

    /// What a program does after a crash; throws when something is not as it should be.
    private func recover(_ place: BytePath, _ bench: Bench) async throws {
      let library = try await bench.open(place)
      defer { library.close() }
      let known = Set(Bench.contents.map(Digest.sha256))
      let findings = Collector<Settle.Finding>()
      guard try await library.recover(onFinding: { findings.add($0) }).isClean else {
        throw Wrong(description: "a second recovery found \(findings.all)")
      }
      guard try await library.check(deep: true).isClean else {
        throw Wrong(description: "the check is not clean")
      }
      for folder in ["staging", "trash", "quarantine"] {
        let path = place.appending("library/\(folder)".utf8)
        let handle = try PosixFileSystem().openFolder(at: path)
        defer { PosixFileSystem().close(handle) }
        guard try PosixFileSystem().names(in: handle).isEmpty else {
          throw Wrong(description: "something is left in \(folder)")
        }
      }
      guard try await library.status().unfinishedCount == 0 else {
        throw Wrong(description: "unfinished entries are left")
      }
      for entry in try await library.allEntries() {
        let content = try PosixFileSystem().contents(at: library.path(of: entry))
        guard Digest.sha256(content) == entry.sha256, known.contains(entry.sha256) else {
          throw Wrong(description: "an entry's content is wrong")
        }
      }
      // What is missing can be imported, and then each content is there once.
      guard try await bench.importAll(library).state == .succeeded else {
        throw Wrong(description: "the rest cannot be imported")
      }
      guard try await library.allEntries().count == known.count,
        try await library.check(deep: true).isClean
      else { throw Wrong(description: "a content is missing or there twice") }
    }
  }
#endif
