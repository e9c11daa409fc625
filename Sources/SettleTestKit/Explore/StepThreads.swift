import SettleCore
import SettleFiles
import Synchronization

/// Threads on which the steps of an exploration run: one for each step that is held somewhere in
/// its middle. They are used again from run to run.
final class StepThreads: Sendable {
  private final class Worker: Sendable {
    let work = Mailbox<@Sendable () -> Void>()
  }

  private let idle = Mutex<(workers: [Worker], isOver: Bool)>(([], false))

  /// Runs a body on a thread that has nothing to do, or on a new one.
  func run(_ body: @escaping @Sendable () -> Void) throws(SettleError) {
    if let worker = idle.withLock({ $0.workers.popLast() }) {
      worker.work.send(body)
      return
    }
    let worker = Worker()
    worker.work.send(body)
    try WorkerThread.start { self.serve(worker) }
  }

  private func serve(_ worker: Worker) {
    while let body = worker.work.take() {
      body()
      let isOver = idle.withLock { idle in
        if !idle.isOver { idle.workers.append(worker) }
        return idle.isOver
      }
      if isOver { return }
    }
  }

  /// Lets the threads end as soon as each has nothing to do.
  func end() {
    let workers = idle.withLock { idle in
      idle.isOver = true
      defer { idle.workers = [] }
      return idle.workers
    }
    for worker in workers { worker.work.close() }
  }
}
