import SettleCore
import Testing

@testable import SettleTerminal

@Suite struct PlainProgressTests {
  // OBS-2
  @Test func plainLinesHoldNoControlCharacters() {
    var plain = PlainProgress()
    let line = plain.line(snapshot: busySnapshot(), estimate: .init(), at: .zero)
    #expect(
      line
        == "importing: 42 %, 5,068 of 12,000 items, 1.2 GB of 2.9 GB, 3 failed, 5 skipped")
  }

  // PRG-12
  @Test func atMostOneLineInFiveSecondsAndAtLeastOneInThirty() {
    var plain = PlainProgress()
    var times: [Int] = []
    for second in 0...100 {
      var value = busySnapshot()
      // It moves for 20 s and then stands still.
      value.counts.succeeded += min(second, 20)
      if plain.line(snapshot: value, estimate: .init(), at: .seconds(second)) != nil {
        times.append(second)
      }
    }
    #expect(times == [0, 5, 10, 15, 20, 50, 80])
  }

  // PRG-12
  @Test func aNewPhaseIsToldAtOnce() {
    var plain = PlainProgress()
    let counting = snapshot(.running, phase: .counting, items: .atLeast(7))
    #expect(
      plain.line(snapshot: counting, estimate: .init(), at: .zero) == "counting: 7 files so far")
    #expect(plain.line(snapshot: counting, estimate: .init(), at: .seconds(1)) == nil)
    #expect(plain.line(snapshot: busySnapshot(), estimate: .init(), at: .seconds(1)) != nil)
    var cancelling = busySnapshot()
    cancelling.state = .cancelling
    let line = plain.line(snapshot: cancelling, estimate: .init(), at: .seconds(1))
    #expect(line?.hasPrefix("cancelling: 42 %") == true)
  }

  // PRG-12
  @Test func anEndedRunHasNoProgressLine() {
    var plain = PlainProgress()
    var value = busySnapshot()
    value.state = .succeeded
    #expect(plain.line(snapshot: value, estimate: .init(), at: .zero) == nil)
  }

  // OBS-2
  @Test func countingNothingIsToldOnlyWhenItTakesLong() {
    var plain = PlainProgress()
    let empty = snapshot(.waiting, phase: .counting, items: .atLeast(0))
    #expect(plain.line(snapshot: empty, estimate: .init(), at: .zero) == nil)
    #expect(
      plain.line(snapshot: empty, estimate: .init(), at: .seconds(1)) == "counting: 0 files so far")
  }
}
