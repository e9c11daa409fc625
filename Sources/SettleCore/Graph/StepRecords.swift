/// What happened to each step of a run, in columns.
struct StepRecords: Sendable {
  /// What a step's place in `roots` holds when its end is not a skip behind another step.
  enum Mark {
    static let none: Int32 = -1
    static let benign: Int32 = -2
    static let outOfTime: Int32 = -3
  }

  private(set) var attempts: [Int32]
  private var begins: [Duration]
  private var ends: [Duration]
  private var roots: [Int32] = []
  var errors: [Int32: any Error] = [:]
  /// Why each step is not taken over from an earlier run; empty when nothing was resumed.
  var reruns: [RerunReason?] = []

  init(stepCount: Int, recordsTimes: Bool) {
    attempts = Array(repeating: 0, count: stepCount)
    begins = recordsTimes ? Array(repeating: .zero, count: stepCount) : []
    ends = recordsTimes ? Array(repeating: .zero, count: stepCount) : []
  }

  mutating func begin(_ step: Int, at now: Duration) {
    attempts[step] += 1
    if !begins.isEmpty { begins[step] = now }
  }

  /// An attempt that was given back is not charged (RUN-13).
  mutating func uncharge(_ step: Int) { attempts[step] -= 1 }

  mutating func end(_ step: Int, _ end: StepEnd, at now: Duration) {
    if !ends.isEmpty { ends[step] = now }
    switch end {
    case .skipped(let root): mark(step, Int32(root))
    case .skippedBenignly: mark(step, Mark.benign)
    case .outOfTime: mark(step, Mark.outOfTime)
    case .succeeded, .failed, .cancelled: break
    }
  }

  private mutating func mark(_ step: Int, _ value: Int32) {
    if roots.isEmpty { roots = Array(repeating: Mark.none, count: attempts.count) }
    roots[step] = value
  }

  /// The report on a step whose state is known.
  func report(on step: Int, _ state: StepState, _ names: StepNames) -> StepReport {
    let name = names[step]
    let error = errors[Int32(step)]
    let isSettled = state.rawValue >= StepState.succeeded.rawValue
    let outcome: Outcome? =
      switch state {
      case .waiting, .running, .committing: nil
      case .succeeded: .succeeded
      case .cancelled: .cancelled
      case .failed: .failed(StepFailure.asSettleError(error, step: name))
      case .skipped:
        switch roots.isEmpty ? Mark.none : roots[step] {
        case Mark.benign: .skipped(.unchanged)
        case Mark.outOfTime: .skipped(.outOfTime)
        case let root: .skipped(.dependencyFailed(root: names[Int(root)]))
        }
      }
    return StepReport(
      name: name, outcome: outcome, attempts: Int(attempts[step]),
      startedAt: attempts[step] > 0 && !begins.isEmpty ? begins[step] : nil,
      endedAt: isSettled && !ends.isEmpty ? ends[step] : nil,
      error: error, rerunReason: reruns.isEmpty ? nil : reruns[step])
  }
}

/// Errors of bodies in the package's own form.
enum StepFailure {
  /// An error as it is, or wrapped with its text and the step's name.
  static func asSettleError(_ error: (any Error)?, step: String) -> SettleError {
    if let error = error as? SettleError { return error }
    return SettleError(
      .stepFailed, subject: Array(step.utf8), detail: error.map { "\($0)" } ?? "")
  }
}
