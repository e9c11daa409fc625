/// How often a step is tried again, after which delay, and after which errors (RUN-9).
public struct RetryPolicy: Sendable, Equatable {
  // Numbers outside of their range are brought into it, whoever sets them: a policy never traps.

  /// How many attempts may follow the first one; at least 0.
  public var retries: Int { didSet { retries = max(0, retries) } }
  /// The delay before the first retry; at least zero.
  public var firstDelay: Duration { didSet { firstDelay = max(.zero, firstDelay) } }
  /// By how much each delay is longer than the one before; at least 1.
  public var factor: Double { didSet { factor = Self.number(factor, in: 1...1e9, else: 1) } }
  /// No delay is longer than this; at least zero.
  public var longestDelay: Duration { didSet { longestDelay = max(.zero, longestDelay) } }
  /// The part of a delay that chance may take away, 0 to 1, so that many steps do not come back
  /// at the same moment.
  public var jitter: Double { didSet { jitter = Self.number(jitter, in: 0...1, else: 0) } }
  private let filter: Filter

  /// Makes a policy. Without `when`, every error is tried again but a ``SettleError`` that is not
  /// ``SettleError/isRetryable``.
  public init(
    retries: Int, firstDelay: Duration = .zero, factor: Double = 2,
    longestDelay: Duration = .seconds(60), jitter: Double = 0.5,
    when: (@Sendable (any Error) -> Bool)? = nil
  ) {
    self.retries = max(0, retries)
    self.firstDelay = max(.zero, firstDelay)
    self.factor = Self.number(factor, in: 1...1e9, else: 1)
    self.longestDelay = max(.zero, longestDelay)
    self.jitter = Self.number(jitter, in: 0...1, else: 0)
    filter = when.map(Filter.init) ?? .standard
  }

  private static func number(
    _ value: Double, in range: ClosedRange<Double>, else other: Double
  ) -> Double {
    value.isNaN ? other : min(max(value, range.lowerBound), range.upperBound)
  }

  /// One attempt and no more.
  public static let never = RetryPolicy(retries: 0)

  /// Attempts with growing delays.
  public static func exponential(
    retries: Int, firstDelay: Duration = .seconds(1), jitter: Double = 0.5
  ) -> RetryPolicy {
    RetryPolicy(retries: retries, firstDelay: firstDelay, jitter: jitter)
  }

  /// True when a step that failed with `error` in its n-th attempt is to be tried again.
  func allowsRetry(after error: any Error, attempt: Int) -> Bool {
    attempt <= retries && filter.allows(error)
  }

  /// The delay before the n-th retry; `chance` is from 0 up to 1.
  func delay(beforeRetry number: Int, chance: Double) -> Duration {
    var seconds = firstDelay / .seconds(1)
    let limit = longestDelay / .seconds(1)
    var left = number - 1
    while left > 0, seconds > 0, seconds < limit, factor > 1 {
      seconds *= factor
      left -= 1
    }
    return .seconds(min(seconds, limit) * (1 - jitter * chance))
  }

  /// Policies are equal when they have the same numbers and come from the same choice of errors.
  public static func == (left: RetryPolicy, right: RetryPolicy) -> Bool {
    left.retries == right.retries && left.firstDelay == right.firstDelay
      && left.factor == right.factor && left.longestDelay == right.longestDelay
      && left.jitter == right.jitter && left.filter === right.filter
  }

  /// The choice of errors, in an object, so that equal choices can be told.
  private final class Filter: Sendable {
    let allows: @Sendable (any Error) -> Bool

    init(_ allows: @escaping @Sendable (any Error) -> Bool) { self.allows = allows }

    static let standard = Filter { ($0 as? SettleError)?.isRetryable ?? true }
  }
}
