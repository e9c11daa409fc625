import CSettleSystem
import Testing

@testable import SettleFiles

@Suite struct SystemTimeTests {
  // RUN-10: no clock, however wrong, ends the process.
  @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 1_000), (Int.max, (1 << 48) - 1)])
  func anOddClockSaturates(seconds: Int, expected: Int) {
    var time = timespec()
    time.tv_sec = seconds
    let odd = time
    #expect(SystemTime { SystemTime.milliseconds(of: odd) }.milliseconds == UInt64(expected))
  }
}
