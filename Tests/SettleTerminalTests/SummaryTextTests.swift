import SettleCore
import Testing

@testable import SettleTerminal

@Suite struct SummaryTextTests {
  func counts(_ succeeded: Int, _ failed: Int, _ skipped: Int, _ cancelled: Int) -> OutcomeCounts {
    var counts = OutcomeCounts()
    counts.succeeded = succeeded
    counts.failed = failed
    counts.skipped = skipped
    counts.cancelled = cancelled
    return counts
  }

  // PRG-10
  @Test func aMixedRunAddsUpAndNamesReasonsAndNextSteps() {
    var facts = SummaryFacts(state: .failed, counts: counts(2, 5, 1, 0))
    facts.byteCount = 1_250_000
    facts.duration = .seconds(3)
    facts.reasons.add(Array("b.pdf".utf8), .skipped(.duplicate(of: "x")))
    for index in 1...4 {
      facts.reasons.add(Array("w\(index).pdf".utf8), .failed(SettleError(.notAPDF)))
    }
    facts.reasons.add([0xFF, 0x0D], .failed(SettleError(.damaged)))
    facts.reasons.add(Array("fine".utf8), .succeeded)
    #expect(
      SummaryText.lines(facts) == [
        "Imported 2 of 8 items (1.2 MB) in 0:03.",
        "  2 succeeded + 5 failed + 1 skipped + 0 cancelled = 8",
        "  failed, notAPDF: 4",
        #"    "w1.pdf", "w2.pdf", "w3.pdf" and 1 more"#,
        "    " + ErrorWording.of(.notAPDF).next,
        "  failed, damaged: 1",
        #"    "\xFF\r""#,
        "    " + ErrorWording.of(.damaged).next,
        "  skipped, duplicate: 1",
        #"    "b.pdf""#,
        "    " + ErrorWording.of(.duplicate).next,
        "Next: mend what is named above and import the same paths again; "
          + "what is in the library already is skipped.",
      ])
  }

  // RUN-8
  @Test func anEmptyRunSaysThatThereWasNothingToDo() {
    let facts = SummaryFacts(state: .succeeded, counts: counts(0, 0, 0, 0))
    #expect(SummaryText.lines(facts) == ["Nothing to do: no documents were found."])
  }

  // CAN-2
  @Test func aCancellationAfterTheLastCommitIsNoted() {
    var facts = SummaryFacts(state: .succeeded, counts: counts(1, 0, 0, 0))
    facts.cancelCameTooLate = true
    #expect(
      SummaryText.lines(facts) == [
        "Imported 1 of 1 item (0 B) in 0:00.",
        "  1 succeeded + 0 failed + 0 skipped + 0 cancelled = 1",
        "The cancellation came after the last commit, so nothing was cancelled.",
        "Next: settle ls shows the library.",
      ])
  }

  // RUN-8
  @Test func aDryRunClaimsNothing() {
    var facts = SummaryFacts(state: .succeeded, counts: counts(2, 0, 0, 0))
    facts.isDryRun = true
    #expect(
      SummaryText.lines(facts) == [
        "Would import 2 of 2 items (0 B) in 0:00. Nothing was stored.",
        "  2 succeeded + 0 failed + 0 skipped + 0 cancelled = 2",
      ])
  }

  // CAN-4
  @Test func aCancelledRunSaysWhatIsDoneAndHowToGoOn() {
    var facts = SummaryFacts(state: .cancelled, counts: counts(1, 0, 0, 2))
    facts.reasons.add(Array("a.pdf".utf8), .cancelled)
    #expect(SummaryText.lines(facts).first == "Cancelled: imported 1 of 3 items (0 B) in 0:00.")
    #expect(SummaryText.lines(facts).last?.hasPrefix("Next: import the same paths again") == true)
  }
}
