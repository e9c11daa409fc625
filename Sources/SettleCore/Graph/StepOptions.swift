/// Which of the steps that may run goes first.
public enum StepPriority: UInt8, Sendable, Hashable, CaseIterable {
  /// Before the others.
  case high
  /// The usual.
  case normal
  /// When nothing else may run.
  case low
}

/// What a step wants beside its work.
public struct StepOptions: Sendable, Equatable {
  /// Its part of the run's progress, next to the weights of the other steps.
  public var weight: Int64 = 1
  /// Which of the steps that may run goes first.
  public var priority = StepPriority.normal
  /// What happens when its body throws.
  public var retry = RetryPolicy.never
  /// How long one attempt may take; longer is a failure, not a cancellation (RUN-9).
  public var timeout: Duration?
  /// The resources that it needs while it runs, by the names in the graph's limits.
  public var resources: [String] = []
  /// What it works on; a later run takes its success over only when this is the same (RUN-13).
  public var identity: ContentIdentity?

  /// A step with weight 1 that is tried once.
  public init() {}

  /// Makes options from what differs from the usual.
  public init(
    weight: Int64 = 1, priority: StepPriority = .normal, retry: RetryPolicy = .never,
    timeout: Duration? = nil, resources: [String] = [], identity: ContentIdentity? = nil
  ) {
    self.weight = weight
    self.priority = priority
    self.retry = retry
    self.timeout = timeout
    self.resources = resources
    self.identity = identity
  }
}
