import SettleCore

/// What was seen when a cell was run.
public struct CellObservation: Sendable, Hashable {
  /// Whether the cell could be run at all.
  public enum Standing: Sendable, Hashable {
    /// It ran to its end.
    case observed
    /// It was not run, and why.
    case skipped(String)
    /// It ran and says nothing, and why.
    case inconclusive(String)
    /// It did not end within its limit.
    case hung(String)
    /// The process that it ran in ended, and how.
    case crashed(String)
  }

  /// Whether it could be run.
  public var standing = Standing.observed
  /// How it ended; nil when it has no ending.
  public var actual: CellEnding?
  /// Whether the planned fault happened; nil when none was planned.
  public var fired: Bool?
  /// Items by outcome.
  public var counts: OutcomeCounts?
  /// Bytes that were stored.
  public var byteCount: Int64?
  /// How often the end was notified.
  public var completionCount: Int?
  /// Files that are left and should not be.
  public var leftovers: [String] = []
  /// What else was wrong.
  public var problems: [String] = []
  /// The schedule with which it can be run again, if it has one.
  public var schedule: String?
  /// The file with its trace, if there is one.
  public var trace: String?

  /// An observation of a cell that ran, and how it ended.
  public init(_ actual: CellEnding? = nil) { self.actual = actual }

  /// A cell that was not run.
  public static func skipped(_ reason: String) -> CellObservation {
    var observation = CellObservation()
    observation.standing = .skipped(reason)
    return observation
  }
}

/// What a cell has shown. Only ``asExpected`` is passed.
public enum CellVerdict: String, Sendable, Hashable, CaseIterable {
  /// It ended as it must, and its planned fault happened.
  case asExpected
  /// It ended otherwise, left something, or something else was wrong.
  case notAsExpected
  /// It was not run.
  case skipped
  /// It ran and proves nothing, such as when its planned fault never happened.
  case inconclusive
  /// It did not end.
  case hung
  /// The process that it ran in ended.
  case crashed

  /// The verdict in words.
  public var words: String {
    switch self {
    case .asExpected: "as expected"
    case .notAsExpected: "not as expected"
    case .skipped, .inconclusive, .hung, .crashed: rawValue
    }
  }
}

extension MatrixCell {
  /// Judges what was seen: the verdict, and why when it is not ``CellVerdict/asExpected``.
  public func verdict(of observation: CellObservation) -> (verdict: CellVerdict, reason: String) {
    switch observation.standing {
    case .skipped(let reason): return (.skipped, reason)
    case .inconclusive(let reason): return (.inconclusive, reason)
    case .hung(let reason): return (.hung, reason)
    case .crashed(let reason): return (.crashed, reason)
    case .observed: break
    }
    var wrong: [String] = []
    if observation.actual != expected {
      let actual = observation.actual.map { "ended as \($0)" } ?? "has no ending"
      wrong.append("expected \(expected), \(actual)")
    }
    if !observation.leftovers.isEmpty {
      wrong.append("left behind: " + observation.leftovers.joined(separator: ", "))
    }
    wrong += observation.problems
    let hasFired = !combination.hasFault || observation.fired == true
    if !hasFired { wrong.append("the planned fault never happened: \(combination.fault)") }
    if wrong.isEmpty { return (.asExpected, "") }
    // Nothing else is wrong, but the cell says nothing about its fault.
    return (
      wrong.count == 1 && !hasFired ? .inconclusive : .notAsExpected, wrong.joined(separator: "; ")
    )
  }

  /// Throws ``CellFailure`` unless what was seen is as expected. A skipped cell throws, too: skip
  /// the test where its framework can show it.
  public func require(_ observation: CellObservation) throws(CellFailure) {
    let (verdict, reason) = verdict(of: observation)
    if verdict != .asExpected {
      throw CellFailure(cell: self, verdict: verdict, reason: reason)
    }
  }
}

/// A cell that has not passed.
public struct CellFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The cell.
  public var cell: MatrixCell
  /// What it has shown.
  public var verdict: CellVerdict
  /// Why.
  public var reason: String

  /// A cell, what it has shown, and why.
  public init(cell: MatrixCell, verdict: CellVerdict, reason: String) {
    self.cell = cell
    self.verdict = verdict
    self.reason = reason
  }

  /// The cell, the verdict and the reason, in a form that is safe to print.
  public var description: String {
    "\(cell): \(verdict.words): \(ReportText.visible(reason))"
  }
}
