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
/// Each test makes its own, so tests run side by side. ``finish(_:)`` judges at the end.
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

  /// Judges at the end of a test: broken rules, waits that were in vain, and who still waits.
  ///
  /// Throws ``KitFailure``. Returns the judgement, which tells which rules saw nothing.
  @discardableResult
  public func finish(_ rules: RuleSet = .settle) throws(KitFailure) -> Judgement {
    let judgement = trace.judge(rules)
    let failure = KitFailure(
      violations: judgement.violations, waits: parking.failures, parked: parking.waiters)
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

  var isEmpty: Bool { violations.isEmpty && waits.isEmpty && parked.isEmpty }

  /// All of it, one after another.
  public var description: String {
    var parts = violations.map(\.description) + waits.map(\.description)
    if !parked.isEmpty { parts.append("still waiting at the end:\n" + Parking.text(of: parked)) }
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
