import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import Synchronization

/// One of the standard cases: a step that publishes a file after a predecessor (TST-8).
final class StandardCell: Sendable {
  let combination: MatrixCombination
  let folder: DemoFolder
  let path: BytePath
  private let kit = TestKit()
  private let endings = Mutex<[String]>([])

  private var staging: BytePath { path.appending(Array("staged".utf8)) }
  private var target: BytePath { path.appending(Array("published".utf8)) }

  init(_ combination: MatrixCombination, _ folder: DemoFolder, _ name: String) throws {
    self.combination = combination
    self.folder = folder
    path = try folder.makeFolder(name)
  }

  private struct PredecessorFails: Error {}

  func observe() async throws -> CellObservation {
    let cancel = SelftestCancel(rawValue: combination.cancelAt) ?? .never
    let bytes = SelftestFile.small.bytes(seed: 1)
    let gates = Dictionary(
      uniqueKeysWithValues: SelftestCancel.allCases.map { ($0, Self.gate($0, cancel, kit)) })
    let first = Step("predecessor") { [self] _ in
      try await gates[.beforeStart]??.pass()
      if combination.fault == SelftestPlan.failingPredecessor { throw PredecessorFails() }
      return bytes
    }
    let second = Step("publish", after: first) { [self] context, bytes in
      try await publish(context, bytes, gates)
    }
    var options = GraphOptions(workers: 2)
    options.onStepSettled = { [self] step in endings.withLock { $0.append(step.name) } }
    let run = try Graph {
      first
      second
    }.start(options)
    var answer: CancelAnswer?
    if let gate = gates[cancel] ?? nil {
      let arrival = try await gate.waitForArrival(within: .seconds(5))
      answer = run.cancel()
      gate.release(arrival)
    }
    return judged(await run.report, bytes, answer)
  }

  private static func gate(
    _ point: SelftestCancel, _ cancel: SelftestCancel, _ kit: TestKit
  ) -> Gate? {
    point == cancel && cancel != .never ? kit.gate(point.rawValue) : nil
  }

  /// Writes aside, asks the commit point, renames; takes its own back when it may not.
  private func publish(
    _ context: StepContext, _ bytes: [UInt8], _ gates: [SelftestCancel: Gate?]
  ) async throws {
    try folder.write(bytes, to: staging)
    defer { _ = staging.withCString { unlink($0) } }
    // A gate lets a cancelled task go with an error; what counts is what the commit point says.
    try? await gates[.whileCopying]??.pass()
    try context.checkCancellation()
    try? await gates[.beforeCommit]??.pass()
    try await context.commit {
      let renamed = staging.withCString { from in
        target.withCString { settle_rename_exclusive(AT_FDCWD, from, AT_FDCWD, $0) }
      }
      guard renamed == 0 else {
        throw SettleError(
          .ioError, subject: target.bytes, cause: .init(call: "rename", number: settle_errno()))
      }
      try? await gates[.afterCommit]??.pass()
    }
  }

  private func judged(
    _ report: GraphReport, _ bytes: [UInt8], _ answer: CancelAnswer?
  ) -> CellObservation {
    let outcome = report["publish"]?.outcome
    var seen = CellObservation(outcome.map { CellEnding($0) })
    seen.counts = report.counts
    let settled = endings.withLock { $0 }
    seen.completionCount = settled.count { $0 == "publish" }
    if settled.sorted() != ["predecessor", "publish"] {
      seen.problems.append("ends were notified for: " + settled.joined(separator: ", "))
    }
    if combination.hasFault {
      seen.fired = report["predecessor"]?.error is PredecessorFails
      if report["publish"]?.attempts != 0 { seen.problems.append("its body was entered") }
    }
    if combination.isCancelled, answer == nil { seen.problems.append("it was never cancelled") }
    let files = DemoFolder.files(below: path).map(\.lastComponent)
    let expected = outcome == .succeeded ? [target.lastComponent] : []
    seen.leftovers = files.filter { !expected.contains($0) }.map { shown($0) }
    if expected.contains(where: { !files.contains($0) }) {
      seen.problems.append("its file is not there")
    }
    seen.byteCount = outcome == .succeeded ? Int64(bytes.count) : 0
    return seen
  }
}
