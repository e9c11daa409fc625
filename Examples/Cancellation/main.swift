// Cancelling before, during, right before and after the commit: four true answers.
import SettleCore
import Synchronization

/// The moments at which the example cancels.
enum Moment: CaseIterable {
  case beforeStart, duringWork, rightBeforeCommit, afterCommit
}

for moment in Moment.allCases {
  let shared = Mutex<GraphRun?>(nil)
  let published = Mutex(false)

  @Sendable func cancel(at here: Moment) {
    guard here == moment, let run = shared.withLock({ $0 }) else { return }
    print("\(here): cancel() says \(run.cancel())", terminator: "; ")
  }

  let write = Step("write") { context in
    cancel(at: .duringWork)
    try context.checkCancellation()
    cancel(at: .rightBeforeCommit)
    try await context.commit { published.withLock { $0 = true } }
    cancel(at: .afterCommit)
  }
  var options = GraphOptions()
  options.startsPaused = true
  let run = try Graph { write }.start(options)
  shared.withLock { $0 = run }
  cancel(at: .beforeStart)
  run.resume()
  let report = await run.report
  print("the run is \(report.state), published: \(published.withLock { $0 })")
}
