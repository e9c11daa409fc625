import SettleCore
import SettleFiles

/// What came of running a matrix.
public struct MatrixResult: Sendable, Hashable {
  /// Every cell with its verdict, in order.
  public var cells: [ReportCell] = []
  /// Why not every cell was run; nil when each was.
  public var interruption: String?

  /// Cells that were run elsewhere, and why not all were.
  public init(_ cells: [ReportCell] = [], interruption: String? = nil) {
    self.cells = cells
    self.interruption = interruption
  }
}

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
  ) async -> MatrixResult {
    let clock = ContinuousClock()
    let start = clock.now
    var result = MatrixResult()
    for cell in cells {
      let begin = clock.now
      if result.interruption == nil, Task.isCancelled { result.interruption = "cancelled" }
      if let limit = options.totalLimit, result.interruption == nil, begin - start >= limit {
        result.interruption = "the limit of \(limit) for all cells was over"
      }
      let reported: ReportCell
      if let interruption = result.interruption {
        reported = ReportCell(cell, .skipped("not run: \(interruption)"))
      } else {
        let seen = await Self.observation(of: cell, options.cellLimit, observe)
        reported = ReportCell(cell, seen, duration: clock.now - begin)
      }
      options.onCell?(reported)
      result.cells.append(reported)
    }
    return result
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
