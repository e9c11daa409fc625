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
    self.init(
      stepCount: stepCount, steps: needs.map { Int32($0.step) },
      dependencies: needs.map { Int32($0.dependency) })
  }

  /// Steps with links in two columns: `steps[i]` needs `dependencies[i]`.
  package init(stepCount: Int, steps: [Int32], dependencies: [Int32]) {
    var counts = [Int32](repeating: 0, count: stepCount)
    var starts = [Int32](repeating: 0, count: stepCount + 1)
    for (step, dependency) in zip(steps, dependencies) {
      precondition(step != dependency, "a step cannot need itself")
      counts[Int(step)] += 1
      starts[Int(dependency) + 1] += 1
    }
    for index in 0..<stepCount { starts[index + 1] += starts[index] }
    var rows = [Int32](repeating: 0, count: steps.count)
    var next = starts
    for (step, dependency) in zip(steps, dependencies) {
      rows[Int(next[Int(dependency)])] = step
      next[Int(dependency)] += 1
    }
    self.stepCount = stepCount
    dependencyCounts = counts
    rowStarts = starts
    dependents = rows
  }

  /// The steps that need this one.
  @inline(__always)
  func dependents(of step: Int) -> ArraySlice<Int32> {
    rowStarts.isEmpty ? [] : dependents[Int(rowStarts[step])..<Int(rowStarts[step + 1])]
  }
}
