#if canImport(XCTest)
  import SettleCore
  import SettleTestKit
  import SettleTestKitXCTest
  import XCTest

  /// An operation of somebody who tests with XCTest.
  // @unchecked: its properties are constants, apart from those of `Operation`.
  private final class Copying: Operation, @unchecked Sendable {
    let item: Int
    let target: URL
    let probe: any Probe

    init(_ item: Int, to target: URL, probe: any Probe) {
      self.item = item
      self.target = target
      self.probe = probe
    }

    override func main() {
      tell("started")
      probe.reach(Checkpoint("before-publish", item: item))
      if isCancelled { return end("cancelled") }
      tell("effect.publish")
      end((try? Data("copy".utf8).write(to: target)) == nil ? "failed" : "succeeded")
    }

    private func end(_ outcome: String) {
      tell("outcome." + outcome)
      tell("completion")
    }

    private func tell(_ name: String) { probe.event(ProbeEvent(name, item: item)) }
  }

  /// The kit in tests of XCTest that are right.
  final class GlueTests: XCTestCase {
    private let target = FileManager.default.temporaryDirectory
      .appendingPathComponent("settle-glue-\(UUID()).data")

    override func tearDown() { try? FileManager.default.removeItem(at: target) }

    // TST-1, TST-2, CAN-5: on the test's own thread.
    func testACancelRightBeforePublishingPublishesNothing() throws {
      try withTestKit(TestKitOptions(seeing: ["noEffectAfterCancel"])) { kit in
        let gate = kit.gate("before-publish")
        let queue = OperationQueue()
        let operation = Copying(1, to: target, probe: kit.probe)
        queue.addOperation(operation)
        let arrival = try gate.waitForArrivalBlocking()
        kit.trace.cancelling(item: "1", answer: .accepted) { operation.cancel() }
        gate.release(arrival)
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertFalse(FileManager.default.fileExists(atPath: target.path))
      }
    }

    // TST-1, TST-2: the same for an asynchronous test, which gives a value back.
    func testAnUndisturbedOperationPublishes() async throws {
      let judged = try await withTestKit { kit in
        let operation = Copying(1, to: target, probe: kit.probe)
        OperationQueue().addOperation(operation)
        try await kit.waitFor(.completion, item: "1")
        return kit.trace.judge().passed
      }
      XCTAssertTrue(judged.contains("errorIsNoSuccess"))
      XCTAssertTrue(FileManager.default.fileExists(atPath: target.path))
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
