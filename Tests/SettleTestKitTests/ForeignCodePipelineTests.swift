import ForeignCode
import Foundation
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// Somebody else's `OperationQueue` with Foundation's `Progress`, in every order of its operations
/// and of a cancellation: four faults are found, and the mended one is proved.
// One after another: each operation that is held keeps a thread of Dispatch's small pool.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ForeignCodePipelineTests {
  /// What is different from a day on which all goes well.
  private enum Trouble {
    case none, failingDownload, existingTarget
  }

  /// One exploration's photos and folder.
  private struct Bench {
    let photos: [String]
    let folder: BytePath
    var trouble = Trouble.none

    private var url: URL { URL(fileURLWithPath: folder.description, isDirectory: true) }
    private var old: Data { Data("old".utf8) }

    /// A run's job in an empty folder, with the operations that the queue will start.
    func makeJob(_ world: World) throws -> PhotoJob {
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        try FileManager.default.removeItem(at: url.appendingPathComponent(name))
      }
      if trouble == .existingTarget { try old.write(to: url.appendingPathComponent(photos[0])) }
      var job = PhotoJob(photos, into: url) { [trouble, photos] photo in
        if trouble == .failingDownload, photo == photos[0] { throw URLError(.timedOut) }
        return Data(photo.utf8)
      }
      job.probe = world.probe
      job.onEnd = { [trace = world.trace] in trace.record(.completion, name: $0.rawValue) }
      job.onProgress = { [trace = world.trace] fraction in
        var shown = TraceEvent(.progress)
        shown.fraction = fraction
        trace.record(shown)
      }
      expectOperations(world)
      world.atEnd { try look($0) }
      return job
    }

    /// Three operations for each photo, and one at the end.
    private func expectOperations(_ world: World) {
      let lastNumber = 3 * photos.count + 1
      world.trace.record(.started)
      for number in 1..<lastNumber {
        var started = TraceEvent(.started, item: String(number))
        let needs = number % 3 == 1 ? [] : [number - 1]
        started.needs = needs.map(String.init)
        world.trace.record(started)
        let photo: Set = ["photo \((number - 1) / 3)"]
        world.visit(number, until: "end", after: needs, touches: photo.union(["bar"]))
        if number % 3 == 0 { world.step(after: "start#\(number)", touches: photo) }
      }
      world.step(after: "end", touches: [])
      let writes = photos.indices.map { 3 * $0 + 3 }
      world.visit(lastNumber, until: "end", after: writes)
    }

    /// Records each photo's target, then whatever else is in the folder.
    private func look(_ trace: Trace) throws {
      for (index, photo) in photos.enumerated() {
        let target = url.appendingPathComponent(photo)
        let data = FileManager.default.contents(atPath: target.path)
        let new = Data(Data(photo.utf8).reversed())
        let name = data == nil || data == old ? "old" : data == new ? "new" : "mixed"
        trace.record(.target, item: String(3 * index + 3), name: name)
        if data != nil { try FileManager.default.removeItem(at: target) }
      }
      try trace.examine(folder)
    }
  }

  // MARK: The usual way

  /// Explores the usual way by one rule, which must be broken; runs the printed order again.
  private func findFault(
    _ rule: Rule, _ trouble: Trouble = .none, name: String = #function
  ) async throws -> Exploration.Failure {
    try await withTemporaryFolder { folder in
      let bench = Bench(photos: ["a"], folder: folder, trouble: trouble)
      let explore = { (schedule: String?) in
        try await Explorer().explore(name, replaying: schedule) { world in
          let pipeline = CarelessPipeline(try bench.makeJob(world))
          world.always(RuleSet([rule]))
          world.spawnThread("cancel") {
            world.trace.cancelling(answer: .accepted) { pipeline.cancel() }
          }
          pipeline.start()
        }
      }
      let result = try await explore(nil)
      let failure = try #require(result.failure, "\(result)")
      #expect(failure.violations.map(\.rule).first == rule.name)
      let line = failure.minimal.replayLine(for: name)
      #expect(result.description.contains(line))
      print(line)
      let again = try await explore(String(line.dropFirst("SETTLE_SCHEDULE='".count).dropLast()))
      #expect(again.runCount == 1)
      #expect(again.failure?.violations.first?.rule == rule.name, "\(again)")
      return failure
    }
  }

  // TST-3, RUN-3: a queue starts what depends on a failure, too.
  @Test func aDependentThatRunsAfterAFailureIsFound() async throws {
    let failure = try await findFault(.dependenciesFirst, .failingDownload)
    let names = failure.events.filter { $0.item == "1" || $0.item == "2" }.map(\.name)
    #expect(names.contains("failed"), "\(failure.events)")
  }

  // TST-3, CAN-5: the look at the cancellation is past when the file gets its name.
  @Test func aWriteAfterTheCancelIsFound() async throws {
    let failure = try await findFault(.noEffectAfterCancel)
    #expect(failure.minimal.description.hasSuffix("item-3@start#3>cancel@start"))
    let last = failure.violations[0].witnesses.last?.event
    #expect(last?.kind == .effect && last?.item == "3")
  }

  // TST-3, RUN-7: the cancel tells the end, and so does the end.
  @Test func aCompletionThatIsToldTwiceIsFound() async throws {
    let failure = try await findFault(.exactlyOneCompletion)
    #expect(failure.violations[0].message == "the end was notified 2 times")
  }

  // TST-3, PRG-9: all bytes are written, the bar is full, and then it fails.
  @Test func aFullBarBeforeAFailureIsFound() async throws {
    let failure = try await findFault(.fullOnlyWithOutcome, .existingTarget)
    let full = try #require(failure.events.firstIndex { $0.fraction == 1 })
    #expect(failure.events[full...].contains { $0.kind == .outcome && $0.name == "failed" })
  }

  // MARK: The right way

  /// Explores the right way by all rules, with a cancellation at every point.
  private func explore(
    _ photos: [String], _ trouble: Trouble, name: String = #function,
    _ hopes: @escaping @Sendable (World) -> Void
  ) async throws -> Exploration {
    try await withTemporaryFolder { folder in
      let bench = Bench(photos: photos, folder: folder, trouble: trouble)
      return try await Explorer().explore(name) { world in
        let pipeline = CarefulPipeline(try bench.makeJob(world))
        world.spawnThread("cancel") { world.trace.cancelling { pipeline.cancel() } }
        hopes(world)
        pipeline.start()
      }
    }
  }

  private static func ended(_ events: [TraceEvent], _ item: String?, _ kind: OutcomeKind) -> Bool {
    events.contains { $0.kind == .outcome && $0.item == item && $0.name == kind.rawValue }
  }

  // TST-3, TST-8, CAN-5, RUN-7, PRG-9: cancelled before the start, while it works, right before
  // and after the commit; in each order the files, the bar and the one completion are right.
  @Test func theMendedOneIsProvedWithACancelAtEveryPoint() async throws {
    let result = try await explore(["a"], .none) { world in
      world.sometimes("cancelled before the start") { events in
        Self.ended(events, "1", .cancelled) && !events.contains { $0.kind == .entered }
      }
      world.sometimes("cancelled while it works") { events in
        Self.ended(events, "1", .succeeded) && Self.ended(events, "2", .cancelled)
      }
      world.sometimes("cancelled right before the commit") { events in
        Self.ended(events, "3", .cancelled) && events.contains { $0.kind == .commitAsked }
      }
      world.sometimes("cancelled after the commit") { events in
        events.contains { $0.name == "tooLate" } && Self.ended(events, nil, .succeeded)
      }
      world.mustReach("start", "before-commit", "before-move", "end")
    }
    try result.requireProved()
    print(result)
  }

  // TST-3, TST-8, RUN-3: what needs a failed download never begins; the bar stays below 100 %.
  @Test func theMendedOneIsProvedWithAFailingDownload() async throws {
    let result = try await explore(["a"], .failingDownload) { world in
      world.sometimes("both skipped") { events in
        Self.ended(events, "2", .skipped) && Self.ended(events, "3", .skipped)
          && Self.ended(events, nil, .failed)
      }
      world.sometimes("cancelled") { Self.ended($0, nil, .cancelled) }
    }
    try result.requireProved()
    print(result)
  }

  // TST-3, PRG-9: a file that cannot get its name fails, with the old one untouched.
  @Test func theMendedOneIsProvedWithATargetThatExists() async throws {
    let result = try await explore(["a"], .existingTarget) { world in
      world.sometimes("the move fails") { Self.ended($0, "3", .failed) }
    }
    try result.requireProved()
  }

  // TST-3, RUN-3: the other photo goes on when one fails, in every order of both and the cancel.
  @Test func theMendedOneIsProvedWithTwoPhotosAtATime() async throws {
    let result = try await explore(["a", "b"], .failingDownload) { world in
      world.sometimes("the other succeeds") { events in
        Self.ended(events, "3", .skipped) && Self.ended(events, "6", .succeeded)
      }
      world.sometimes("cancelled") { Self.ended($0, nil, .cancelled) }
    }
    try result.requireProved()
    print(result)
  }
}
