// The second attempt counts its units again; the bar stays where it was until it is overtaken.
// It shows 100 % only together with the outcome, so the last part leaves it at 99.
import SettleCore
import Synchronization

struct Interrupted: Error {}

let shared = Mutex<GraphRun?>(nil)
let download = Step("download", retry: RetryPolicy(retries: 1)) { context in
  let parts = context.progress(total: .exactly(4))
  for part in 1...4 {
    parts.complete()
    let fraction = shared.withLock { $0 }?.snapshot().progress.fractionCompleted ?? 0
    print("attempt \(context.attempt), part \(part): \(Int(fraction * 100)) %")
    if context.attempt == 1, part == 2 { throw Interrupted() }
  }
}
var options = GraphOptions()
options.startsPaused = true
let run = try Graph { download }.start(options)
shared.withLock { $0 = run }
run.resume()
let report = await run.report
print(report.state, "after \(report["download"]?.attempts ?? 0) attempts")
