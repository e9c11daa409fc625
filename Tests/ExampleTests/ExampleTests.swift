import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

/// The examples are built with the tests, run as programs, and print exactly this.
@Suite struct ExampleTests {
  private func output(_ name: String, _ arguments: [[UInt8]] = []) throws -> String {
    let program = try #require(BuiltProducts.product("Example-" + name), "\(name) is built")
    let limits = CommandLimits(duration: .seconds(60), capturedByteCount: 1 << 20)
    let result = try Command(program.bytes, arguments).run(input: [], limits: limits)
    #expect(result.ending == .exited(0))
    #expect(String(decoding: result.errors.bytes, as: UTF8.self) == "")
    return String(decoding: result.output.bytes, as: UTF8.self)
  }

  // PRG-2: four files for 60, two for 40: 0.30, then 0.50, then 1.0.
  @Test func weightedStagesShareOneBar() throws {
    #expect(
      try output("WeightedStages") == """
        convert 1a 0.15
        convert 1b 0.3
        verifying left page and right page
        verify 1 0.5
        convert 2a 0.65
        convert 2b 0.8
        verifying left page and right page
        verify 2 1.0
        succeeded

        """)
  }

  // RUN-3, PIP-1's core: a failed download skips its convert, and a successful one does not.
  @Test func aFailedDownloadSkipsItsConvert() throws {
    #expect(
      try output("FailedDownload") == """
        download good: succeeded
        convert good: succeeded
        download gone: failed: The step failed: "download gone" (NoSuchPage()).
        convert gone: skipped, because of download gone

        """)
  }

  // CAN-2, CAN-3, CAN-4, CAN-5, CAN-6
  @Test func cancellationsAnswerTruly() throws {
    #expect(
      try output("Cancellation") == """
        beforeStart: cancel() says accepted; the run is cancelled, published: false
        duringWork: cancel() says accepted; the run is cancelled, published: false
        rightBeforeCommit: cancel() says accepted; the run is cancelled, published: false
        afterCommit: cancel() says tooLate; the run is succeeded, published: true

        """)
  }

  // RUN-8
  @Test func anEmptyBatchSucceedsAtOnce() throws {
    #expect(try output("EmptyBatch") == "succeeded 0 1.0\n")
  }

  // PRG-8
  @Test func aRetryDoesNotMoveTheBarBack() throws {
    #expect(
      try output("SteadyRetry") == """
        attempt 1, part 1: 25 %
        attempt 1, part 2: 50 %
        attempt 2, part 1: 50 %
        attempt 2, part 2: 50 %
        attempt 2, part 3: 75 %
        attempt 2, part 4: 99 %
        succeeded after 2 attempts

        """)
  }

  // RUN-3, RUN-7, RUN-11
  @Test func aPipelineOfAThousandPhotosEndsInExactNumbers() throws {
    let text = try output("PhotoPipeline")
    #expect(text.hasPrefix("failed: 990 photos written\n2970 succeeded, 20 skipped\n"))
    #expect(text.contains("root causes: download 100, download 200, "))
    #expect(text.hasSuffix("download 1000\n"))
  }

  // IMP-2: the first example of the README.
  @Test func theFirstImportEndsWithItsOutcome() throws {
    try withTemporaryFolder { folder in
      let source = folder.appending("letter.pdf".utf8)
      try PosixFileSystem().makeFile(at: source, holding: Documents.plain(byteCount: 600, seed: 1))
      let text = try output(
        "FirstImport", [folder.appending("library".utf8).bytes, source.bytes])
      #expect(
        text == "OutcomeCounts(succeeded: 1, failed: 0, skipped: 0, cancelled: 0)\n", "\(text)")
    }
  }
}
