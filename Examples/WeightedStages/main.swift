// One bar for two stages: converting four files is 60 % of it, verifying two results 40 %.
import SettleCore
import Synchronization

let graph = try Graph {
  for pair in [1, 2] {
    let left = Step("convert \(pair)a", weight: 15) { _ in "left page" }
    let right = Step("convert \(pair)b", weight: 15) { _ in "right page" }
    left
    right
    Step("verify \(pair)", weight: 20, priority: .high, after: left, right) { _, left, right in
      print("verifying \(left) and \(right)")
    }
  }
}
let shared = Mutex<GraphRun?>(nil)
var options = GraphOptions(workers: 1)
options.startsPaused = true
options.onStepSettled = { step in
  print(step.name, shared.withLock { $0 }?.snapshot().progress.fractionCompleted ?? "counting")
}
let run = graph.start(options)
shared.withLock { $0 = run }
run.resume()
print(await run.report.state)
