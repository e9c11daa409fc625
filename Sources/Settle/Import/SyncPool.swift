import SettleCore
import SettleFiles

/// Threads that make files durable side by side.
///
/// A sync waits for the disk, not for a processor, and a disk that is asked for several flushes at
/// once does them as one: a group synced by eight threads costs little more than one file.
final class SyncPool: Sendable {
  /// One file to make durable; its handle is ended whatever happens.
  struct Job: Sendable {
    var step: Int
    var handle: Handle
  }

  /// How a job ended: nil, or what failed.
  struct Result: Sendable {
    var step: Int
    var error: FileError?
  }

  private static let threadCount = 8

  private let files: any FileSystem
  private let jobs = Mailbox<Job>()
  private let results = Mailbox<Result>()

  /// Starts the threads. Fewer than asked for are slower and nothing else; none is an error.
  init(_ files: any FileSystem) throws(SettleError) {
    self.files = files
    var alive = 0
    for _ in 0..<Self.threadCount {
      do throws(SettleError) {
        try WorkerThread.start { [files, jobs, results] in
          while let job = jobs.take() { results.send(Self.sync(job, files)) }
        }
        alive += 1
      } catch {
        if alive == 0 { throw error }
      }
    }
  }

  // A run that could not begin never closes its pool, and its threads must not stay.
  deinit { close() }

  /// Ends the threads once their jobs are done.
  func close() { jobs.close() }

  /// Makes a group durable and ends its handles. After a failure the content is lost (FIL-2).
  func sync(_ group: [Job]) -> [Result] {
    for job in group { jobs.send(job) }
    var ended: [Result] = []
    while ended.count < group.count { ended += results.takeAll(waitingAtMost: nil) }
    return ended
  }

  private static func sync(_ job: Job, _ files: any FileSystem) -> Result {
    defer { files.close(job.handle) }
    do throws(FileError) {
      try files.sync(job.handle)
      return Result(step: job.step, error: nil)
    } catch {
      return Result(step: job.step, error: error)
    }
  }
}
