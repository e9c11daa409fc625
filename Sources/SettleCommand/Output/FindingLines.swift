import Settle
import SettleTerminal

/// Findings of a check or a recovery for people and for programs.
enum FindingLines {
  static func members(_ finding: Finding) -> [(String, JSON)] {
    [
      ("type", .text("finding")), ("kind", .text(finding.kind.rawValue)),
      ("id", finding.id.map { .text($0.description) } ?? .null), ("path", .text(finding.path)),
      ("action", .text(finding.action.rawValue)),
    ]
  }

  static func line(_ finding: Finding, isDryRun: Bool) -> String {
    let done = finding.action == .none ? "reported" : words(finding.action)
    let tense = isDryRun && finding.action != .none ? "would be " : ""
    return "\(words(finding.kind)): \(quoted(finding.path.utf8)), \(tense)\(done)"
  }

  /// `1 interrupted, 2 leftover`.
  static func counts(_ counts: [Finding.Kind: Int]) -> String {
    Finding.Kind.allCases.compactMap { kind in
      counts[kind].map { Quantity.count($0) + " " + words(kind) }
    }.joined(separator: ", ")
  }

  /// Findings by kind, those that there are.
  static func json(_ counts: [Finding.Kind: Int]) -> JSON {
    .object(
      Finding.Kind.allCases.compactMap { kind in
        counts[kind].map { (kind.rawValue, .int(Int64($0))) }
      })
  }

  static func summary(
    _ counts: [Finding.Kind: Int], checked: Int? = nil, _ status: ExitStatus
  ) -> [(String, JSON)] {
    var members: [(String, JSON)] = [("type", .text("summary"))]
    if let checked { members.append(("checked", .int(Int64(checked)))) }
    members.append(("findings", json(counts)))
    members.append(("exit_code", .int(Int64(status.rawValue))))
    return members
  }

  /// What to do about what a check found, a sentence for each kind of remedy.
  static func advice(_ counts: [Finding.Kind: Int]) -> [String] {
    let recoverable: Set<Finding.Kind> = [
      .interrupted, .unrecorded, .leftover, .unfinishedRemoval, .missing, .returned, .unknown,
    ]
    var advice: [String] = []
    if !recoverable.isDisjoint(with: counts.keys) {
      advice.append("settle recover puts the list and the folders in order.")
    }
    if counts[.missing] != nil || counts[.changed] != nil {
      advice.append(
        "import the original again: a document that is gone or changed comes back, what is there "
          + "in its place goes to quarantine; settle rm forgets it.")
    }
    if counts[.unreadable] != nil {
      advice.append("grant the right to read what is unreadable, or check the disk.")
    }
    return advice
  }

  private static func words(_ kind: Finding.Kind) -> String {
    kind == .unfinishedRemoval ? "unfinished removal" : kind.rawValue
  }

  private static func words(_ action: Finding.Action) -> String {
    action == .markedFailed ? "marked as failed" : action.rawValue
  }
}
