import SettleCore
import SettleFiles

/// What one test needs: a trace, gates, a clock, and the probe to hand to the code under test.
///
/// ```swift
/// let kit = TestKit()
/// let gate = kit.gate("before-commit")
/// let operation = Resize(probe: kit.probe)
/// queue.addOperation(operation)
/// let arrival = try await gate.waitForArrival()
/// operation.cancel()
/// gate.release(arrival)
/// ```
///
/// Each test makes its own, so tests run side by side. ``finish(_:seeing:)`` judges at the end.
public final class TestKit: Sendable {
  /// What happened.
  public let trace: Trace
  /// Who waits where.
  public let parking: Parking

  /// A kit for one test.
  public init(run: String = "") {
    trace = Trace(run: run)
    parking = Parking()
  }

  /// The probe for the code under test: records its events and holds it at the kit's gates.
  public var probe: any Probe { TraceProbe(trace, gates: parking) }

  /// The gate at a checkpoint. Work is held there from this call on.
  public func gate(_ checkpoint: String) -> Gate { Gate(checkpoint, in: parking) }

  /// A clock whose sleepers stand in the kit's table.
  public func clock(_ name: String = "test clock") -> TestClock {
    TestClock(name, in: parking)
  }

  /// Waits until an event of a kind was recorded about an item, or about the run.
  @discardableResult
  public func waitFor(
    _ kind: TraceEvent.Kind, item: String? = nil, file: String = #fileID, line: Int = #line
  ) async throws -> TraceEvent {
    let about = item.map { "item \(shown(Array($0.utf8)))" } ?? "the run"
    let goal = Goal.test("\(kind) of \(about)", file, line, .waitLimit)
    return try await parking.waitAside(for: goal, on: trace.recorded) { events in
      events.first { $0.kind == kind && $0.item == item }
    }
  }

  /// Judges at the end of a test: broken rules, waits that were in vain, and who still waits.
  ///
  /// A rule that saw none of its events has not passed; `seeing` names those that must have seen
  /// some. Throws ``KitFailure``.
  @discardableResult
  public func finish(
    _ rules: RuleSet = .settle, seeing: Set<String> = []
  ) throws(KitFailure) -> Judgement {
    let judgement = trace.judge(rules)
    let seen = Set(judgement.results.filter { $0.finding.seenCount > 0 }.map(\.rule))
    let failure = KitFailure(
      violations: judgement.violations, waits: parking.failures, parked: parking.waiters,
      unseen: seeing.subtracting(seen).sorted())
    if failure.isEmpty { return judgement }
    throw failure
  }
}

/// What was wrong at the end of a test.
public struct KitFailure: Error, Sendable, CustomStringConvertible {
  /// Rules that were broken.
  public var violations: [Violation]
  /// Waits that were in vain.
  public var waits: [WaitFailure]
  /// Who still waits.
  public var parked: [ParkedWaiter]
  /// Rules that had to see something and saw none of their events, or are not in the set.
  public var unseen: [String]

  var isEmpty: Bool {
    violations.isEmpty && waits.isEmpty && parked.isEmpty && unseen.isEmpty
  }

  /// All of it, one after another.
  public var description: String {
    var parts = violations.map(\.description) + waits.map(\.description)
    if !parked.isEmpty { parts.append("still waiting at the end:\n" + Parking.text(of: parked)) }
    if !unseen.isEmpty {
      parts.append("saw none of their events: " + unseen.joined(separator: ", "))
    }
    return parts.joined(separator: "\n")
  }
}

extension Trace {
  /// Looks into a folder at the end and records each file that is left in it.
  ///
  /// **After a crash** nothing is changed: it only reads. Throws when the folder cannot be read.
  public func examine(_ folder: BytePath) throws {
    record(.examined, detail: folder.description)
    let files = PosixFileSystem()
    do throws(FileError) {
      let handle = try files.openFolder(at: folder)
      defer { files.close(handle) }
      try files.list(handle) { name, _ in
        record(.leftover, detail: name.description)
        return true
      }
    } catch {
      throw SettleError(error, stage: .access, subject: folder.bytes)
    }
  }
}
