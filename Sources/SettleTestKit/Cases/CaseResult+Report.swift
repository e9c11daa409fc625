import SettleCore

extension CaseResult {
  /// The result as a cell of an ``AcceptanceReport``: `action` is what your code does, such as
  /// `resize`. The ending is that of the last item; everything else that is wrong stands in its
  /// problems.
  public func cell(_ action: String, fileType: String, source: String) -> ReportCell {
    let combination = MatrixCombination(
      "\(action), \(name)", fileType: fileType, source: source,
      cancelAt: cancelAt ?? MatrixCombination.neverCancelled)
    let right = expected.items.last?.outcome ?? .succeeded
    return ReportCell(MatrixCell(combination, expected: CellEnding(right)), observation)
  }

  private var observation: CellObservation {
    var seen = CellObservation(actual?.items.last?.outcome.map { CellEnding($0) })
    switch verdict {
    case .asExpected, .notAsExpected: break
    case .skipped(let reason): seen.standing = .skipped(reason)
    case .inconclusive(let reason): seen.standing = .inconclusive(reason)
    case .hung(let story): seen.standing = .hung(story)
    }
    if let actual {
      var counts = OutcomeCounts()
      for case let outcome? in actual.items.map(\.outcome) { counts[outcome] += 1 }
      seen.counts = counts
      seen.completionCount = actual.items.reduce(0) { $0 + $1.completions }
      seen.leftovers = actual.leftovers
    }
    seen.problems = violations.map { "\($0.rule): \($0.message)" }
    return seen
  }
}
