import ForeignCode
import Foundation
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// Somebody else's async importer by `FileManager`, in every order of its steps and of a
/// cancellation: its faults are found, and the mended one is proved.
@Suite(.timeLimit(.minutes(2))) struct ForeignCodeImporterTests {
  private enum Trouble: CaseIterable {
    case none, badCopy, existingTarget
  }

  private struct BadCopy: Error {}

  /// A run's import, in a folder that holds the old target or none.
  private func makeImport(
    _ world: World, in folder: BytePath, _ trouble: Trouble
  ) throws -> FileImport {
    let url = URL(fileURLWithPath: folder.description, isDirectory: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      try FileManager.default.removeItem(at: url.appendingPathComponent(name))
    }
    let (source, target) = (url.appendingPathComponent("source"), url.appendingPathComponent("new"))
    let old = Data("old".utf8)
    try Data("content".utf8).write(to: source)
    if trouble == .existingTarget { try old.write(to: target) }
    var job = FileImport(source, to: target) { part in
      // Reading the copy takes a while; others go on meanwhile.
      await Task.yield()
      let isGood = FileManager.default.contentsEqual(atPath: part.path, andPath: source.path)
      if trouble == .badCopy || !isGood { throw BadCopy() }
    }
    job.probe = world.probe
    job.executor = world.executor("import")
    job.onEnd = { [trace = world.trace] in
      trace.record(.completion, item: "1", name: $0.rawValue)
    }
    world.trace.record(.started, item: "1")
    world.atEnd { trace in
      let data = FileManager.default.contents(atPath: target.path)
      let name = data == nil || data == old ? "old" : data == Data("content".utf8) ? "new" : "mixed"
      trace.record(.target, item: "1", name: name)
      for file in [source, target] where FileManager.default.fileExists(atPath: file.path) {
        try FileManager.default.removeItem(at: file)
      }
      try trace.examine(folder)
    }
    return job
  }

  /// Explores the usual way by one rule, which must be broken; runs the printed order again.
  private func findFault(
    _ rule: Rule, _ trouble: Trouble = .none, name: String = #function
  ) async throws -> Exploration.Failure {
    try await withTemporaryFolder { folder in
      let explore = { (schedule: String?) in
        try await Explorer().explore(name, replaying: schedule) { world in
          world.always(RuleSet([rule]))
          let importer = CarelessImporter(try makeImport(world, in: folder, trouble))
          world.spawn("cancel") {
            world.trace.cancelling(item: "1", answer: .accepted) { importer.cancel() }
          }
        }
      }
      let result = try await explore(nil)
      let failure = try #require(result.failure, "\(result)")
      let line = failure.minimal.replayLine(for: name)
      #expect(result.description.contains(line))
      print(line)
      let again = try await explore(String(line.dropFirst("SETTLE_SCHEDULE='".count).dropLast()))
      #expect(again.runCount == 1)
      #expect(again.failure?.violations.map(\.rule) == [rule.name], "\(again)")
      return failure
    }
  }

  // TST-3, CAN-5: it looks whether it is cancelled, then moves all the same.
  @Test func aMoveAfterTheCancelIsFound() async throws {
    let failure = try await findFault(.noEffectAfterCancel)
    let last = failure.violations[0].witnesses.last?.event
    #expect(last?.kind == .effect)
  }

  // TST-3, FIL-3: a copy that is cancelled, or no good, leaves its temporary file.
  @Test func aPartFileThatStaysIsFound() async throws {
    let cancelled = try await findFault(.leftoversGone)
    #expect(cancelled.events.contains { $0.kind == .outcome && $0.name == "cancelled" })
    let failed = try await findFault(.leftoversGone, .badCopy)
    #expect(failed.events.contains { $0.kind == .leftover && $0.detail.contains("new.part") })
  }

  // TST-3, TST-8, CAN-5, CAN-7, RUN-7: in each order there is one decision, one completion, the
  // old file or the new one, and nothing else.
  @Test(arguments: Trouble.allCases)
  private func theMendedOneIsProved(trouble: Trouble) async throws {
    try await withTemporaryFolder { folder in
      let result = try await Explorer().explore { world in
        let importer = CarefulImporter(try makeImport(world, in: folder, trouble))
        world.spawn("cancel") {
          world.trace.cancelling(item: "1") { importer.cancel() }
        }
        let ends: [OutcomeKind] = [trouble == .none ? .succeeded : .failed, .cancelled]
        for kind in ends {
          world.sometimes("it ends as \(kind.rawValue)") { events in
            events.contains { $0.kind == .outcome && $0.name == kind.rawValue }
          }
        }
        world.sometimes("the cancel is too late") { $0.contains { $0.name == "tooLate" } }
      }
      try result.requireProved()
      print(result)
    }
  }
}
