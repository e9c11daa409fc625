// Nothing to do is a success at once, never a bar that stays at zero.
import SettleCore

let photos: [String] = []
let graph = try Graph {
  for photo in photos { Step(photo) { _ in } }
}
let run = graph.start()
let report = await run.report
print(report.state, report.counts.settled, run.snapshot().progress.fractionCompleted ?? "counting")
