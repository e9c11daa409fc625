import Foundation
import SettleCore

/// The same pipeline, mended: one lock decides between cancel and commit, a stage looks at how the
/// one before it ended, one place tells the end, and the end has its own share of the bar.
///
/// @unchecked: what changes is behind the lock.
public final class CarefulPipeline: @unchecked Sendable {
  /// What the bar shows.
  public let progress: Progress
  fileprivate let job: PhotoJob
  private let queue = OperationQueue()
  private let lock = NSLock()
  private var isCancelled = false
  private var committed: Set<Int> = []
  private var outcomes: [Int: OutcomeKind] = [:]

  /// A pipeline that has not begun.
  public init(_ job: PhotoJob) {
    self.job = job
    progress = Progress(totalUnitCount: Int64(3 * job.photos.count + 1))
  }

  /// Hands everything to the queue.
  public func start() {
    var stages: [CarefulStage] = []
    for (index, photo) in job.photos.enumerated() {
      let number = job.number(index)
      let download = CarefulDownload(number, photo, self)
      let convert = CarefulConvert(number + 1, photo, self, after: download)
      stages += [download, convert, CarefulWrite(number + 2, photo, self, after: convert)]
    }
    let end = CarefulEnd(self)
    for stage in stages { end.addDependency(stage) }
    queue.addOperations(stages + [end], waitUntilFinished: false)
  }

  /// Stops what is not past its commit, and says whether there was anything to stop.
  public func cancel() -> CancelAnswer {
    let answer = lock.withLock { () -> CancelAnswer in
      if isCancelled { return .alreadyRequested }
      let writes = job.photos.indices.map { job.number($0) + 2 }
      if writes.allSatisfy({ committed.contains($0) || outcomes[$0] != nil }) { return .tooLate }
      isCancelled = true
      return .accepted
    }
    if answer == .accepted { progress.cancel() }
    return answer
  }

  /// The one place where cancel and commit meet.
  fileprivate func commits(_ number: Int) -> Bool {
    lock.withLock {
      if !isCancelled { committed.insert(number) }
      return !isCancelled
    }
  }

  /// How a stage ends that is not to begin; nil when it may.
  fileprivate func hindrance(after number: Int?) -> OutcomeKind? {
    lock.withLock {
      if isCancelled { return .cancelled }
      guard let number else { return nil }
      return outcomes[number] == .succeeded ? nil : .skipped
    }
  }

  fileprivate func settle(_ number: Int, _ outcome: OutcomeKind) {
    lock.withLock { outcomes[number] = outcome }
  }

  fileprivate var outcome: OutcomeKind {
    let kinds = lock.withLock { Set(outcomes.values) }
    return [.cancelled, .failed].first { kinds.contains($0) } ?? .succeeded
  }
}

// @unchecked: its dependency has ended when its own body reads what that one left.
private class CarefulStage: Operation, @unchecked Sendable {
  let number: Int
  let photo: String
  let pipeline: CarefulPipeline
  let before: CarefulStage?
  var data = Data()
  private let counter = Progress(totalUnitCount: 1)

  init(_ number: Int, _ photo: String, _ pipeline: CarefulPipeline, after: CarefulStage? = nil) {
    (self.number, self.photo, self.pipeline, before) = (number, photo, pipeline, after)
    super.init()
    pipeline.progress.addChild(counter, withPendingUnitCount: 1)
    if let after { addDependency(after) }
  }

  var job: PhotoJob { pipeline.job }

  func work() throws {}

  override func main() {
    reach("start")
    let outcome = pipeline.hindrance(after: before?.number) ?? run()
    pipeline.settle(number, outcome)
    tell("outcome." + outcome.rawValue)
    if outcome == .succeeded {
      counter.completedUnitCount = 1
      job.onProgress(pipeline.progress.fractionCompleted)
    }
    reach("end")
  }

  private func run() -> OutcomeKind {
    tell("entered")
    do {
      try work()
      return .succeeded
    } catch {
      return error is CancellationError ? .cancelled : .failed
    }
  }

  func tell(_ name: String) { job.probe.event(ProbeEvent(name, item: number)) }

  func reach(_ name: String) { job.probe.reach(Checkpoint(name, item: number)) }
}

// @unchecked: adds nothing to its parent.
private final class CarefulDownload: CarefulStage, @unchecked Sendable {
  override func work() throws { data = try job.download(photo) }
}

// @unchecked: adds nothing to its parent.
private final class CarefulConvert: CarefulStage, @unchecked Sendable {
  override func work() throws { data = job.convert(before?.data ?? Data()) }
}

// @unchecked: adds nothing to its parent.
private final class CarefulWrite: CarefulStage, @unchecked Sendable {
  override func work() throws {
    // Gone after the move; left by everything else.
    defer { try? FileManager.default.removeItem(at: job.part(photo)) }
    try (before?.data ?? Data()).write(to: job.part(photo))
    reach("before-commit")
    tell("commitAsked")
    guard pipeline.commits(number) else { throw CancellationError() }
    tell("commit")
    reach("before-move")
    tell("effect.publish")
    try FileManager.default.moveItem(at: job.part(photo), to: job.target(photo))
  }
}

// @unchecked: its property is a constant.
private final class CarefulEnd: Operation, @unchecked Sendable {
  private let pipeline: CarefulPipeline

  init(_ pipeline: CarefulPipeline) { self.pipeline = pipeline }

  override func main() {
    let (job, probe) = (pipeline.job, pipeline.job.probe)
    probe.reach(Checkpoint("start", item: job.lastNumber))
    let outcome = pipeline.outcome
    probe.event(ProbeEvent("outcome." + outcome.rawValue))
    if outcome == .succeeded {
      pipeline.progress.completedUnitCount += 1
      job.onProgress(pipeline.progress.fractionCompleted)
    }
    job.onEnd(outcome)
    probe.reach(Checkpoint("end", item: job.lastNumber))
  }
}
