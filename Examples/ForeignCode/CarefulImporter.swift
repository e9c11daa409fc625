import Foundation
import SettleCore

/// The same importer, mended: one lock decides between cancel and commit, and the temporary file
/// goes on every way out.
public final class CarefulImporter: Sendable {
  private let decision = Decision()
  private let task: Task<Void, Never>

  /// Begins at once.
  public init(_ job: FileImport) {
    task = Task(executorPreference: job.executor) { [decision] in await Self.run(job, decision) }
  }

  /// Stops it if it is not past its commit, and says so.
  public func cancel() -> CancelAnswer {
    let answer = decision.cancel()
    if answer == .accepted { task.cancel() }
    return answer
  }

  private static func run(_ job: FileImport, _ decision: Decision) async {
    job.tell("entered")
    var outcome = OutcomeKind.succeeded
    do {
      try await copy(job, decision)
    } catch {
      // Whoever was told that it stops is not told that it failed.
      outcome = decision.take() ? .failed : .cancelled
    }
    job.tellEnd(outcome)
  }

  private static func copy(_ job: FileImport, _ decision: Decision) async throws {
    // Gone after the move; left by everything else.
    defer { try? FileManager.default.removeItem(at: job.part) }
    try FileManager.default.copyItem(at: job.source, to: job.part)
    try await job.verify(job.part)
    job.reach("before-commit")
    job.tell("commitAsked")
    guard decision.take() else { throw CancellationError() }
    job.tell("commit")
    job.reach("before-move")
    job.tell("effect.publish")
    try FileManager.default.moveItem(at: job.part, to: job.target)
  }
}

/// The one place where cancel and commit meet.
// @unchecked: what changes is behind the lock.
private final class Decision: @unchecked Sendable {
  private enum Phase { case working, cancelled, committed }

  private let lock = NSLock()
  private var phase = Phase.working

  func cancel() -> CancelAnswer {
    lock.withLock {
      switch phase {
      case .working:
        phase = .cancelled
        return .accepted
      case .cancelled: return .alreadyRequested
      case .committed: return .tooLate
      }
    }
  }

  /// Decides against every later cancel; false when there was one before.
  func take() -> Bool {
    lock.withLock {
      if phase == .working { phase = .committed }
      return phase == .committed
    }
  }
}
