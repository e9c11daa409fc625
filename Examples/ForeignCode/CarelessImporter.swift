import Foundation
import SettleCore

/// An importer by async and await and `FileManager`, as it is usually written. It has two faults.
public final class CarelessImporter: Sendable {
  private let task: Task<Void, Never>

  /// Begins at once.
  public init(_ job: FileImport) {
    task = Task(executorPreference: job.executor) { await Self.run(job) }
  }

  /// Stops it.
  public func cancel() { task.cancel() }

  private static func run(_ job: FileImport) async {
    job.tell("entered")
    do {
      try await copy(job)
      job.tellEnd(.succeeded)
    } catch {
      // Fault: the temporary file stays.
      job.tellEnd(error is CancellationError ? .cancelled : .failed)
    }
  }

  private static func copy(_ job: FileImport) async throws {
    try FileManager.default.copyItem(at: job.source, to: job.part)
    try await job.verify(job.part)
    try Task.checkCancellation()
    // Fault: whoever cancels now is told yes, and the file appears all the same.
    job.reach("before-move")
    job.tell("effect.publish")
    try FileManager.default.moveItem(at: job.part, to: job.target)
  }
}
