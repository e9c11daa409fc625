import SettleCore

/// Whether a breakage was noticed. Only ``caught(by:)`` counts as noticed.
public enum SabotageVerdict: Sendable, Hashable {
  /// These rules noticed it.
  case caught(by: [String])
  /// The code was broken and nothing noticed.
  case missed
  /// It could not be broken this way, for this reason.
  case notApplied(String)
  /// The caller left it out, for this reason.
  case leftOut(String)
}

/// Which breakages were noticed, and by which rules.
public struct SabotageReport: Sendable, CustomStringConvertible {
  /// What became of one breakage.
  public struct Entry: Sendable, Hashable, CustomStringConvertible {
    /// The breakage.
    public var sabotage: Sabotage
    /// Whether it was noticed.
    public var verdict: SabotageVerdict

    /// `caught: an end is told twice (completions, exactlyOneCompletion)`.
    public var description: String {
      switch verdict {
      case .caught(let rules):
        "caught: \(sabotage) (\(rules.joined(separator: ", ")))"
      case .missed:
        "MISSED: \(sabotage) (\(sabotage.rawValue)): the code was broken and nothing noticed"
      case .notApplied(let reason):
        "NOT APPLIED: \(sabotage) (\(sabotage.rawValue)): \(reason)"
      case .leftOut(let reason): "left out: \(sabotage): \(reason)"
      }
    }
  }

  /// One for each breakage.
  public var entries: [Entry] = []
  /// What went wrong without any breakage.
  public var unbroken: [CaseResult] = []

  /// Breakages that were noticed.
  public var caught: [Sabotage] {
    entries.compactMap { if case .caught = $0.verdict { $0.sabotage } else { nil } }
  }

  /// What keeps this from showing that the kit would notice.
  public var gaps: [Entry] {
    entries.filter {
      switch $0.verdict {
      case .caught, .leftOut: false
      case .missed, .notApplied: true
      }
    }
  }

  /// True when every breakage was noticed that was not left out, and at least one was.
  public var isProof: Bool { gaps.isEmpty && !caught.isEmpty }

  /// The gaps first, then the rest, and the sum.
  public var description: String {
    let rest = entries.filter { !gaps.contains($0) }
    var lines = unbroken.map { "Without sabotage, \($0)" } + (gaps + rest).map(\.description)
    lines.append("\(caught.count) of \(entries.count) breakages caught")
    if let gap = gaps.first {
      lines.append("What cannot be: except: [.\(gap.sabotage.rawValue): \"the reason\"]")
    }
    return lines.joined(separator: "\n")
  }
}

/// Breakages that were not noticed, or could not be made.
public struct SabotageFailure: Error, Sendable, CustomStringConvertible {
  /// What became of each.
  public var report: SabotageReport

  /// The whole report.
  public var description: String { report.description }
}

extension Sabotage {
  /// Breaks the code in every way and throws ``SabotageFailure`` unless each was noticed.
  ///
  /// One that could not be made counts as not noticed: leave it out by `except`, with the reason.
  @discardableResult
  public static func verify(
    _ adapter: some BatchAdapter, except: [Sabotage: String] = [:], file: String = #fileID,
    line: Int = #line
  ) async throws(SabotageFailure) -> SabotageReport {
    let report = await report(adapter, except: except, file: file, line: line)
    if !report.isProof { throw SabotageFailure(report: report) }
    return report
  }

  /// Breaks the code in every way and returns what was noticed.
  public static func report(
    _ adapter: some BatchAdapter, except: [Sabotage: String] = [:], file: String = #fileID,
    line: Int = #line
  ) async -> SabotageReport {
    var report = SabotageReport()
    var unbroken: [Scenario: CaseResult] = [:]
    for sabotage in allCases {
      var entry = SabotageReport.Entry(sabotage: sabotage, verdict: .missed)
      let scenario = sabotage.scenario
      if let reason = except[sabotage] {
        entry.verdict = .leftOut(reason)
      } else {
        // Code that is already wrong would be caught whatever is done to it.
        let before: CaseResult
        if let known = unbroken[scenario] {
          before = known
        } else {
          before = await scenario.run(adapter, file, line)
          unbroken[scenario] = before
          if before.verdict != .asExpected { report.unbroken.append(before) }
        }
        entry.verdict =
          before.verdict == .asExpected
          ? await sabotage.verdict(adapter, file, line)
          : .notApplied("\(scenario.name): not as expected without sabotage")
      }
      report.entries.append(entry)
    }
    return report
  }

  private func verdict(
    _ adapter: some BatchAdapter, _ file: String, _ line: Int
  ) async -> SabotageVerdict {
    let broken = SabotagedAdapter(adapter, self)
    let result = await scenario.run(broken, file, line)
    guard broken.reports.isApplied else { return .notApplied(missing) }
    switch result.verdict {
    case .notAsExpected: return .caught(by: result.brokenRules)
    case .asExpected: return .missed
    case .skipped, .inconclusive, .hung: return .notApplied("it ended as \(result)")
    }
  }
}
