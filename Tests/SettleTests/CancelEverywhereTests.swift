import Settle
import SettleCore
import SettleTestSupport
import Synchronization
import Testing

/// Cancels an import from inside each of its checkpoints: what the answer says must be true.
@Suite struct CancelEverywhereTests {
  /// Documents in the batch; the last has the content of the first.
  private static let documentCount = 9

  /// A place at which to cancel: the n-th arrival at a checkpoint.
  struct Place: Sendable, CustomStringConvertible {
    var name: String
    var arrival: Int
    var workers: Int
    var description: String { "\(name) #\(arrival), \(workers) workers" }
  }

  static let places: [Place] = {
    let each = [
      "import.beforeStart", "import.beforeCopy", "import.afterCopy", "import.beforeVerify",
      "import.beforeCommit", "import.afterRename",
    ]
    var places = [1, 3].map { Place(name: "import.counting", arrival: 1, workers: $0) }
    for workers in [1, 3] {
      for name in each {
        places += [1, 2, 5, 8].map { Place(name: name, arrival: $0, workers: workers) }
      }
      for name in ["import.beforeRecord", "import.afterRecord"] {
        places += [1, 2, 3].map { Place(name: name, arrival: $0, workers: workers) }
      }
    }
    return places
  }()

  // CAN-1, CAN-2, CAN-3, CAN-4, CAN-5, CAN-6, CAN-7, FIL-3, RUN-7, RUN-10, TST-8
  @Test(arguments: places) func theAnswerIsTrueWhereverACancellationComes(_ place: Place)
    async throws
  {
    try await withBox { box in
      try Self.fill(box)
      box.options.verifier = BlindVerifier()
      box.options.workerCount = place.workers
      let canceller = Canceller(place)
      box.options.probe = canceller.probe
      let (report, items) = try await canceller.importing(box)
      canceller.expectTruth(of: report, items)
      try await box.expectConsistent("\(place)")

      box.options.probe = NoProbe()
      let rest = try await box.importing()
      #expect(rest.report.state == .succeeded, "\(place)")
      let stored = report.counts.succeeded + rest.report.counts.succeeded
      #expect(stored == Self.documentCount - 1, "\(place)")
      try await box.expectEachContentOnce(Self.documentCount - 1, "\(place)")
    }
  }

  private static func fill(_ box: LibraryBox) throws {
    for index in 0..<documentCount {
      let seed = UInt64(index == documentCount - 1 ? 0 : index)
      try box.write(Documents.plain(byteCount: 3_000, seed: seed), as: "\(index).pdf")
    }
  }

  // CAN-2, CAN-4, RUN-8: nothing was found yet, and still the answer is kept.
  @Test func cancellingTheCountingIsKeptAlsoWhereInputIsRequired() async throws {
    try await withBox { box in
      let canceller = Canceller(Place(name: "import.counting", arrival: 1, workers: 1))
      box.options.probe = canceller.probe
      var options = ImportOptions()
      options.failsIfEmpty = true
      let (report, items) = try await canceller.importing(box, options)
      canceller.expectTruth(of: report, items)
      #expect(report.state == .cancelled)
      try await box.expectConsistent()
    }
  }

  // CAN-6, RUN-10: a run that has ended is not cancelled any more, whoever asks.
  @Test func cancellingAnEndedRunChangesNothing() async throws {
    try await withBox { box in
      try Self.fill(box)
      let library = try await box.open()
      defer { library.close() }
      let run = try library.import([ImportSource(box.sourcePath)])
      let report = await run.report()
      let last = run.snapshot()
      #expect(run.cancel() == .tooLate)
      #expect(run.cancel() == .tooLate)
      #expect(run.snapshot() == last)
      #expect(await run.report().state == report.state)
      #expect(report.state == .succeeded)
    }
  }
}

/// Cancels a run from inside a checkpoint and remembers what was known at that moment.
private final class Canceller: Sendable {
  struct Moment: Sendable {
    var answer: CancelAnswer
    var again: CancelAnswer
    var state: RunState
    /// Where work had arrived when the cancellation was asked for and when it was answered.
    var before: [Checkpoint]
    var after: [Checkpoint]
  }

  let probe = CheckpointProbe()
  private let place: CancelEverywhereTests.Place
  private let runs = Collector<ImportRun>()
  private let moments = Collector<Moment>()
  private let armed = Gate()

  init(_ place: CancelEverywhereTests.Place) {
    self.place = place
    let arrivals = Mutex(0)
    let isCounting = place.name == "import.counting"
    probe.at("import.counting") { [self] _ in
      armed.wait()
      if isCounting { cancel() }
    }
    guard !isCounting else { return }
    probe.at(place.name) { [self] _ in
      let number = arrivals.withLock { count in
        count += 1
        return count
      }
      if number == place.arrival { cancel() }
    }
  }

  private func cancel() {
    let run = runs.all[0]
    let before = probe.reached
    let answer = run.cancel()
    let after = probe.reached
    moments.add(
      Moment(
        answer: answer, again: run.cancel(), state: run.snapshot().state, before: before,
        after: after))
  }

  func importing(
    _ box: LibraryBox, _ importOptions: ImportOptions = .init()
  ) async throws -> (report: ImportReport, items: [ImportedItem]) {
    let library = try await box.open()
    defer { library.close() }
    let items = Collector<ImportedItem>()
    var options = importOptions
    options.onItem = { items.add($0) }
    let run = try library.import([ImportSource(box.sourcePath)], options: options)
    runs.add(run)
    armed.open()
    let report = await run.report()
    if let moment = moments.all.first {
      #expect(run.cancel() == (moment.answer == .tooLate ? .tooLate : .alreadyRequested))
    }
    #expect(run.snapshot().counts == report.counts, "\(place)")
    #expect(run.snapshot().state == report.state, "\(place)")
    return (report, items.all.sorted { $0.index < $1.index })
  }

  func expectTruth(of report: ImportReport, _ items: [ImportedItem]) {
    #expect(items.map(\.index) == Array(0..<items.count), "\(place): each item once")
    #expect(report.counts.settled == items.count, "\(place): the counts add up")
    for kind in OutcomeKind.allCases {
      #expect(report.counts[kind] == items.count { $0.outcome.kind == kind }, "\(place): \(kind)")
    }
    let succeeded = Set(items.filter { $0.outcome == .succeeded }.map(\.index))
    guard let moment = moments.all.first else {
      // Fewer groups than arrivals asked for: nothing was cancelled.
      #expect(report.state == .succeeded, "\(place)")
      return
    }
    #expect(Self.items(moment.before, "import.afterRename").isSubset(of: succeeded), "\(place)")
    switch moment.answer {
    case .accepted:
      #expect(moment.again == .alreadyRequested, "\(place)")
      #expect(moment.state == .cancelling, "\(place)")
      #expect(report.state == .cancelled, "\(place)")
      #expect(report.counts.cancelled > 0 || items.isEmpty, "\(place)")
      #expect(
        succeeded.isSubset(of: Self.items(moment.after, "import.beforeCommit")),
        "\(place): an item succeeded that was not at its commit point")
    case .tooLate:
      #expect(moment.again == .tooLate, "\(place)")
      #expect(report.counts.cancelled == 0, "\(place)")
      #expect(report.state == .succeeded, "\(place)")
    case .alreadyRequested: Issue.record("\(place): the first call cannot be a repetition")
    }
  }

  private static func items(_ reached: [Checkpoint], _ name: String) -> Set<Int> {
    Set(reached.filter { $0.name == name }.compactMap(\.item))
  }
}

extension LibraryBox {
  /// The list holds so many entries, each with another content.
  func expectEachContentOnce(_ count: Int, _ comment: Comment? = nil) async throws {
    var reading = options
    reading.access = .readOnly
    let library = try await Library.open(at: libraryPath, options: reading)
    defer { library.close() }
    let entries = try await library.allEntries()
    #expect(entries.count == count, comment)
    #expect(Set(entries.map(\.sha256)).count == count, comment)
  }
}
