import Foundation
import SettleTestKit

/// The operation as it is usually written, driven in the same way: its `cancel` gives no answer.
struct UsualResizeAdapter: BatchAdapter {
  let checkpoints = BatchCheckpoints(beforeCommit: "before-publish", afterCommit: "publish")

  func prepare(_ request: BatchRequest) -> PreparedBatch {
    let folder = URL(fileURLWithPath: request.folderPath)
    let operations = request.items.map { item in
      Resize(
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
      cancel: {
        queue.cancelAllOperations()
        return nil
      },
      look: { try request.look { "\($0).png" } })
  }
}
