/// Speed and time left, estimated from what an observer saw. Reads no clock (PRG-14).
///
/// Feed it with the units of each snapshot and the time since the observer started. The first
/// record is only the place to start from, so a resumed offset is not counted as speed. An interval
/// far longer than usual, such as a machine's sleep, is left out once; if the next one is as long,
/// that is how long intervals are now.
public struct RateEstimator: Sendable, Equatable {
  /// Smoothed speed: nil before the first interval, else finite and not negative.
  public private(set) var unitsPerSecond: Double?

  private var last: Record?
  private struct Record: Equatable {
    var units: Int64
    var elapsed: Duration
  }

  /// How much of the memory holds speeds already, 0 to 1. Until it is full the average is over
  /// what was seen, so that a slow first interval is not believed for the whole memory.
  private var filled = 0.0
  /// Smoothed length of an interval, in seconds.
  private var usualInterval: Double?
  private var isAfterGap = false

  /// Speeds are averaged over about this many seconds.
  private static let memory = 10.0
  /// An interval is a gap when it is this many times as long as usual, and longer than this.
  private static let gapFactor = 8.0
  private static let shortestGap = 5.0
  /// A longer time left, about 31 years, says nothing to anybody.
  private static let longestTimeLeft = 1e9

  /// An estimator that has seen nothing.
  public init() {}

  /// Takes in how many units were done at a time.
  ///
  /// A clock that stands still adds nothing; units or a clock that went backwards are a new start
  /// which keeps the speed.
  public mutating func record(_ units: Int64, at elapsed: Duration) {
    guard let last else {
      self.last = Record(units: units, elapsed: elapsed)
      return
    }
    let interval = (elapsed - last.elapsed).inSeconds
    let isBackwards = units < last.units || interval < 0
    guard interval > 0 || isBackwards else { return }
    self.last = Record(units: units, elapsed: elapsed)
    if isBackwards || isGap(interval) { return }

    let speed = (Double(units) - Double(last.units)) / interval
    let weight = interval / (interval + Self.memory)
    filled += (1 - filled) * weight
    unitsPerSecond = unitsPerSecond.map { $0 + (speed - $0) * weight / filled } ?? speed
    usualInterval = usualInterval.map { $0 + (interval - $0) / 4 } ?? interval
  }

  /// Time until `total` is reached at the present speed.
  ///
  /// Nil when the total is not exact, nothing is known of the speed, or the speed is too low to
  /// say; else finite and not negative.
  public func timeLeft(to total: WorkTotal) -> Duration? {
    guard case .exactly(let count) = total, let last, let unitsPerSecond else { return nil }
    if count <= last.units { return .zero }
    let seconds = (Double(count) - Double(last.units)) / unitsPerSecond
    return seconds <= Self.longestTimeLeft ? .seconds(seconds) : nil
  }

  private mutating func isGap(_ interval: Double) -> Bool {
    guard let usualInterval else { return false }
    let isLong = interval > max(Self.shortestGap, Self.gapFactor * usualInterval)
    isAfterGap = isLong && !isAfterGap
    return isAfterGap
  }
}

extension Duration {
  /// As a floating-point number of seconds.
  fileprivate var inSeconds: Double { self / .seconds(1) }
}
