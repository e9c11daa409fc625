import Foundation
import SettleCore
import SettleTestKit
import SettleTestKitTesting
import Testing

/// The code of `Documentation/Guides/TestYourOwnQueue.md`, which is this code.
@Suite(.timeLimit(.minutes(2))) struct ResizeTests {
  private let picture = URL(fileURLWithPath: #filePath)
  private let target = FileManager.default.temporaryDirectory
    .appendingPathComponent("settle-guide-\(UUID()).png")

  // TST-1, TST-2, CAN-5
  @Test(.settle(seeing: ["noEffectAfterCancel"]))
  func aCancelRightBeforePublishingPublishesNothing() async throws {
    let (kit, queue) = (SettleTesting.kit, OperationQueue())
    let gate = kit.gate("before-publish")
    let operation = Resize(1, from: picture, to: target, probe: kit.probe)
    queue.addOperation(operation)
    let arrival = try await gate.waitForArrival()
    kit.trace.cancelling(item: "1", answer: .accepted) { operation.cancel() }
    gate.release(arrival)
    try await kit.waitFor(.completion, item: "1")
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  // TST-8
  @Test(arguments: StandardCase.allCases)
  func theQueueMasters(_ standardCase: StandardCase) async throws {
    try await standardCase.check(ResizeAdapter())
  }

  // TST-7
  @Test func theKitWouldNotice() async throws {
    let reason = "a queue shows no progress"
    try await Sabotage.verify(
      ResizeAdapter(),
      except: [
        .progressAboveOne: reason, .fallingProgress: reason, .earlyFullProgress: reason,
      ])
  }

  // TST-3, CAN-7
  @Test func cancelAndCommitNeverBothWin() async throws {
    let (picture, target) = (picture, target)
    let result = try await Explorer().explore { world in
      let resize = SafeResize(1, from: picture, to: target, probe: world.probe)
      world.spawnThread("worker") { resize.start() }
      world.spawn("cancel") { world.trace.cancelling(item: "1") { resize.askToCancel() } }
      world.sometimes("the commit wins") { $0.contains { $0.kind == .commit } }
      world.sometimes("the cancel wins") { $0.contains { $0.name == "cancelled" } }
      world.atEnd { _ in try? FileManager.default.removeItem(at: target) }
    }
    try result.requireProved()
  }
}
