import SettleCore

/// Writes traces as JSON Lines: a header line, then one object a line.
public enum TraceWriter {
  /// The first line of a trace: the schema and its version.
  public static let header = #"{"trace":"settle","version":1}"#

  /// A whole trace.
  public static func text(_ events: [TraceEvent]) -> String {
    ([header] + events.map(line)).joined(separator: "\n") + "\n"
  }

  /// One event, without a line end. Fields that say nothing are left out.
  public static func line(_ event: TraceEvent) -> String {
    var members = [member("kind", event.kind.rawValue)]
    if !event.run.isEmpty { members.append(member("run", event.run)) }
    if let item = event.item { members.append(member("item", item)) }
    if let attempt = event.attempt { members.append("\"attempt\":\(attempt)") }
    if !event.name.isEmpty { members.append(member("name", event.name)) }
    if let fraction = event.fraction, fraction.isFinite {
      members.append("\"fraction\":\(fraction)")
    }
    if let items = event.items { members.append("\"items\":\(items)") }
    if let counts = event.counts {
      let all = OutcomeKind.allCases.map { "\"\($0.rawValue)\":\(counts[$0])" }
      members.append("\"counts\":{" + all.joined(separator: ",") + "}")
    }
    if !event.needs.isEmpty {
      members.append("\"needs\":[" + event.needs.map(quotedJSON).joined(separator: ",") + "]")
    }
    if !event.detail.isEmpty { members.append(member("detail", event.detail)) }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func member(_ key: String, _ value: String) -> String {
    "\"\(key)\":" + quotedJSON(value)
  }

  /// A JSON string of printable ASCII and whatever else is no control.
  static func quotedJSON(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      // Line separators are legal in JSON but end a line for many readers; the rest are controls.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
