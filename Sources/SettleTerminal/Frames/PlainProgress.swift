import SettleCore

/// Progress as plain lines for logs and dumb terminals: no carriage return, no escape.
///
/// At most one line in 5 s unless the phase or the state changed, and at least one in 30 s when
/// it is asked often enough. The caller gives the time, so a test needs no clock.
package struct PlainProgress: Sendable {
  /// The shortest time between two lines of one phase.
  package static let shortestPause: Duration = .seconds(5)
  /// The longest time without a line.
  package static let longestPause: Duration = .seconds(30)

  /// Before this, a count of nothing is not worth a line.
  private static let emptyPause: Duration = .seconds(1)

  private var last: Shown?

  private struct Shown: Sendable {
    var text: String
    var activity: String
    var time: Duration
  }

  /// Nothing has been shown.
  package init() {}

  /// The line to print now, or nil. An ended run has no line: its summary follows.
  package mutating func line(
    snapshot: RunSnapshot, estimate: FrameEstimate, at time: Duration
  ) -> String? {
    guard !snapshot.state.isSettled else { return nil }
    let parts = FrameParts(snapshot: snapshot, estimate: estimate)
    if parts.isCounting, snapshot.items.count == 0, time < Self.emptyPause { return nil }
    let text = Self.text(parts)
    guard isDue(text: text, activity: parts.activity, at: time) else { return nil }
    last = Shown(text: text, activity: parts.activity, time: time)
    return text
  }

  private func isDue(text: String, activity: String, at time: Duration) -> Bool {
    guard let last else { return true }
    if activity != last.activity { return true }
    let pause = time - last.time
    if pause >= Self.longestPause { return true }
    return pause >= Self.shortestPause && text != last.text
  }

  private static func text(_ parts: FrameParts) -> String {
    guard let percent = parts.percent else { return "\(parts.activity): \(parts.counted)" }
    let details = parts.details.map(\.text).joined(separator: ", ")
    return "\(parts.activity): \(percent) %, \(details)"
  }
}
