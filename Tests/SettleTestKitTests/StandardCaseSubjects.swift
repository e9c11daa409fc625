import Foundation
import SettleCore
import SettleTestKit
import Synchronization

/// The careful operations of `ThumbnailQueue.swift`, as the kit drives them; the careless ones, to
/// see that they are found.
struct ThumbnailAdapter: BatchAdapter {
  var isCareful = true

  func prepare(_ request: BatchRequest) -> PreparedBatch {
    let queue = OperationQueue()
    queue.isSuspended = true
    let folder = URL(fileURLWithPath: request.folderPath, isDirectory: true)
    var operations: [ThumbnailOperation] = []
    for item in request.items {
      let operation =
        isCareful
        ? CarefulThumbnail(item.number, in: folder, probe: request.probe) { _ in }
        : CarelessThumbnail(item.number, in: folder, probe: request.probe) { _ in }
      operation.isDamaged = item.mustFail
      for need in item.needs { operation.addDependency(operations[need]) }
      operations.append(operation)
    }
    queue.addOperations(operations, waitUntilFinished: false)
    return PreparedBatch(
      runBlocking: {
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
      },
      cancel: { [operations] in operations.map { $0.askToCancel() }.first },
      look: {
        try request.look {
          "\($0).thumb"
        } isWhole: { item, bytes in
          bytes == Array("thumbnail \(item)".utf8)
        }
      })
  }
}

/// Settle's graph engine, whose steps publish files.
struct GraphAdapter: BatchAdapter {
  private struct Damage: Error {}

  func prepare(_ request: BatchRequest) throws -> PreparedBatch {
    var builder = GraphBuilder()
    var steps: [StepID] = []
    for item in request.items {
      let step = builder.add("\(item.number)", after: item.needs.map { steps[$0] }) { context in
        try await Self.work(on: item, context, request)
      }
      steps.append(step)
    }
    let probe = request.probe
    var options = GraphOptions()
    options.startsPaused = true
    options.onStepSettled = { report in
      guard let item = Int(report.name), let kind = report.outcome?.kind else { return }
      probe.event(ProbeEvent("outcome." + kind.rawValue, item: item))
      probe.event(ProbeEvent("completion", item: item))
    }
    let run = try builder.build().start(options)
    return PreparedBatch(
      run: {
        run.resume()
        let report = await run.report
        probe.event(ProbeEvent("outcome." + report.state.rawValue))
        probe.event(ProbeEvent("completion"))
        if let fraction = run.snapshot().progress.fractionCompleted {
          probe.event(ProbeEvent("progress", detail: "\(fraction)"))
        }
      },
      cancel: { run.cancel() },
      look: { try request.look { "\($0).txt" } })
  }

  private static func work(
    on item: BatchItem, _ context: StepContext, _ request: BatchRequest
  ) async throws {
    func tell(_ name: String, _ detail: String = "") {
      request.probe.event(ProbeEvent(name, item: item.number, detail: detail))
    }
    tell("entered#\(context.attempt)")
    do {
      let progress = context.progress(total: .exactly(2))
      tell("work.prepare")
      progress.complete()
      tell("progress", "0.5")
      await request.reach("processing", item: item.number)
      if item.mustFail { throw Damage() }
      await request.reach("before-commit", item: item.number)
      tell("commitAsked")
      try await context.commit {
        tell("commit")
        tell("effect.publish")
        let path = request.folderPath + "/\(item.number).txt"
        try Data("text \(item.number)".utf8).write(to: URL(fileURLWithPath: path))
      }
      tell("left.returned")
    } catch {
      tell("left.threw")
      throw error
    }
  }
}

/// A batch in memory: what its items publish is a value. Its faults are options.
struct MemoryAdapter: BatchAdapter {
  struct Faults: OptionSet {
    var rawValue = 0
    /// The run throws at once.
    static let throwsAtStart = Faults(rawValue: 1)
    /// The run never ends.
    static let neverEnds = Faults(rawValue: 2)
    /// It has a checkpoint less.
    static let hasNoCheckpoint = Faults(rawValue: 4)
    /// Nothing is told but outcomes and completions.
    static let isSilent = Faults(rawValue: 8)
    /// The batch cannot even be prepared.
    static let throwsInPrepare = Faults(rawValue: 32)
    /// A cancel is refused although it comes in time.
    static let answersWrongly = Faults(rawValue: 16)
  }

  struct Refused: Error, CustomStringConvertible {
    var description: String { "the workshop is closed" }
  }

  var faults: Faults = []
  var lacks: [BatchAbility: String] = [:]
  var waitLimit: Duration = .waitLimit

  func prepare(_ request: BatchRequest) throws -> PreparedBatch {
    if faults.contains(.throwsInPrepare) { throw Refused() }
    let batch = MemoryBatch(request, faults)
    return PreparedBatch(
      run: { try await batch.run() }, cancel: { batch.cancel() },
      look: { BatchFiles(results: batch.published) })
  }
}

private final class MemoryBatch: Sendable {
  private struct State {
    var isCancelled = false
    var committed: Set<Int> = []
    var ended: [Int: OutcomeKind] = [:]
    var published: [Int: BatchResult] = [:]
  }

  private let request: BatchRequest
  private let faults: MemoryAdapter.Faults
  private let state = Mutex(State())

  init(_ request: BatchRequest, _ faults: MemoryAdapter.Faults) {
    self.request = request
    self.faults = faults
  }

  var published: [Int: BatchResult] { state.withLock { $0.published } }

  func cancel() -> CancelAnswer {
    if faults.contains(.answersWrongly) { return .alreadyRequested }
    return state.withLock { state in
      if state.isCancelled { return .alreadyRequested }
      if state.committed.count + state.ended.count >= request.items.count { return .tooLate }
      state.isCancelled = true
      return .accepted
    }
  }

  func run() async throws {
    if faults.contains(.throwsAtStart) { throw MemoryAdapter.Refused() }
    for item in request.items {
      let kind = await work(on: item)
      state.withLock { $0.ended[item.number] = kind }
      tell("outcome." + kind.rawValue, item)
      tell("completion", item)
      if faults.contains(.neverEnds) { await AsyncStream<Void> { _ in }.first { _ in true } }
    }
    tell(
      "outcome."
        + (state.withLock { $0.ended.values.allSatisfy { $0 == .succeeded } }
          ? "succeeded" : state.withLock { $0.isCancelled } ? "cancelled" : "failed"))
    tell("completion")
    tell(
      "progress",
      detail: state.withLock { $0.published.count == request.items.count } ? "1" : "0.75")
  }

  private func work(on item: BatchItem) async -> OutcomeKind {
    let isReady = state.withLock { state in
      item.needs.allSatisfy { state.ended[$0] == .succeeded }
    }
    if !isReady { return .skipped }
    if state.withLock({ $0.isCancelled }) { return .cancelled }
    tell("entered", item)
    defer { tell("left", item) }
    tell("work.think", item)
    tell("progress", detail: "0.5")
    // Blocks a thread that the case has for it alone.
    request.probe.reach(Checkpoint("processing", item: item.number))
    if item.mustFail { return .failed }
    if !faults.contains(.hasNoCheckpoint) {
      request.probe.reach(Checkpoint("before-commit", item: item.number))
    }
    tell("commitAsked", item)
    let commits = state.withLock { state in
      if !state.isCancelled { state.committed.insert(item.number) }
      return !state.isCancelled
    }
    guard commits else { return .cancelled }
    tell("commit", item)
    tell("effect.publish", item)
    state.withLock { $0.published[item.number] = .whole }
    return .succeeded
  }

  private func tell(_ name: String, _ item: BatchItem? = nil, detail: String = "") {
    let isEnd = name.hasPrefix("outcome") || name == "completion"
    if faults.contains(.isSilent), !isEnd || item == nil { return }
    request.probe.event(ProbeEvent(name, item: item?.number ?? -1, detail: detail))
  }
}
