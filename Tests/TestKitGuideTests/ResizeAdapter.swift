import Foundation
import SettleTestKit

struct ResizeAdapter: BatchAdapter {
  let checkpoints = BatchCheckpoints(beforeCommit: "before-publish", afterCommit: "publish")

  func prepare(_ request: BatchRequest) -> PreparedBatch {
    let folder = URL(fileURLWithPath: request.folderPath)
    let operations = request.items.map { item in
      SafeResize(
        item.number, from: URL(fileURLWithPath: item.mustFail ? "/no picture" : #filePath),
        to: folder.appendingPathComponent("\(item.number).png"), probe: request.probe)
    }
    for item in request.items {
      for need in item.needs { operations[item.number].addDependency(operations[need]) }
    }
    let queue = OperationQueue()
    queue.isSuspended = true
    queue.addOperations(operations, waitUntilFinished: false)
    return PreparedBatch(
      runBlocking: {
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
      },
      cancel: { operations.map { $0.askToCancel() }.first },
      look: { try request.look { "\($0).png" } })
  }
}
