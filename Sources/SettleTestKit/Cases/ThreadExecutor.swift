import SettleCore
import SettleFiles

/// Runs each piece of a task on a thread of its own.
///
/// The code under test may block: that must neither stop the kit, which shares Swift's few task
/// threads with it, nor other tests.
final class ThreadExecutor: TaskExecutor {
  /// The only one: it has no state.
  static let shared = ThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    do throws(SettleError) {
      try WorkerThread.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    } catch {
      // Without a thread to give, whoever enqueues does the work: late is better than never.
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// True on a thread of this executor, which nobody else waits for.
  static var isCurrent: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor == shared.asUnownedTaskExecutor() }
  }
}
