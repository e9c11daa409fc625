/// Where one step is. The last four absorb.
package enum StepState: UInt8, Sendable, Hashable, CaseIterable {
  case waiting, running, committing, succeeded, failed, skipped, cancelled
}

/// How the machine ended a step.
package enum StepEnd: Sendable, Hashable {
  /// Published.
  case succeeded
  /// Its body, or its publication, failed.
  case failed
  /// Its body found that nothing needed doing.
  case skippedBenignly
  /// A step that it needed, directly or not, did not succeed; `root` is the first that did not.
  case skipped(root: Int)
  /// It was waiting when the run's time was over.
  case outOfTime
  /// Cancelled before its commit point.
  case cancelled

  /// The outcome, without its reason.
  package var kind: OutcomeKind {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .skippedBenignly, .skipped, .outOfTime: .skipped
    case .cancelled: .cancelled
    }
  }

  /// True when a step did not run although something was left to do.
  var isUnwellSkip: Bool {
    switch self {
    case .skipped, .outOfTime: true
    case .succeeded, .failed, .skippedBenignly, .cancelled: false
    }
  }

  var state: StepState {
    switch kind {
    case .succeeded: .succeeded
    case .failed: .failed
    case .skipped: .skipped
    case .cancelled: .cancelled
    }
  }
}

/// The right to work on a step once. A newer claim of the same step makes this one void (RUN-10).
package struct StepClaim: Sendable, Hashable {
  /// The step.
  package var step: Int
  /// The number of this claim, unique in its run.
  package var fence: UInt32

  /// Names a claim.
  package init(step: Int, fence: UInt32) {
    self.step = step
    self.fence = fence
  }
}

/// What can happen to a run. See the table at ``RunMachine``.
package enum RunEvent: Sendable, Hashable {
  /// Work may begin; a run without steps settles at once.
  case start
  /// A worker asks for the next step that may run; no effect when there is none.
  case claimNext
  /// A worker asks for one step.
  case claim(Int)
  /// A body failed, and its policy says whether to try again.
  case failed(StepClaim, retries: Bool)
  /// A body failed and will be tried again, but not before `due` is applied for the same claim.
  case failedForNow(StepClaim)
  /// The delay of a step that failed for now is over.
  case due(StepClaim)
  /// A body found that nothing needed doing.
  case nothingToDo(StepClaim)
  /// A body is done and asks to publish: the commit point.
  case commitAsked(StepClaim)
  /// A body has returned and there is nothing to publish: the commit point and its success in one.
  case returned(StepClaim)
  /// The publication is durable and recorded.
  case published(StepClaim)
  /// The publication failed.
  case publishFailed(StepClaim)
  /// The process is shutting down; the step goes back uncharged (RUN-13).
  case handedBack(StepClaim)
  /// Somebody cancels the run.
  case cancel
  /// Nothing is claimed until the run is resumed; what runs goes on.
  case pause
  /// Steps may be claimed again.
  case resume
  /// The run's time is over: a failure, not a cancellation (RUN-9).
  case expire
  /// The process is shutting down: nothing is claimed any more (RUN-13).
  case shutDown
}

/// What the machine's owner has to do, outside the lock, in order.
package enum RunEffect: Sendable, Hashable {
  /// The claim holds: run the body.
  case began(StepClaim)
  /// The commit point decided for publication: publish now, then apply `published`.
  case publish(StepClaim)
  /// The commit point decided for cancellation: remove what the body staged.
  case discard(StepClaim)
  /// The step goes back to the queue.
  case waitsAgain(step: Int)
  /// The step has its outcome. Emitted once per step (RUN-7).
  case stepSettled(Int, StepEnd)
  /// The run has its outcome. Emitted once, last (RUN-7).
  case runSettled(RunState)
  /// The run is over for this process; some of its steps still wait. Emitted once, last (RUN-13).
  case runHandedBack
  /// What a cancellation achieved.
  case answered(CancelAnswer)
  /// The table does not allow the event; nothing changed.
  case rejected
}
