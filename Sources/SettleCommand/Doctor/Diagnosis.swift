import SettleCore

/// One thing that the doctor looked at.
struct Diagnosis: Sendable, Equatable {
  /// How it is.
  enum Health: String, Sendable {
    case ok, warning, problem
  }

  /// What was looked at, one word.
  var subject: String
  var health: Health
  /// What was found, safe to print.
  var finding: String
  /// What to do; empty when nothing needs doing.
  var next = ""

  /// The members of its JSON line.
  var members: [(String, JSON)] {
    [
      ("type", .text("finding")), ("kind", .text(subject)), ("state", .text(health.rawValue)),
      ("message", .text(finding)), ("next", next.isEmpty ? .null : .text(next)),
    ]
  }

  /// Its lines for people.
  func lines(_ style: Style) -> [String] {
    let mark =
      switch health {
      case .ok: style.good("ok     ")
      case .warning: style.strong("note   ")
      case .problem: style.bad("problem")
      }
    let name = subject + String(repeating: " ", count: max(0, 12 - subject.count))
    let first = "\(mark)  \(name)\(finding)"
    return next.isEmpty ? [first] : [first, String(repeating: " ", count: 21) + next]
  }

  /// A problem in the words of an error.
  static func problem(_ subject: String, _ error: SettleError) -> Diagnosis {
    Diagnosis(
      subject: subject, health: .problem, finding: error.message, next: error.nextStep)
  }
}
