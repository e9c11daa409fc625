/// Something that can go on: who, from where, and what its next step touches.
struct Choice: Sendable, Hashable {
  /// The participant's name, with `+1` when it is the participant's second thing that can go on.
  var who: String
  /// The checkpoint where it stands, `start`, or `resume` after a suspension.
  var place: String
  /// What the step may read or change; nil: anything.
  var touches: Set<String>?
  /// The participant without the number.
  var participant: String

  /// `worker@before-commit`, with everything that a schedule uses as a sign written as `%XX`.
  var label: String { Self.escaped(who) + "@" + Self.escaped(place) }

  /// True when the order of the two steps cannot be told from what they leave.
  func isIndependent(of other: Choice) -> Bool {
    guard participant != other.participant, let touches, let others = other.touches else {
      return false
    }
    return touches.isDisjoint(with: others)
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPlain =
        (0x21..<0x7F).contains(byte) && !"%@>:\"'`$\\".utf8.contains(byte)
      if isPlain {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return result
  }
}

/// A moment at which one of several things could go on.
struct Decision: Sendable, Hashable {
  /// What could go on; the first is what goes on when nobody prefers another.
  var options: [Choice]
  /// The place of the one that went on.
  var chosen: Int

  var choice: Choice { options[chosen] }
  var isReal: Bool { options.count > 1 }
}
