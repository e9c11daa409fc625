import SettleCore

/// One thing that happened, as a trace records it: schema version 1.
///
/// Which fields a kind reads is said at ``Kind``. A program in another language writes the same
/// fields as JSON Lines, see `Documentation/Guides/TestKit.md`.
public struct TraceEvent: Sendable, Hashable {
  /// What happened. The raw value is the word that stands in the file.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A run (no item) or an item exists and will have an outcome. `items`: size of the batch.
    /// `needs`: items that must succeed before this one's body is entered.
    case started
    /// A body was entered. `attempt` tells which try.
    case entered
    /// A body has returned. `name` is `threw` when it failed.
    case left
    /// Something private was done, such as a piece of a staging file. Written before it is done.
    case work
    /// Something that others can see was done: a write under a final name, a publication, a
    /// message. `name` says what.
    case effect
    /// A cancellation is about to be asked for, of an item or (no item) of the run.
    case cancelAsked
    /// A cancellation was answered; `name` is `accepted`, `tooLate` or `alreadyRequested`.
    case cancelAnswered
    /// The commit point is about to be asked. Optional: makes overlapping cancels judged exactly.
    case commitAsked
    /// The commit point was passed.
    case commit
    /// An item or a run has its outcome; `name` is `succeeded`, `failed`, `skipped` or `cancelled`.
    /// `counts`, for a run: items by outcome.
    case outcome
    /// Somebody was told that an item or a run has ended.
    case completion
    /// Progress was shown: `fraction` (none while counting), `settled`, and `name`, the phase.
    case progress
    /// A message of an older attempt came and was refused.
    case refused
    /// Somebody looked at the end whether anything is left; `detail` says where.
    case examined
    /// A file was found that should be gone; `detail` is its name.
    case leftover
    /// A target was looked at; `name` is `old`, `new`, `missing` or `mixed`.
    case target
    /// An item was reported to the user as durable.
    case reported
    /// The process ended or the power failed here, and everything was opened anew.
    case restart
    /// After a restart an item was looked for; `name` is `present`, `absent` or `changed`.
    case recovered
    /// Anything else; no rule reads it.
    case note
  }

  /// What happened.
  public var kind: Kind
  /// The run it belongs to; empty when the program has only one.
  public var run = ""
  /// The item it is about, or nil for the run.
  public var item: String?
  /// The attempt or generation that speaks, from 1; nil when the program has no attempts.
  public var attempt: Int?
  /// Which effect, which answer, which outcome, which phase; see ``Kind``.
  public var name = ""
  /// Free text for the reader, such as a path.
  public var detail = ""
  /// Progress from 0 to 1.
  public var fraction: Double?
  /// How many items are settled, or the size of the batch in ``Kind/started``.
  public var items: Int?
  /// Items by outcome.
  public var counts: OutcomeCounts?
  /// Items that must succeed first.
  public var needs: [String] = []

  /// An event with the fields that most kinds have.
  public init(_ kind: Kind, item: String? = nil, name: String = "", detail: String = "") {
    self.kind = kind
    self.item = item
    self.name = name
    self.detail = detail
  }

  /// The words that `name` may be, or nil when any may stand there.
  static func words(for kind: Kind) -> [String]? {
    switch kind {
    case .outcome: OutcomeKind.allCases.map(\.rawValue)
    case .cancelAnswered:
      [CancelAnswer.accepted, .tooLate, .alreadyRequested].map(\.rawValue)
    case .target: ["old", "new", "missing", "mixed"]
    case .recovered: ["present", "absent", "changed"]
    case .left: ["", "returned", "threw"]
    default: nil
    }
  }
}

extension TraceEvent: CustomStringConvertible {
  /// One readable line, with names escaped.
  public var description: String {
    var text = subject + ": " + phrase
    if !detail.isEmpty { text += " (" + shown(Array(detail.utf8)) + ")" }
    return text
  }

  /// `item 3 of run a`, `the run`.
  var subject: String {
    let run = run.isEmpty ? "" : " " + shown(Array(run.utf8))
    guard let item else { return "run" + run }
    let tail = run.isEmpty ? "" : " of run" + run
    let attempt = attempt.map { ", attempt \($0)" } ?? ""
    return "item " + shown(Array(item.utf8)) + tail + attempt
  }

  private var phrase: String {
    let name = shown(Array(self.name.utf8))
    switch kind {
    case .started: return "started" + (items.map { ", \($0) items" } ?? "")
    case .entered: return "its body was entered"
    case .left: return name == "threw" ? "its body threw" : "its body returned"
    case .work: return "work in private: " + name
    case .effect: return "effect: " + name
    case .cancelAsked: return "cancel was asked"
    case .cancelAnswered: return "cancel was answered: " + name
    case .commitAsked: return "the commit point was asked"
    case .commit: return "the commit point was passed"
    case .outcome: return "outcome: " + name
    case .completion: return "completion was notified"
    case .progress: return "progress: " + progressText
    case .refused: return "a late message was refused"
    case .examined: return "it was looked what is left"
    case .leftover: return "a file was left"
    case .target: return "its target was found " + name
    case .reported: return "reported as durable"
    case .restart: return "everything was opened anew"
    case .recovered: return "after the restart it was found " + name
    case .note: return name
    }
  }

  private var progressText: String {
    var text = fraction.map { "fraction \($0)" } ?? "no fraction"
    if let items { text += ", \(items) settled" }
    if !name.isEmpty { text += ", phase " + shown(Array(name.utf8)) }
    return text
  }
}
