import SettleCore
import SettleFiles

extension FailureMatrix {
  /// How to run the cells.
  public struct RunOptions: Sendable {
    /// How long a cell may take. One that takes longer has hung; its task is cancelled and left
    /// behind, and the next cell is run.
    public var cellLimit: Duration = .waitLimit
    /// How long all cells may take together; cells that are not begun by then are skipped.
    public var totalLimit: Duration?
    /// Called for each cell when it has its verdict, in order.
    public var onCell: (@Sendable (ReportCell) -> Void)?

    /// The values for everyday use.
    public init() {}
  }

  /// Runs the cells one after another and judges each. An error of `observe` is a problem of its
  /// cell and ends nothing.
  ///
  /// **After cancellation** of the task the cell at work is run to its end, and the others are
  /// skipped.
  public func run(
    _ options: RunOptions = RunOptions(),
    observing observe: @escaping @Sendable (MatrixCell) async throws -> CellObservation
  ) async -> [ReportCell] {
    let clock = ContinuousClock()
    let start = clock.now
    var reported: [ReportCell] = []
    for cell in cells {
      let begin = clock.now
      var duration: Duration?
      let observation: CellObservation
      if Task.isCancelled {
        observation = .skipped("cancelled before it was run")
      } else if let limit = options.totalLimit, begin - start >= limit {
        observation = .skipped("the limit of \(limit) for all cells was over")
      } else {
        observation = await Self.observation(of: cell, options.cellLimit, observe)
        duration = clock.now - begin
      }
      let result = ReportCell(cell, observation, duration: duration)
      options.onCell?(result)
      reported.append(result)
    }
    return reported
  }

  /// Runs one cell in a task of its own, which a cancellation of the whole does not reach.
  private static func observation(
    of cell: MatrixCell, _ limit: Duration,
    _ observe: @escaping @Sendable (MatrixCell) async throws -> CellObservation
  ) async -> CellObservation {
    let seen = Monitor<CellObservation?>(nil)
    let task = Task {
      var observation = CellObservation()
      do {
        observation = try await observe(cell)
      } catch {
        observation.problems = ["threw \(error)"]
      }
      let result = observation
      seen.withLock { $0 = result }
    }
    // Waited for on a thread of its own: a cell that blocks the task threads is noticed, too.
    let waiting = Task.detached { try await seen.waitAside(atMost: limit) { $0 } }
    var observation = CellObservation()
    switch await waiting.result {
    case .success(.met(let result)): return result
    case .success(.timedOut), .success(.cancelled):
      task.cancel()
      observation.standing = .hung("it has not ended within \(limit)")
    case .failure(let error):
      task.cancel()
      observation.standing = .inconclusive("nobody could watch it: \(error)")
    }
    return observation
  }
}
