/// How an item or a step ended. No outcome yet means that it is pending.
///
/// "Did not run" and "ran and failed" are different values (RUN-1).
public enum Outcome: Sendable, Equatable {
  /// The result is published and recorded and can be used.
  case succeeded
  /// It ran and did not reach its result.
  case failed(SettleError)
  /// It did not need to run, or could not because of another step.
  case skipped(SkipReason)
  /// Somebody cancelled it before its commit point.
  case cancelled

  /// The outcome without its reason.
  public var kind: OutcomeKind {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .skipped: .skipped
    case .cancelled: .cancelled
    }
  }

  /// True when nothing is left to do for this item: it succeeded or was skipped benignly.
  public var isWell: Bool {
    switch self {
    case .succeeded: true
    case .skipped(let reason): reason.isBenign
    case .failed, .cancelled: false
    }
  }
}

/// An ``Outcome`` without its reason.
public enum OutcomeKind: String, Sendable, Hashable, CaseIterable {
  /// See ``Outcome/succeeded``.
  case succeeded
  /// See ``Outcome/failed(_:)``.
  case failed
  /// See ``Outcome/skipped(_:)``.
  case skipped
  /// See ``Outcome/cancelled``.
  case cancelled
}

/// Why something did not run.
public enum SkipReason: Sendable, Equatable {
  /// A file found in a folder is not of a kind that the library keeps.
  case unsupportedType
  /// The same content is in the library already, under this id.
  case duplicate(of: String)
  /// Nothing changed since the last run.
  case unchanged
  /// A step that this one needs did not succeed; `root` is the first that did not.
  case dependencyFailed(root: String)
  /// The time of the run was over before it could start.
  case outOfTime

  /// True when skipping left nothing undone.
  public var isBenign: Bool {
    switch self {
    case .unsupportedType, .duplicate, .unchanged: true
    case .dependencyFailed, .outOfTime: false
    }
  }

  /// The reason code of the contract's list.
  public var code: SettleError.Code {
    switch self {
    case .unsupportedType: .unsupportedType
    case .duplicate: .duplicate
    case .unchanged: .unchanged
    case .dependencyFailed: .dependencyFailed
    case .outOfTime: .timeout
    }
  }
}
