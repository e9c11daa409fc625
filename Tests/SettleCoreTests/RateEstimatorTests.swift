import SettleCore
import SettleTestSupport
import Testing

/// Speed and time left (PRG-14).
@Suite struct RateEstimatorTests {
  private func estimator(_ records: [(Double, Int64)]) -> RateEstimator {
    var estimator = RateEstimator()
    for (seconds, units) in records { estimator.record(units, at: .seconds(seconds)) }
    return estimator
  }

  // PRG-14: started at 5 of 10 million, 0.1 million a second.
  @Test func aResumedOffsetIsNotSpeed() throws {
    let rate = estimator([(0, 5_000_000), (1, 5_100_000), (2, 5_200_000), (3, 5_300_000)])
    #expect(rate.unitsPerSecond == 100_000)
    #expect(rate.timeLeft(to: .exactly(10_000_000)) == .seconds(47))
  }

  // PRG-14
  @Test func nothingIsSaidWithoutAnIntervalOrAnExactTotal() {
    #expect(RateEstimator().unitsPerSecond == nil)
    #expect(RateEstimator().timeLeft(to: .exactly(5)) == nil)
    let once = estimator([(3, 50)])
    #expect(once.unitsPerSecond == nil)
    #expect(once.timeLeft(to: .exactly(100)) == nil)
    let twice = estimator([(0, 0), (1, 10)])
    #expect(twice.timeLeft(to: .unknown) == nil)
    #expect(twice.timeLeft(to: .atLeast(100)) == nil)
    #expect(twice.timeLeft(to: .exactly(100)) == .seconds(9))
    #expect(twice.timeLeft(to: .exactly(5)) == .zero)
  }

  // PRG-14: a run starts slowly; soon the time left speaks of the speed that it has.
  @Test func aSlowStartIsSoonForgotten() throws {
    var rate = estimator([(0, 0), (0.1, 1)])
    for step in 1...20 { rate.record(Int64(step) * 100, at: .seconds(0.1 + Double(step) / 10)) }
    let speed = try #require(rate.unitsPerSecond)
    #expect(speed > 900 && speed < 1_000)
  }

  // PRG-14: the machine sleeps for an hour.
  @Test func aGapCostsOneSample() {
    var rate = estimator((0...20).map { (Double($0), Int64($0) * 10) })
    rate.record(201, at: .seconds(3620))
    #expect(rate.unitsPerSecond == 10)
    rate.record(211, at: .seconds(3621))
    #expect(rate.unitsPerSecond == 10)
  }

  // PRG-14: work that became slow for good is no gap.
  @Test func intervalsThatStayLongAreBelieved() throws {
    var rate = estimator((0...20).map { (Double($0), Int64($0) * 10) })
    for step in 1...20 { rate.record(200 + Int64(step), at: .seconds(20 + 60 * step)) }
    let speed = try #require(rate.unitsPerSecond)
    #expect(abs(speed - 1.0 / 60) < 0.001)
  }

  // PRG-14
  @Test func aStallNeverGivesNonsense() {
    var rate = estimator([(0, 0), (1, 10)])
    rate.record(20, at: .seconds(1))
    #expect(rate.unitsPerSecond == 10)
    for second in 2..<2000 { rate.record(20, at: .seconds(second)) }
    #expect((rate.unitsPerSecond ?? -1) >= 0)
    #expect(rate.timeLeft(to: .exactly(.max)) == nil)
    let standing = estimator([(0, 0), (1, 0)])
    #expect(standing.unitsPerSecond == 0)
    #expect(standing.timeLeft(to: .exactly(1)) == nil)
  }

  // PRG-14
  @Test func goingBackwardsIsANewStart() {
    var rate = estimator([(0, 0), (1, 10)])
    rate.record(2, at: .seconds(2))
    #expect(rate.unitsPerSecond == 10)
    rate.record(12, at: .seconds(3))
    #expect(rate.unitsPerSecond == 10)
    rate.record(15, at: .seconds(1))
    #expect(rate.unitsPerSecond == 10)
  }

  // PRG-14: whatever comes in, what comes out is nil, or finite and not negative.
  @Test func anyInputGivesNilOrAFiniteNumber() {
    var random = SeededGenerator(seed: 14)
    for run in 0..<500 {
      var rate = RateEstimator()
      for _ in 0..<40 {
        let units = Int64.random(in: .min ... .max, using: &random) >> Int.random(in: 0..<60)
        let seconds = Int64.random(in: -1000...(1 << 40), using: &random)
        rate.record(units, at: .seconds(seconds))
        let speed = rate.unitsPerSecond ?? 0
        #expect(speed.isFinite && speed >= 0, "seed 14, run \(run)")
        let total = Int64.random(in: .min ... .max, using: &random)
        let left = rate.timeLeft(to: .exactly(total)) ?? .zero
        #expect(left >= .zero && left <= .seconds(1_000_000_000), "seed 14, run \(run)")
      }
    }
  }
}
