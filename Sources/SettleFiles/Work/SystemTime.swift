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
    return UInt64(now.tv_sec) * 1_000 + UInt64(now.tv_nsec) / 1_000_000
  }

  /// Milliseconds since 1970.
  public var milliseconds: UInt64 { read() }

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
