import SettleCore

/// The order in which the participants of one run went on: by names, so that it survives small
/// edits of the code and can be read.
public struct Schedule: Sendable, Hashable, CustomStringConvertible {
  /// `participant@checkpoint`, one for each moment at which there was a choice.
  public var steps: [String]

  /// A schedule of the given steps.
  public init(_ steps: [String]) { self.steps = steps }

  init(_ decisions: [Decision]) {
    steps = decisions.filter(\.isReal).map(\.choice.label)
  }

  /// The steps with `>` between them.
  public var description: String { steps.joined(separator: ">") }

  /// The variable and value with which exactly this schedule runs again, in a shell.
  public func replayLine(for name: String) -> String {
    "\(Self.variable)='\(Self.version):\(Self.plain(name)):\(self)'"
  }

  /// `SETTLE_SCHEDULE`
  static let variable = "SETTLE_SCHEDULE"
  private static let version = "v1"

  /// The schedule that a variable's value gives to the exploration of a name; nil: it is not meant.
  ///
  /// Throws ``ScheduleError`` when the value is of another kind than this version writes.
  static func replaying(_ value: String?, for name: String) throws(ScheduleError) -> Schedule? {
    guard let value, !value.isEmpty else { return nil }
    let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == version else { throw ScheduleError(value: value) }
    guard parts[1] == plain(name) else { return nil }
    let steps = parts[2].split(separator: ">", omittingEmptySubsequences: true).map(String.init)
    return Schedule(steps)
  }

  /// A name without the signs that a schedule uses, and without the brackets of a function.
  private static func plain(_ name: String) -> String {
    String(name.prefix { $0 != "(" }.map { ":>@'\"$`\\ \n\u{1B}".contains($0) ? "-" : $0 })
  }
}

/// `SETTLE_SCHEDULE` holds something that is no schedule.
public struct ScheduleError: Error, Sendable, CustomStringConvertible {
  /// What the variable holds.
  public var value: String

  /// What is wrong, and how a schedule looks.
  public var description: String {
    "\(Schedule.variable) holds no schedule: \(quoted(Array(value.utf8))). It is to look like "
      + "v1:testName:worker@before-commit>cancel@start; nothing was run. Unset it, or copy the "
      + "line that a failed exploration prints."
  }
}
