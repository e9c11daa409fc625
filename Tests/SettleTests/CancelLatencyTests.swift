import Settle
import SettleCore
import SettleTestSupport
import Synchronization
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

  // CAN-9, RUN-6: the counting is left at the next folder, also where there are no files.
  @Test func cancellingTheCountingOfEmptyFoldersIsSeenAtOnce() async throws {
    try await withFaultWorld { world in
      for index in 0..<400 {
        _ = try world.files.makeFolder(at: world.sourcePath.appending("0\(1_000 + index)".utf8))
      }
      let library = try await world.open()
      defer { library.close() }
      let runs = Collector<ImportRun>()
      let armed = Gate()
      let listings = Mutex(0)
      world.files.configure { options in
        options.onOperation = { operation in
          guard operation.call == "list" else { return }
          let count = listings.withLock { count in
            count += 1
            return count
          }
          if count == 1 { armed.wait() }
          if count == 5 { #expect(runs.all[0].cancel() == .accepted) }
        }
      }
      let run = try library.import([ImportSource(world.sourcePath)])
      runs.add(run)
      armed.open()
      let report = await run.report()
      #expect(report.state == .cancelled)
      #expect(report.counts.settled == report.counts.cancelled)
      #expect(listings.withLock { $0 } < 12, "it went on listing")
      world.files.configure { $0.onOperation = nil }
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
