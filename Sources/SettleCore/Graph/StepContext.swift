/// What a step's body sees of its run. Valid for one attempt.
public struct StepContext: Sendable {
  let engine: GraphEngine
  let claim: StepClaim
  let worker: Int

  /// The name of the step.
  public var name: String { engine.graph.names[claim.step] }

  /// The number of this attempt, from 1.
  public var attempt: Int { engine.attempt(of: claim) }

  /// True once the result can no longer be committed: the run was cancelled or shut down, or a
  /// time is over. The task of the body is cancelled then, too. Ask before each unit of work.
  public var isCancelled: Bool { engine.isStopped(claim, worker) }

  /// Throws when ``isCancelled`` is true.
  public func checkCancellation() throws { if isCancelled { throw CancellationError() } }

  /// Publishes the result: the commit point of this step, to be passed once.
  ///
  /// `publish` runs only when the run decided for it; from then on a cancellation answers that it
  /// is too late, and the step succeeds when its body has returned, whatever else it throws. When
  /// `publish` throws, the step has failed and is not tried again.
  ///
  /// **After cancellation** nothing is published, and what the body staged is its own to remove.
  ///
  /// - Throws: `CancellationError` when a cancellation or the end of the process came first,
  ///   `timeout` when a time was over first, `commitRefused` for a second commit or a body that has
  ///   ended, and what `publish` throws.
  public func commit<Value>(_ publish: () async throws -> Value) async throws -> Value {
    try engine.beginCommit(claim, worker)
    do {
      let value = try await publish()
      engine.endCommit(claim, worker, nil)
      return value
    } catch {
      engine.endCommit(claim, worker, error)
      throw error
    }
  }

  /// The step's part of the run's progress, to be counted in units of its own (PRG-2).
  ///
  /// A later attempt begins counting anew, and what was shown stays (PRG-8). The engine settles it.
  public func progress(total: WorkTotal, unit: WorkUnit = .steps) -> WorkProgress {
    engine.progress(of: claim, total, unit)
  }

  /// The result of a step that this one needs; it succeeded, so it has one.
  func take<Input: Sendable>(_ type: Input.Type, from step: Int32) -> Input {
    if Input.self == Void.self, let nothing = () as? Input { return nothing }
    guard let kept = engine.output(of: Int(step)) as? StepOutput<Input> else {
      preconditionFailure("a step runs only when those it needs have kept their results")
    }
    return kept.value
  }

  /// Keeps the result for those who need it and for the report.
  func keep<Output: Sendable>(_ output: Output) {
    if Output.self != Void.self { engine.keep(StepOutput(value: output), of: claim, worker) }
  }
}

/// A result as it is kept. In a structure of its own because a bare `any Sendable` could not be
/// told from the result inside, and everything could be cast to it.
struct StepOutput<Value: Sendable>: Sendable {
  let value: Value
}
