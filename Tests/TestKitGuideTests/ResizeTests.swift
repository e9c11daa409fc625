import Foundation
import SettleCore
import SettleTestKit
import SettleTestKitTesting
import Testing

/// The code of `Documentation/Guides/TestYourOwnQueue.md`, which is this code.
@Suite(.timeLimit(.minutes(2))) final class ResizeTests {
  private let picture = URL(fileURLWithPath: #filePath)
  private let folder: URL
  private let target: URL
  private let page: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("settle-guide-\(UUID())", isDirectory: true)
    target = folder.appendingPathComponent("picture.png")
    page = folder.appendingPathComponent("report.html")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left: \(error)") }
  }

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

  // TST-4, FIL-7
  @Test(.settle()) func aFullDiskIsAFailureThatLeavesNothing() async throws {
    let (kit, queue) = (SettleTesting.kit, OperationQueue())
    let plan = FaultPlan(.at("write", .noSpace))
    let operation = SafeResize(1, from: picture, to: target, probe: kit.probe(failing: plan))
    queue.addOperation(operation)
    try await kit.waitFor(.completion, item: "1")
    try plan.requireAllFired()
    #expect(operation.outcome == .failed)
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  // TST-6, TST-8
  @Test func theCasesAreReported() async throws {
    var report = AcceptanceReport(title: "Resize")
    for standardCase in StandardCase.allCases {
      let result = await standardCase.run(ResizeAdapter())
      report.cells.append(result.cell("resize", fileType: "PNG", source: "file"))
    }
    try report.html().write(to: page, atomically: true, encoding: .utf8)
    #expect(report.isAccepted, "\(report.markdown())")
  }
}
