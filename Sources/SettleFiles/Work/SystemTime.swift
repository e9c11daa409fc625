import CSettleSystem
import SettleCore

/// The world's clock and this process, read in one place so that tests can give their own.
public struct SystemTime: Sendable {
  private let read: @Sendable () -> UInt64

  /// A clock that reads milliseconds since 1970 from a closure.
  public init(milliseconds: @escaping @Sendable () -> UInt64) { read = milliseconds }

  /// The machine's clock.
  public static let machine = SystemTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return milliseconds(of: now)
  }

  /// Milliseconds since 1970; a clock that stands before 1970 reads 0.
  static func milliseconds(of time: timespec) -> UInt64 {
    let (whole, overflow) = UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000)
    if overflow || time.tv_sec < 0 { return overflow ? .max : 0 }
    return whole.addingReportingOverflow(UInt64(clamping: time.tv_nsec / 1_000_000)).partialValue
  }

  /// Milliseconds since 1970, never more than the 48 bits of them that an id has.
  public var milliseconds: UInt64 { min(read(), 0xFFFF_FFFF_FFFF) }

  /// A new id for this moment, from the system's random numbers.
  package func makeID() -> SortableID {
    var random = SystemRandomNumberGenerator()
    return SortableID(milliseconds: milliseconds, using: &random)
  }
}

/// This process.
package enum CurrentProcess {
  /// Its number.
  package static var identifier: Int32 { getpid() }
}
