import SettleCore

/// What a sweep found: every operation that was made to fail, and what became of it.
public struct SweepReport: Sendable, CustomStringConvertible {
  /// One run with one fault.
  public struct Run: Sendable, CustomStringConvertible {
    /// What was planned.
    public var fault: PlannedFault
    /// What it hit; nil in the run that ends a row, which had fewer operations.
    public var fired: FiredFault?
    /// Why the fault could not hit its operation, such as a write of nothing that is to be short.
    public var obstacle: String?
    /// What the attempt threw.
    public var error: String?
    /// True when the code under test said that something failed: it threw, or recorded it.
    public var wasNoticed: Bool
    /// What was wrong: thrown by the judging body, broken rules.
    public var problems: [String]

    /// True when a fault fired and nobody was told. Right for code that tries again, or whose
    /// operation does not matter; wrong for a write whose failure was swallowed.
    public var wasMasked: Bool { fired != nil && !wasNoticed }

    /// The fault, what it hit, what the code said, and what was wrong.
    public var description: String {
      let head = fired.map(\.description) ?? "\(fault): \(obstacle ?? "no such operation")"
      let said = error.map { "threw " + shown(Array($0.utf8)) }
      let ending = said ?? (wasNoticed ? "recorded a failure" : wasMasked ? "masked" : "done")
      return (["\(head): \(ending)"] + problems.map { "  WRONG: " + $0 }).joined(separator: "\n")
    }
  }

  /// Every run, in order.
  public var runs: [Run] = []
  /// Kinds that were to fail and never came.
  public var kindsWithoutFault: Set<String> = []
  /// False when the sweep was ended by its limit of runs.
  public var isComplete = true

  /// Runs whose fault fired.
  public var firedRuns: [Run] { runs.filter { $0.fired != nil } }

  /// Runs whose fault fired and nobody was told.
  public var maskedRuns: [Run] { runs.filter(\.wasMasked) }

  /// Runs in which something was wrong.
  public var wrongRuns: [Run] { runs.filter { !$0.problems.isEmpty } }

  /// Throws ``SweepFailure`` when a run was wrong, when no fault fired or one kind never came, or
  /// when the sweep did not come to its end. Masked faults are told and are no failure.
  public func requirePassed() throws(SweepFailure) {
    let isPassed =
      wrongRuns.isEmpty && isComplete && kindsWithoutFault.isEmpty && !firedRuns.isEmpty
    if !isPassed { throw SweepFailure(report: self) }
  }

  /// The numbers in one line.
  public var summary: String {
    var text =
      "\(runs.count) runs: \(firedRuns.count) faults fired, "
      + "\(firedRuns.count - maskedRuns.count) noticed, \(maskedRuns.count) masked; "
      + "\(wrongRuns.count) wrong"
    if firedRuns.isEmpty { text += "; no fault fired, so nothing was proven" }
    if !kindsWithoutFault.isEmpty {
      text += "; never came: " + kindsWithoutFault.sorted().joined(separator: ", ")
    }
    if !isComplete { text += "; ended by its limit of runs" }
    return text
  }

  /// The numbers, then every run.
  public var description: String {
    ([summary] + runs.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// A sweep that has not passed.
public struct SweepFailure: Error, Sendable, CustomStringConvertible {
  /// What it found.
  public var report: SweepReport

  /// The numbers, then the runs that were wrong.
  public var description: String {
    ([report.summary] + report.wrongRuns.map { "  \($0)" }).joined(separator: "\n")
  }
}
