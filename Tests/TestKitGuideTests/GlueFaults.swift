#if canImport(XCTest)
  import SettleTestKit
  import SettleTestKitXCTest
  import XCTest

  /// Tests that must not pass. `Tests/SettleTestKitTests/XCTestGlueTests.swift` runs them, each in
  /// a process of its own; everywhere else they are skipped.
  final class GlueFaults: XCTestCase {
    private struct Broken: Error {}

    override func setUpWithError() throws {
      let isWanted = ProcessInfo.processInfo.environment["SETTLE_GLUE_FAULTS"] != nil
      if !isWanted { throw XCTSkip("must fail; XCTestGlueTests of SettleTestKitTests runs it") }
    }

    func testABrokenRule() throws {
      try withTestKit(TestKitOptions(seeing: ["leftoversGone"])) { kit in
        kit.trace.record(.started, item: "1")
      }
    }

    func testABrokenRuleOfAnAsynchronousTest() async throws {
      try await withTestKit(TestKitOptions(seeing: ["leftoversGone"])) { kit in
        await Task.yield()
        kit.trace.record(.started, item: "1")
      }
    }

    func testAnErrorInTheMiddle() throws {
      try withTestKit { kit in
        kit.trace.record(.started, item: "1")
        throw Broken()
      }
    }

    func testAWaitInVain() throws {
      try withTestKit { kit in
        try kit.gate("nowhere").waitForArrivalBlocking(within: .milliseconds(10))
      }
    }

    func testThatIsSkippedInTheMiddle() throws {
      try withTestKit { kit in
        kit.trace.record(.started, item: "1")
        throw XCTSkip("for now")
      }
    }

    func testThatHangs() throws {
      try withTestKit(TestKitOptions(within: .milliseconds(50))) { kit in
        try kit.gate("nowhere").waitForArrivalBlocking()
      }
    }
  }
#endif
