import SettleCore
import SettleFiles
import SettleProcess
import Synchronization

/// Verifies documents in a small pool of long-lived `settle-verify` processes (IMP-4).
///
/// Each caller checks out one process. A process is started when it is first needed, and killed
/// and replaced past the wall limit, after a crash, after an answer out of turn and after a fixed
/// number of files. This process never parses a document.
package final class VerifierPool: DocumentVerifier {
  /// Bounds of a pool.
  package struct Limits: Sendable {
    /// How many processes run at most; further callers wait.
    package var processCount = 2
    /// How long one document may take.
    package var wallTime: Duration = .seconds(20)
    /// How long a process may take to greet.
    package var startTime: Duration = .seconds(10)
    /// After how many files a process is replaced.
    package var filesPerProcess = 500

    /// The usual bounds.
    package init() {}
  }

  private struct State {
    var idle: [VerifierProcess] = []
    var engine = ""
    var generation = 0
  }

  private let location: VerifierLocation
  private let limits: Limits
  private let turnstile: Turnstile
  private let state = Mutex(State())

  /// A pool that starts nothing yet.
  package init(location: VerifierLocation = .current, limits: Limits = Limits()) {
    self.location = location
    self.limits = limits
    turnstile = Turnstile(places: limits.processCount)
  }

  deinit { close() }

  /// Engine and version as the newest process stated them; empty before the first has started.
  /// See ``prepare()``.
  package var engine: String { state.withLock { $0.engine } }

  /// The processes that wait for work, for tests and reports.
  package var idleProcesses: [Int32] {
    state.withLock { $0.idle.map(\.child.processIdentifier) }
  }

  /// Starts one process if none waits, so that ``engine`` is known and a missing tool is found
  /// early. Throws `toolMissing` or `toolFailed`.
  package func prepare() throws(SettleError) {
    guard turnstile.enter(isCancelled: { false }) else { return }
    defer { turnstile.leave() }
    guard let process = try checkOut(fresh: false, isCancelled: { false }) else { return }
    checkIn(process)
  }

  /// Judges a document; see ``DocumentVerifier/verify(_:isCancelled:)``.
  package func verify(
    _ path: BytePath, isCancelled: () -> Bool
  ) throws(SettleError) -> Verdict {
    guard turnstile.enter(isCancelled: isCancelled) else { return .cancelled }
    defer { turnstile.leave() }
    var result: Result<Verdict, SettleError> = .success(.cancelled)
    // Nothing keeps the closure beyond this call.
    withoutActuallyEscaping(isCancelled) { isCancelled in
      result = Result { () throws(SettleError) in try judge(path, isCancelled: isCancelled) }
    }
    return try result.get()
  }

  /// Ends all waiting processes. One that is at work ends as soon as its document is judged.
  package func close() {
    let idle = state.withLock { state in
      state.generation += 1
      defer { state.idle = [] }
      return state.idle
    }
    for process in idle { process.child.kill() }
  }

  private func judge(
    _ path: BytePath, isCancelled: @escaping () -> Bool
  ) throws(SettleError) -> Verdict {
    var (endedBefore, killed) = (0, 0)
    while true {
      let isFirst = endedBefore + killed == 0
      guard var process = try checkOut(fresh: !isFirst, isCancelled: isCancelled) else {
        return .cancelled
      }
      let patience = Patience(for: limits.wallTime, isCancelled: isCancelled)
      switch process.ask(path, patience: patience) {
      case .answered(let answer):
        checkIn(process)
        return Verdict(answer)
      case .broken(let detail):
        return .refused(.tooComplex, detail: "the verifier was lost: \(detail)")
      case .killed(let detail):
        killed += 1
        guard killed == 2 else { continue }
        return .refused(
          .tooComplex,
          detail: "the verifier \(detail) by something else, twice in a row; "
            + "perhaps the system had no memory left")
      case .endedBefore(let detail):
        endedBefore += 1
        guard endedBefore == 2 else { continue }
        throw VerifierProcess.failure(
          try location.find(), "it \(detail) before it read a request, twice in a row")
      case .cancelled: return .cancelled
      }
    }
  }

  /// A process to talk to; nil when cancelled.
  private func checkOut(
    fresh: Bool, isCancelled: @escaping () -> Bool
  ) throws(SettleError) -> VerifierProcess? {
    // One that ended while nobody looked is collected by the check and simply forgotten.
    while !fresh, let process = state.withLock({ $0.idle.popLast() }) {
      if process.child.poll() == nil { return process }
    }
    let program = try location.find()
    let generation = state.withLock { $0.generation }
    let patience = Patience(for: limits.startTime, isCancelled: isCancelled)
    guard
      let process = try VerifierProcess(
        program: program, generation: generation, patience: patience)
    else { return nil }
    state.withLock { $0.engine = process.engine }
    return process
  }

  private func checkIn(_ process: VerifierProcess) {
    let isKept = state.withLock { state in
      guard process.generation == state.generation, process.servedCount < limits.filesPerProcess
      else { return false }
      state.idle.append(process)
      return true
    }
    if !isKept { process.child.kill() }
  }
}
