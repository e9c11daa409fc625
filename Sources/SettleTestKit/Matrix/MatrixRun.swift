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
    /// How many cells are run at a time. More than one needs cells that do not touch each other.
    public var cellsAtOnce = 1
    /// How long all cells may take together; cells that are not begun by then are skipped.
    public var totalLimit: Duration?
    /// Called for each cell when it has its verdict, in order.
    public var onCell: (@Sendable (ReportCell) -> Void)?

    /// The values for everyday use.
    public init() {}
  }

  /// Runs the cells and judges each. An error of `observe` is a problem of its cell and ends
  /// nothing.
  ///
  /// **After cancellation** of the task the cells at work are run to their end, and the others are
  /// skipped.
  public func run(
    _ options: RunOptions = RunOptions(),
    observing observe: @escaping @Sendable (MatrixCell) async throws -> CellObservation
  ) async -> MatrixResult {
    var schedule = MatrixSchedule(cells, options)
    await withTaskGroup(of: (Int, ReportCell).self) { group in
      var running = 0
      while true {
        while running < Swift.max(1, options.cellsAtOnce), let (index, cell) = schedule.next() {
          running += 1
          group.addTask { (index, await Self.reported(cell, options.cellLimit, observe)) }
        }
        guard let (index, reported) = await group.next() else { break }
        running -= 1
        schedule.end(index, reported)
      }
    }
    return schedule.result
  }

  private static func reported(
    _ cell: MatrixCell, _ limit: Duration,
    _ observe: @escaping @Sendable (MatrixCell) async throws -> CellObservation
  ) async -> ReportCell {
    let clock = ContinuousClock()
    let begin = clock.now
    let seen = await observation(of: cell, limit, observe)
    return ReportCell(cell, seen, duration: clock.now - begin)
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

/// Which cell is next, and what came of those that ended, told in the order of the matrix.
private struct MatrixSchedule {
  private let cells: [MatrixCell]
  private let options: FailureMatrix.RunOptions
  private let start = ContinuousClock.now
  private var nextIndex = 0
  /// Ended, but an earlier one has not.
  private var ended: [Int: ReportCell] = [:]
  private(set) var result = MatrixResult()

  init(_ cells: [MatrixCell], _ options: FailureMatrix.RunOptions) {
    self.cells = cells
    self.options = options
  }

  /// The next cell to run; once the run is interrupted, the rest are skipped.
  mutating func next() -> (Int, MatrixCell)? {
    if Task.isCancelled { interrupt("cancelled") }
    if let limit = options.totalLimit, ContinuousClock.now - start >= limit {
      interrupt("the limit of \(limit) for all cells was over")
    }
    guard nextIndex < cells.count else { return nil }
    defer { nextIndex += 1 }
    return (nextIndex, cells[nextIndex])
  }

  private mutating func interrupt(_ why: String) {
    guard nextIndex < cells.count else { return }
    result.interruption = why
    for index in nextIndex..<cells.count {
      ended[index] = ReportCell(cells[index], .skipped("not run: \(why)"))
    }
    nextIndex = cells.count
    tell()
  }

  mutating func end(_ index: Int, _ reported: ReportCell) {
    ended[index] = reported
    tell()
  }

  private mutating func tell() {
    while let reported = ended.removeValue(forKey: result.cells.count) {
      options.onCell?(reported)
      result.cells.append(reported)
    }
  }
}
