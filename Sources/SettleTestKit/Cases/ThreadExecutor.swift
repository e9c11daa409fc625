import SettleCore
import SettleFiles

/// Runs each piece of a task on a thread of its own.
///
/// The code under test may block, and operations that a gate holds take away the threads that
/// Swift's tasks share with them. Neither may stop the kit, or other tests.
package final class ThreadExecutor: TaskExecutor {
  /// The only one: it has no state.
  package static let shared = ThreadExecutor()

  /// Runs a piece of a task on a new thread.
  package func enqueue(_ job: consuming ExecutorJob) {
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
