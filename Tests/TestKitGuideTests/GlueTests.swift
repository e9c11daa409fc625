#if canImport(XCTest)
  import SettleCore
  import SettleTestKit
  import SettleTestKitXCTest
  import XCTest

  /// The kit in tests of XCTest that are right.
  final class GlueTests: XCTestCase {
    private let picture = URL(fileURLWithPath: #filePath)
    private let target = FileManager.default.temporaryDirectory
      .appendingPathComponent("settle-glue-\(UUID()).png")

    override func tearDown() { try? FileManager.default.removeItem(at: target) }

    // TST-1, TST-2, CAN-5: on the test's own thread.
    func testACancelRightBeforePublishingPublishesNothing() throws {
      try withTestKit(TestKitOptions(seeing: ["noEffectAfterCancel"])) { kit in
        let (gate, queue) = (kit.gate("before-publish"), OperationQueue())
        let operation = SafeResize(1, from: picture, to: target, probe: kit.probe)
        queue.addOperation(operation)
        let arrival = try gate.waitForArrivalBlocking()
        kit.trace.cancelling(item: "1") { operation.askToCancel() }
        gate.release(arrival)
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertFalse(FileManager.default.fileExists(atPath: target.path))
      }
    }

    // TST-1, TST-2: the same for an asynchronous test, which gives a value back.
    func testAnUndisturbedOperationPublishes() async throws {
      let judged = try await withTestKit { kit in
        OperationQueue().addOperation(
          SafeResize(1, from: picture, to: target, probe: kit.probe))
        try await kit.waitFor(.completion, item: "1")
        return kit.trace.judge().passed
      }
      XCTAssertTrue(judged.contains("errorIsNoSuccess"))
      XCTAssertTrue(FileManager.default.fileExists(atPath: target.path))
    }

    // TST-8
    func testTheStandardCases() async throws {
      for standardCase in StandardCase.allCases {
        try await standardCase.check(ResizeAdapter())
      }
    }

    // TST-1: kits of two tests are two kits.
    func testEachCallHasAKitOfItsOwn() throws {
      let first = try withTestKit { $0 }
      try withTestKit { second in
        XCTAssertFalse(first === second)
        XCTAssertTrue(second.trace.events.isEmpty)
      }
    }
  }
#endif
