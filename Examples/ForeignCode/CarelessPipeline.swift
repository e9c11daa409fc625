import Foundation
import SettleCore

/// Photos by an `OperationQueue` and a `Progress`, as it is usually written. It has four faults.
public final class CarelessPipeline: Sendable {
  /// What the bar shows; its cancellation is what the operations look at.
  public let progress: Progress
  fileprivate let job: PhotoJob
  private let queue = OperationQueue()

  /// A pipeline that has not begun.
  public init(_ job: PhotoJob) {
    self.job = job
    progress = Progress(totalUnitCount: Int64(3 * job.photos.count))
  }

  /// Hands everything to the queue.
  public func start() {
    var stages: [CarelessStage] = []
    for (index, photo) in job.photos.enumerated() {
      let number = job.number(index)
      let download = CarelessDownload(number, photo, self)
      let convert = CarelessConvert(number + 1, photo, self, after: download)
      stages += [download, convert, CarelessWrite(number + 2, photo, self, after: convert)]
    }
    let end = CarelessEnd(self, stages)
    queue.addOperations(stages + [end], waitUntilFinished: false)
  }

  /// Stops it, and tells so at once.
  public func cancel() {
    progress.cancel()
    // Fault: the operation at the end tells it again.
    job.onEnd(.cancelled)
  }
}

// @unchecked: its dependency has ended when its own body reads what that one left.
private class CarelessStage: Operation, @unchecked Sendable {
  let number: Int
  let photo: String
  let pipeline: CarelessPipeline
  let before: CarelessStage?
  var data: Data?
  var outcome = OutcomeKind.failed
  private let counter = Progress(totalUnitCount: 1)

  init(_ number: Int, _ photo: String, _ pipeline: CarelessPipeline, after: CarelessStage? = nil) {
    (self.number, self.photo, self.pipeline, before) = (number, photo, pipeline, after)
    super.init()
    pipeline.progress.addChild(counter, withPendingUnitCount: 1)
    // Fault: the dependent also starts when this one has failed.
    if let after { addDependency(after) }
  }

  var job: PhotoJob { pipeline.job }

  func work() throws {}

  override func main() {
    reach("start")
    if pipeline.progress.isCancelled {
      outcome = .cancelled
    } else {
      tell("entered")
      do {
        try work()
        outcome = .succeeded
      } catch {
        outcome = error is CancellationError ? .cancelled : .failed
      }
    }
    tell("outcome." + outcome.rawValue)
    reach("end")
  }

  func count() {
    counter.completedUnitCount = 1
    job.onProgress(pipeline.progress.fractionCompleted)
  }

  func tell(_ name: String) { job.probe.event(ProbeEvent(name, item: number)) }

  func reach(_ name: String) { job.probe.reach(Checkpoint(name, item: number)) }
}

// @unchecked: adds nothing to its parent.
private final class CarelessDownload: CarelessStage, @unchecked Sendable {
  override func work() throws {
    data = try job.download(photo)
    count()
  }
}

// @unchecked: adds nothing to its parent.
private final class CarelessConvert: CarelessStage, @unchecked Sendable {
  override func work() throws {
    data = job.convert(before?.data ?? Data())
    count()
  }
}

// @unchecked: adds nothing to its parent.
private final class CarelessWrite: CarelessStage, @unchecked Sendable {
  override func work() throws {
    try (before?.data ?? Data()).write(to: job.part(photo))
    // Fault: all bytes are written, but the file may still not get its name.
    count()
    if pipeline.progress.isCancelled { throw CancellationError() }
    // Fault: whoever cancels now is told yes, and the file appears all the same.
    reach("before-move")
    tell("effect.publish")
    try FileManager.default.moveItem(at: job.part(photo), to: job.target(photo))
  }
}

// @unchecked: its properties are constants.
private final class CarelessEnd: Operation, @unchecked Sendable {
  private let pipeline: CarelessPipeline
  private let stages: [CarelessStage]

  init(_ pipeline: CarelessPipeline, _ stages: [CarelessStage]) {
    (self.pipeline, self.stages) = (pipeline, stages)
    super.init()
    for stage in stages { addDependency(stage) }
  }

  override func main() {
    let (job, probe) = (pipeline.job, pipeline.job.probe)
    probe.reach(Checkpoint("start", item: job.lastNumber))
    let kinds = Set(stages.map(\.outcome))
    let outcome = [.cancelled, .failed].first { kinds.contains($0) } ?? OutcomeKind.succeeded
    probe.event(ProbeEvent("outcome." + outcome.rawValue))
    job.onEnd(outcome)
    probe.reach(Checkpoint("end", item: job.lastNumber))
  }
}
