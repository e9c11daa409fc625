import SettleCore
import Testing

@testable import SettleTerminal

@Suite struct ProgressFrameTests {
  let estimate = FrameEstimate(bytesPerSecond: 85_400_000, timeLeft: .seconds(21))

  func frame(_ snapshot: RunSnapshot, _ columns: Int) -> [String] {
    ProgressFrame.lines(snapshot: snapshot, estimate: estimate, columns: columns)
  }

  // PRG-6
  @Test func countingShowsACountAndNoPercentage() {
    var value = snapshot(.running, phase: .counting, items: .atLeast(1_204))
    #expect(frame(value, 80) == ["counting: 1,204 files so far"])
    #expect(frame(value, 20) == ["1,204 files"])
    #expect(frame(value, 5) == ["."])
    // A fraction that a counting phase should not have is not shown either.
    value.progress.fractionCompleted = 0.5
    #expect(frame(value, 80) == ["counting: 1,204 files so far"])
  }

  // PRG-6
  @Test func aRunWithoutAFractionIsStillCounting() {
    #expect(
      frame(snapshot(.running, items: .exactly(3)), 80) == ["counting: 3 files so far"])
  }

  // OBS-2
  @Test func aWideTerminalShowsABarAndAllFacts() {
    #expect(
      frame(busySnapshot(), 80) == [
        "importing [################------------------------]  42 %",
        "5,068 of 12,000 items, 1.2 GB of 2.9 GB, 85 MB/s, 0:21 left, 3 failed, 5 skipped",
      ])
  }

  // OBS-2
  @Test func narrowTerminalsDropTheLeastImportantFacts() {
    #expect(
      frame(busySnapshot(), 40) == [
        "importing [#########-------------]  42 %",
        "5,068 of 12,000 items, 85 MB/s, 3 failed",
      ])
    #expect(frame(busySnapshot(), 20) == ["importing 42 %", "0:21 left, 3 failed"])
    #expect(frame(busySnapshot(), 4) == ["42 %"])
    #expect(frame(busySnapshot(), 1) == ["."])
    #expect(frame(busySnapshot(), 0) == [])
  }

  // PRG-9: one ulp below the whole is not the whole, not even once the run has settled.
  @Test func onlyTheWholeIsAHundred() {
    var value = snapshot(.failed, phase: .ended, items: .exactly(3))
    value.progress.fractionCompleted = 1.0.nextDown
    #expect(FrameParts(snapshot: value, estimate: estimate).percent == 99)
    value.progress.fractionCompleted = 1
    #expect(FrameParts(snapshot: value, estimate: estimate).percent == 100)
  }

  // PRG-9
  @Test func percentagesRoundDown() {
    var value = busySnapshot()
    value.progress.fractionCompleted = 5068.0 / 5080.0
    #expect(frame(value, 20)[0] == "importing 99 %")
    value.progress.fractionCompleted = 0.29
    #expect(frame(value, 20)[0] == "importing 29 %")
    value.progress.fractionCompleted = 0.289_999
    #expect(frame(value, 20)[0] == "importing 28 %")
  }

  // PRG-9
  @Test func oneHundredPercentNeedsTheOutcomeOfTheRun() {
    var value = busySnapshot()
    value.progress.fractionCompleted = 1
    let before = frame(value, 60)[0]
    #expect(before == "importing [#######################################-]  99 %")
    value.state = .succeeded
    value.phase = .ended
    #expect(
      frame(value, 60)[0] == "succeeded [########################################] 100 %")
  }

  // PRG-10
  @Test func failureDoesNotFillTheBar() {
    var value = busySnapshot()
    value.state = .failed
    value.phase = .ended
    value.progress.fractionCompleted = 0.5
    #expect(frame(value, 40)[0] == "failed [############-------------]  50 %")
  }

  // CAN-4
  @Test func cancellingIsSaidAndPromisesNoTime() {
    var value = busySnapshot()
    value.state = .cancelling
    #expect(
      frame(value, 80) == [
        "cancelling [################------------------------]  42 %",
        "5,068 of 12,000 items, 1.2 GB of 2.9 GB, 85 MB/s, 3 failed, 5 skipped",
      ])
  }

  // OBS-2
  @Test func noLineIsWiderThanTheTerminal() {
    var values = [busySnapshot(), snapshot(.running, phase: .counting, items: .atLeast(9_999_999))]
    for state in RunState.allCases {
      var value = busySnapshot()
      value.state = state
      value.counts.cancelled = 1_000_000
      values.append(value)
    }
    for columns in 0...200 {
      for value in values {
        for line in frame(value, columns) {
          #expect(ColumnWidth.of(line) <= columns, "\(columns): \(line)")
        }
      }
    }
  }
}
