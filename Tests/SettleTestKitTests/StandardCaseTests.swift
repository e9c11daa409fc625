import SettleCore
import SettleTestKit
import SettleTestSupport
import SettleVerify
import Testing

/// The standard cases on three subjects, and on ones that are wrong.
@Suite(.timeLimit(.minutes(5))) struct StandardCaseTests {
  /// One pool for all tests; its processes end with the test process.
  static let pool: VerifierPool? = BuiltProducts.verifier.map {
    VerifierPool(location: VerifierLocation(chosen: $0.bytes))
  }

  static func importer() throws -> ImportAdapter {
    let found = pool
    return ImportAdapter(
      verifier: try #require(found, "settle-verify is built with the tests"))
  }

  // TST-8, CAN-3, CAN-4, CAN-5, CAN-6, RUN-3, RUN-7: an OperationQueue.
  @Test(arguments: StandardCase.allCases)
  func aCarefulOperationQueueMasters(_ standardCase: StandardCase) async throws {
    let result = try await standardCase.check(ThumbnailAdapter())
    #expect(result.actual == standardCase.expected)
    #expect(result.violations == [])
  }

  // TST-8: Settle's own graph engine.
  @Test(arguments: StandardCase.allCases)
  func theGraphEngineMasters(_ standardCase: StandardCase) async throws {
    try await standardCase.check(GraphAdapter())
  }

  // TST-8: Settle's own import, with documents on disk.
  @Test(arguments: StandardCase.allCases.filter { !$0.needs.contains(.dependencies) })
  func theImportMasters(_ standardCase: StandardCase) async throws {
    try await standardCase.check(Self.importer())
  }

  // TST-8: what cannot be asked has not passed, and the reason is told.
  @Test func whatTheCodeCannotDoIsSkippedWithItsReason() async throws {
    let adapter = try Self.importer()
    let result = await StandardCase.predecessorFails.run(adapter)
    let reason =
      "the code has no dependencies: the documents of an import do not need each other"
    #expect(result.verdict == .skipped(reason))
    #expect(result.actual == nil)
    #expect(result.description == "predecessor fails: skipped, " + reason)
    await #expect(throws: CaseFailure.self) {
      try await StandardCase.predecessorFails.check(adapter)
    }
    #expect(StandardCase.cases(for: adapter).count == 4)
    #expect(StandardCase.cases(for: GraphAdapter()).count == 6)
  }

  // TST-8, TST-2: the usual faults, with what is wrong in words.
  @Test func aCarelessOperationQueueFailsWithTheReasonInWords() async throws {
    let adapter = ThumbnailAdapter(isCareful: false)
    let cancelled = await StandardCase.cancelBeforeCommit.run(adapter)
    #expect(
      cancelled.description == """
        cancel right before commit: not as expected
        expected: item 0 cancelled, result absent, told 1 time
        found:    item 0 succeeded, result whole, told 1 time
        endState: item 0 must be cancelled and is succeeded
          event 1: item 0: started
          event 5: item 0: cancel was answered: accepted
          event 7: item 0: its body returned
          event 8: item 0: outcome: succeeded
        files: item 0 must have no result, and there is one
          event 6: item 0: effect: publish
          event 8: item 0: outcome: succeeded
          event 11: item 0: its target was found new
        noEffectAfterCancel: something was done after its cancellation was accepted
          event 5: item 0: cancel was answered: accepted
          event 6: item 0: effect: publish
        errorIsNoSuccess: its cancellation was accepted, and it counts as success
          event 5: item 0: cancel was answered: accepted
          event 8: item 0: outcome: succeeded
        """)
    let failed = await StandardCase.predecessorFails.run(adapter)
    #expect(
      failed.brokenRules == [
        "completions", "dependenciesFirst", "endState", "exactlyOneCompletion", "files",
        "leftoversGone",
      ])
    #expect(failed.description.contains("completions: the end of item 0 must be told once and was"))
    #expect(failed.description.contains("files: a file is left over\n"))
    #expect(failed.actual?.leftovers == ["0.part"])
  }

  // TST-8: a wrong answer alone is found.
  @Test func aWrongAnswerToACancelIsFound() async throws {
    let result = await StandardCase.cancelAfterCommit.run(
      MemoryAdapter(faults: .answersWrongly))
    #expect(result.brokenRules == ["endState"])
    #expect(result.violations[0].message == "the cancel must be answered with tooLate")
  }

  // TST-8, TST-1: an adapter that cannot run shows nothing, and says what it threw.
  @Test(arguments: StandardCase.allCases)
  func anAdapterThatThrowsIsInconclusive(_ standardCase: StandardCase) async {
    let result = await standardCase.run(MemoryAdapter(faults: .throwsAtStart))
    let reason = "the batch could not be run, the adapter threw: the workshop is closed"
    #expect(result.verdict == .inconclusive(reason))
    let unprepared = await standardCase.run(MemoryAdapter(faults: .throwsInPrepare))
    #expect(
      unprepared.verdict
        == .inconclusive(
          "while waiting for the batch to be prepared, the adapter threw: the workshop is closed"))
  }

  // TST-1: a run that never ends is told of, with who waits and what has no outcome.
  @Test func aRunThatNeverEndsIsToldOf() async throws {
    let limit = Duration.milliseconds(500) * Duration.waitScale
    let adapter = MemoryAdapter(faults: .neverEnds, waitLimit: limit)
    let result = await StandardCase.predecessorSucceeds.run(adapter, file: "My.swift", line: 7)
    guard case .hung(let story) = result.verdict else {
      Issue.record("\(result)")
      return
    }
    #expect(
      story.hasPrefix(
        "the test at My.swift:7 waited \(limit) for the batch to end (predecessor succeeds), "
          + "in vain. Who waits where:\n"))
    // On a busy machine item 0 may not have come to its end either.
    #expect(story.contains("\nwithout an outcome: item ") && story.hasSuffix("item 1"))
  }

  // TST-1: a checkpoint that is not in the code is found at once, not after a wait.
  @Test func aCheckpointThatIsNeverReachedIsFoundAtOnce() async {
    let result = await StandardCase.cancelBeforeCommit.run(
      MemoryAdapter(faults: .hasNoCheckpoint))
    #expect(
      result.verdict
        == .inconclusive(
          "the batch ended and nothing came to the checkpoint \"before-commit\"; reach it in your "
            + "code, or name yours in the adapter's checkpoints"))
  }

  // TST-6, TST-8: a result becomes a cell of a report, with the same verdict.
  @Test func aResultBecomesACellOfAReport() async throws {
    func cell(_ standardCase: StandardCase, _ adapter: some BatchAdapter) async -> ReportCell {
      await standardCase.run(adapter).cell("work", fileType: "text", source: "memory")
    }
    for standardCase in StandardCase.allCases {
      let right = await cell(standardCase, MemoryAdapter())
      #expect(right.verdict == .asExpected)
      #expect(right.observation.completionCount == standardCase.expected.items.count)
    }
    let careless = await cell(.predecessorFails, ThumbnailAdapter(isCareful: false))
    #expect(careless.verdict == .notAsExpected)
    #expect(careless.observation.leftovers == ["0.part"])
    #expect(careless.reason.contains("endState: item 1 must be skipped and is succeeded"))
    let cancelled = await cell(.cancelBeforeCommit, MemoryAdapter())
    #expect(
      cancelled.combination.description
        == "work, cancel right before commit: text, memory, cancel: right before commit")
    let skipped = await cell(.predecessorSucceeds, MemoryAdapter(lacks: [.dependencies: "none"]))
    #expect(skipped.verdict == .skipped)
    let thrown = await cell(.cancelAfterCommit, MemoryAdapter(faults: .throwsAtStart))
    #expect(thrown.verdict == .inconclusive)
    let limit = Duration.milliseconds(200) * Duration.waitScale
    let hung = await cell(
      .cancelAfterCommit, MemoryAdapter(faults: .neverEnds, waitLimit: limit))
    #expect(hung.verdict == .hung)
  }

  // TST-8: cases run side by side do not see each other.
  @Test func casesRunSideBySide() async {
    let results = await withTaskGroup(of: CaseResult.self) { group in
      for _ in 0..<8 {
        for standardCase in StandardCase.allCases {
          group.addTask { await standardCase.run(MemoryAdapter()) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 48)
    for result in results { #expect(result.verdict == .asExpected, "\(result)") }
  }
}
