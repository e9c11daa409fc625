import Settle
import SettleCore
import SettleTestSupport
import Testing

@Suite struct CancelLatencyTests {
  // CAN-8: the signal reaches the verifier; its copy is discarded.
  @Test func aVerificationSeesTheCancellation() async throws {
    try await withBox { box in
      for index in 0..<4 {
        try box.write(Documents.plain(seed: UInt64(index)), as: "\(index).pdf")
      }
      let verifier = StubbornVerifier()
      box.options.verifier = verifier
      box.options.workerCount = 1
      let library = try await box.open()
      let run = try library.import([ImportSource(box.sourcePath)])
      #expect(await verifier.gate.waitForArrival())
      #expect(run.cancel() == .accepted)
      #expect(run.snapshot().state == .cancelling)
      #expect(run.snapshot().phase == .importing)
      verifier.gate.open()
      let report = await run.report()
      #expect(verifier.answer == .cancelled)
      #expect(report.state == .cancelled)
      #expect(report.counts.cancelled == 4)
      library.close()
      try await box.expectConsistent()
    }
  }

  // CAN-9: what waits is settled by one decision, however much it is.
  @Test func tenThousandWaitingItemsAreCancelledAtOnce() {
    let control = RunControl(StepLinks(independent: 10_000))
    _ = control.apply(.start)
    let clock = ContinuousClock()
    let start = clock.now
    let effects = control.apply(.cancel)
    let duration = start.duration(to: clock.now)
    #expect(effects.contains(.answered(.accepted)))
    #expect(control.status.counts.cancelled == 10_000)
    #expect(control.status.state == .cancelled)
    #expect(duration < .milliseconds(100), "it took \(duration)")
  }
}
