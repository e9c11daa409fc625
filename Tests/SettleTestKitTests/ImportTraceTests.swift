import CSettleSystem
import Settle
import SettleCore
import SettleTestKit
import SettleTestSupport
import SettleVerify
import Synchronization
import Testing

/// Settle's own import, recorded and judged like anybody's code.
@Suite(.timeLimit(.minutes(5))) struct ImportTraceTests {
  /// A library, its sources, and the kit that watches its import.
  private struct Bench: Sendable {
    let kit = TestKit()
    let folder: BytePath
    let sources: BytePath
    let entries = SharedLock<[String: Entry]>([:])

    init(_ folder: BytePath) throws {
      self.folder = folder.appending("library".utf8)
      sources = folder.appending("sources".utf8)
      _ = sources.withCString { mkdir($0, 0o700) }
    }

    func write(_ count: Int) throws {
      for number in 0..<count {
        try write(Documents.plain(byteCount: 3_000, seed: UInt64(number)), as: "\(number).pdf")
      }
    }

    func write(_ bytes: [UInt8], as name: String) throws {
      try PosixFileSystem().makeFile(at: sources.appending(name.utf8), holding: bytes)
    }

    func open() async throws -> Library {
      var options = Library.Options()
      options.probe = kit.probe
      options.workerCount = 3
      options.verifier = try ImportTraceTests.verifier()
      return try await Library.open(at: folder, options: options)
    }

    /// Starts an import whose items are recorded, with what was shown after each.
    func start(_ library: Library) throws -> ImportRun {
      let (trace, entries) = (kit.trace, entries)
      var options = ImportOptions()
      options.onItem = { item in
        guard let entry = item.entry else { return }
        trace.record(.reported, item: String(item.index))
        entries.value.withLock { $0[String(item.index)] = entry }
      }
      return try library.import([ImportSource(sources)], options: trace.observing(options))
    }

    /// Waits for the end, looks at what is left, opens anew and looks for what was reported.
    func finish(_ run: ImportRun, _ library: Library) async throws -> ImportReport {
      let report = await run.report()
      kit.trace.record(report)
      kit.trace.record(run.snapshot())
      library.close()
      try kit.trace.examine(folder.appending("staging".utf8))
      kit.trace.record(.restart)
      let again = try await open()
      defer { again.close() }
      for (item, entry) in entries.value.withLock({ $0 }) {
        var name = "absent"
        do {
          name = try await again.entry(entry.id).sha256 == entry.sha256 ? "present" : "changed"
        } catch let error as SettleError where error.code == .noSuchEntry {}
        kit.trace.record(.recovered, item: item, name: name)
      }
      return report
    }

    func expectNoViolation(_ comment: String, sees rules: Set<String>) throws {
      let judgement = try kit.finish()
      #expect(rules.isSubset(of: Set(judgement.passed)), "\(comment): \(judgement)")
    }
  }

  /// One pool for all tests; its processes end with the test process.
  private static let pool: VerifierPool? = BuiltProducts.verifier.map {
    VerifierPool(location: VerifierLocation(chosen: $0.bytes))
  }

  fileprivate static func verifier() throws -> VerifierPool {
    let found = pool
    return try #require(found, "settle-verify is built with the tests")
  }

  private static let always: Set<String> = [
    "exactlyOneCompletion", "oneOutcome", "nothingAfterTerminal", "outcomeSums",
    "progressMonotone", "fullOnlyWithOutcome", "leftoversGone",
  ]

  private static let cancelling = always.union(["cancelXorCommit", "noEffectAfterCancel"])

  // TST-2, RUN-7, PRG-9, IMP-1: a run that succeeds.
  @Test func anImportThatSucceedsBreaksNoRule() async throws {
    try await withTemporaryFolder { folder in
      let bench = try Bench(folder)
      try bench.write(12)
      let library = try await bench.open()
      let report = try await bench.finish(bench.start(library), library)
      #expect(report.state == .succeeded)
      try bench.expectNoViolation(
        "succeeding",
        sees: Self.always.union(["cancelXorCommit", "errorIsNoSuccess", "durableOnceReported"]))
      #expect(bench.kit.trace.events.count { $0.kind == .commit } == 12)
    }
  }

  // TST-2, RUN-3, PRG-10: a run in which some fail, some are skipped, and some succeed.
  @Test func anImportThatFailsBreaksNoRule() async throws {
    try await withTemporaryFolder { folder in
      let bench = try Bench(folder)
      try bench.write(5)
      try bench.write(Documents.cut(at: 0.5), as: "cut.pdf")
      try bench.write(Documents.html, as: "page.pdf")
      try bench.write(Documents.plain(byteCount: 3_000, seed: 0), as: "twin.pdf")
      try bench.write(Array("hello".utf8), as: "notes.txt")
      let library = try await bench.open()
      let report = try await bench.finish(bench.start(library), library)
      #expect(report.state == .failed)
      #expect(report.counts.failed == 2 && report.counts.skipped == 2)
      try bench.expectNoViolation("failing", sees: Self.always.union(["errorIsNoSuccess"]))
    }
  }

  // TST-1, TST-2, CAN-3, CAN-5, CAN-7: cancelled while work is held at a checkpoint.
  @Test(arguments: [
    "import.beforeStart", "import.beforeCopy", "import.afterCopy", "import.beforeVerify",
    "import.beforeCommit", "import.afterRename", "import.beforeRecord",
  ])
  func anImportThatIsCancelledBreaksNoRule(_ checkpoint: String) async throws {
    try await withTemporaryFolder { folder in
      let bench = try Bench(folder)
      try bench.write(8)
      let library = try await bench.open()
      let gate = bench.kit.gate(checkpoint)
      let run = try bench.start(library)
      let arrival = try await gate.waitForArrival()
      bench.kit.trace.record(run.snapshot())
      let answer = bench.kit.trace.cancelling { run.cancel() }
      gate.open()
      let report = try await bench.finish(run, library)
      #expect(report.state == (answer == .accepted ? .cancelled : .succeeded), "\(arrival)")
      try bench.expectNoViolation(
        checkpoint, sees: answer == .accepted ? Self.cancelling : Self.always)
    }
  }

  // TST-2, CAN-7: cancelled from another thread while everything moves, with no gate at all.
  @Test(arguments: 0..<12) func anImportThatIsCancelledSomewhereBreaksNoRule(_ place: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      let bench = try Bench(folder)
      try bench.write(12)
      let library = try await bench.open()
      let gate = bench.kit.gate("import.beforeVerify")
      gate.open()
      let run = try bench.start(library)
      try await gate.waitForArrival(place + 1)
      bench.kit.trace.cancelling { run.cancel() }
      let report = try await bench.finish(run, library)
      try bench.expectNoViolation("\(place): \(report.state)", sees: Self.always)
    }
  }

  // TST-2, TST-7: the same trace with one event moved is noticed, so the silence above means
  // something.
  @Test func theRecordedTraceOfAnImportCanBeBroken() async throws {
    try await withTemporaryFolder { folder in
      let bench = try Bench(folder)
      try bench.write(4)
      let library = try await bench.open()
      let gate = bench.kit.gate("import.beforeCommit")
      let run = try bench.start(library)
      let arrival = try await gate.waitForArrival()
      bench.kit.trace.cancelling { run.cancel() }
      gate.open()
      _ = try await bench.finish(run, library)
      var events = bench.kit.trace.events
      let accepted = events.place(.cancelAnswered)
      let item = String(arrival.item)
      #expect(RuleSet.settle.judge(events).isClean)
      events.insert(TraceEvent(.effect, item: item, name: "publish"), at: accepted + 1)
      #expect(
        Set(RuleSet.settle.judge(events).violations.map(\.rule)) == ["noEffectAfterCancel"])
    }
  }
}

/// A lock that can be shared by value.
private final class SharedLock<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ start: Value) { value = Mutex(start) }
}
