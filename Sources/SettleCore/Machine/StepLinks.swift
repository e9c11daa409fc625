/// Which steps wait for which: frozen, in compressed rows.
///
/// Eight bytes per step and four per link, so that a million steps cost little.
package struct StepLinks: Sendable {
  /// How many steps there are.
  package let stepCount: Int
  /// How many dependencies each step has; empty when no step has any.
  let dependencyCounts: [Int32]
  private let rowStarts: [Int32]
  private let dependents: [Int32]

  /// Steps that do not depend on each other.
  package init(independent stepCount: Int) {
    self.stepCount = stepCount
    dependencyCounts = []
    rowStarts = []
    dependents = []
  }

  /// Steps with links; each pair says that `step` needs `dependency`. No cycles: the graph that
  /// makes this has checked them.
  package init(stepCount: Int, needs: [(step: Int, dependency: Int)]) {
    var counts = [Int32](repeating: 0, count: stepCount)
    var starts = [Int32](repeating: 0, count: stepCount + 1)
    for need in needs {
      precondition(need.step != need.dependency, "a step cannot need itself")
      counts[need.step] += 1
      starts[need.dependency + 1] += 1
    }
    for index in 0..<stepCount { starts[index + 1] += starts[index] }
    var next = starts
    var rows = [Int32](repeating: 0, count: needs.count)
    for need in needs {
      rows[Int(next[need.dependency])] = Int32(need.step)
      next[need.dependency] += 1
    }
    self.stepCount = stepCount
    dependencyCounts = counts
    rowStarts = starts
    dependents = rows
  }

  /// The steps that need this one.
  func dependents(of step: Int) -> ArraySlice<Int32> {
    rowStarts.isEmpty ? [] : dependents[Int(rowStarts[step])..<Int(rowStarts[step + 1])]
  }
}
