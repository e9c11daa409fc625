import SettleCore
import SettleTestKit
import SettleTestSupport
import Testing

/// The kit would notice: deliberate breakages around three subjects and one in memory.
@Suite(.timeLimit(.minutes(5))) struct SabotageTests {
  private static let withoutProgress: [Sabotage: String] = [
    .progressAboveOne: "the queue shows no progress",
    .fallingProgress: "the queue shows no progress",
    .earlyFullProgress: "the queue shows no progress",
  ]

  // TST-7: in memory every breakage is caught.
  @Test func eachBreakageIsCaughtInMemory() async throws {
    let clock = ContinuousClock()
    let began = clock.now
    let report = try await Sabotage.verify(MemoryAdapter())
    // Alone 25 ms; told, not asserted: other tests run beside this one.
    print("sabotage in memory: \(report.caught.count) caught in \(began.duration(to: clock.now))")
    #expect(report.caught == Sabotage.allCases)
    #expect(Sabotage.allCases.count >= 12)
  }

  // TST-7: an OperationQueue with files on disk.
  @Test func eachBreakageOfAnOperationQueueIsCaught() async throws {
    let report = try await Sabotage.verify(ThumbnailAdapter(), except: Self.withoutProgress)
    #expect(report.caught.count == Sabotage.allCases.count - 3)
  }

  // TST-7: Settle's own graph engine.
  @Test func eachBreakageOfTheGraphEngineIsCaught() async throws {
    let report = try await Sabotage.verify(GraphAdapter())
    #expect(report.caught == Sabotage.allCases)
  }

  // TST-7: Settle's own import; what is done to its files is done to the library's.
  @Test func eachBreakageOfTheImportIsCaught() async throws {
    let report = try await Sabotage.verify(
      StandardCaseTests.importer(),
      except: [.dependentAfterFailure: "documents do not need each other"])
    #expect(report.caught.count == Sabotage.allCases.count - 1)
  }

  // TST-7: the rules that catch, one by one; each is caught for its own reason.
  @Test func eachBreakageIsCaughtByTheRuleThatItBreaks() async throws {
    let report = await Sabotage.report(GraphAdapter())
    let right: [Sabotage: String] = [
      .lostItem: "oneOutcome", .dependentAfterFailure: "dependenciesFirst",
      .swallowedCancel: "cancelXorCommit", .lateCancel: "cancelXorCommit",
      // What the effect comes after depends on how fast the cancelled body returns.
      .publicationAfterCancel: "targetOldOrNew",
      .doubleCompletion: "exactlyOneCompletion", .lostCompletion: "exactlyOneCompletion",
      .secondOutcome: "oneOutcome", .earlySuccess: "nothingAfterTerminal",
      .lateWork: "nothingAfterTerminal", .errorAsSuccess: "errorIsNoSuccess",
      .staleAttempt: "staleGenerationRefused", .progressAboveOne: "progressMonotone",
      .fallingProgress: "progressMonotone", .earlyFullProgress: "fullOnlyWithOutcome",
      .leftoverFile: "leftoversGone", .missingResult: "targetOldOrNew",
      .emptiedResult: "targetOldOrNew", .lostByCrash: "durableOnceReported",
    ]
    for entry in report.entries {
      guard case .caught(let rules) = entry.verdict else {
        Issue.record("\(entry)")
        continue
      }
      #expect(rules.contains(try #require(right[entry.sabotage])), "\(entry)")
    }
  }

  // TST-7: code that tells nothing but the end is not proved, and the gaps are named.
  @Test func whatIsNotNoticedOrNotAppliedFails() async throws {
    let report = await Sabotage.report(MemoryAdapter(faults: .isSilent))
    #expect(!report.isProof)
    #expect(
      report.gaps.map(\.sabotage) == [
        .earlySuccess, .progressAboveOne, .fallingProgress, .earlyFullProgress,
      ])
    #expect(
      report.description.hasPrefix(
        """
        MISSED: success is told before the work has begun (earlySuccess): the code was broken and \
        nothing noticed
        NOT APPLIED: progress passes 100 % (progressAboveOne): the code tells no progress before \
        the end
        """), "\(report)")
    await #expect(throws: SabotageFailure.self) {
      try await Sabotage.verify(MemoryAdapter(faults: .isSilent))
    }
  }

  // TST-7: code that is wrong without sabotage proves nothing, whatever would be caught.
  @Test func codeThatIsAlreadyWrongIsNoProof() async throws {
    let report = await Sabotage.report(
      ThumbnailAdapter(isCareful: false), except: Self.withoutProgress)
    #expect(Set(report.gaps.map(\.sabotage)).isSuperset(of: [.lateCancel, .errorAsSuccess]))
    let thrown = await Sabotage.report(MemoryAdapter(faults: .throwsAtStart))
    #expect(thrown.caught == [])
    #expect(thrown.gaps.count == Sabotage.allCases.count)
  }

  // TST-7: what is left out is no proof by itself.
  @Test func leavingAllOutIsNoProof() async throws {
    let all = Dictionary(uniqueKeysWithValues: Sabotage.allCases.map { ($0, "no time") })
    let report = await Sabotage.report(MemoryAdapter(), except: all)
    #expect(report.gaps == [])
    #expect(!report.isProof)
  }

  // TST-7, TST-1: an adapter that never ends is told of in bounded time.
  @Test func anAdapterThatNeverEndsIsNoProof() async throws {
    let limit = Duration.milliseconds(200) * Duration.waitScale
    let report = await Sabotage.report(MemoryAdapter(faults: .neverEnds, waitLimit: limit))
    #expect(report.caught == [])
    #expect(report.description.contains("waited \(limit) for the batch to end"))
  }

  // TST-7: two proofs side by side do not disturb each other.
  @Test func proofsRunSideBySide() async throws {
    async let first = Sabotage.report(MemoryAdapter())
    async let second = Sabotage.report(GraphAdapter())
    let reports = await [first, second]
    for report in reports { #expect(report.isProof, "\(report)") }
  }
}

extension Duration {
  /// `SETTLE_WAIT_SCALE`, at least 1.
  static var waitScale: Int { max(1, Int(waitLimit / .seconds(30))) }
}
