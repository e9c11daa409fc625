import SettleCore

/// Where a text is no trace, and why.
public struct TraceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The byte of the line, from 1.
  public var column: Int
  /// What is wrong.
  public var message: String

  /// An error at a place.
  public init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }

  /// `line 3, column 9: …`.
  public var description: String { "line \(line), column \(column): \(message)" }
}

/// Reads traces that any program wrote as JSON Lines.
///
/// The first line is the header; it may come again where traces were put together. Empty lines are
/// left out, members that the schema does not know are ignored, and everything else that is not as
/// the schema says is an error: a misspelt word must not make a rule see nothing.
public enum TraceReader {
  /// Reads a whole trace.
  public static func events(_ bytes: [UInt8]) throws(TraceError) -> [TraceEvent] {
    var events: [TraceEvent] = []
    var hasHeader = false
    var lineNumber = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      lineNumber += 1
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do throws(JSONProblem) {
        let members = try Members(line)
        if members.has("trace") || !hasHeader {
          try checkHeader(members)
          hasHeader = true
        } else {
          events.append(try event(members))
        }
      } catch {
        throw TraceError(line: lineNumber, column: error.column, message: error.message)
      }
    }
    guard hasHeader else {
      throw TraceError(line: 1, column: 1, message: "the file is empty")
    }
    guard !events.isEmpty else {
      throw TraceError(line: lineNumber, column: 1, message: "the trace has no events")
    }
    return events
  }

  private static func checkHeader(_ members: Members) throws(JSONProblem) {
    guard try members.text("trace") == "settle" else {
      throw JSONProblem(
        message: "the first line must be " + TraceWriter.header, column: members.column("trace"))
    }
    guard try members.whole("version") == 1 else {
      throw JSONProblem(
        message: "this reader knows version 1 of the schema", column: members.column("version"))
    }
  }

  private static func event(_ members: Members) throws(JSONProblem) -> TraceEvent {
    guard let word = try members.text("kind") else {
      throw JSONProblem(message: "an event needs a kind", column: 1)
    }
    guard let kind = TraceEvent.Kind(rawValue: word) else {
      throw JSONProblem(
        message: "there is no kind \(quoted(Array(word.utf8)))", column: members.column("kind"))
    }
    var event = TraceEvent(kind)
    event.run = try members.text("run") ?? ""
    event.item = try members.item("item")
    event.attempt = try members.whole("attempt")
    event.name = try members.text("name") ?? ""
    event.detail = try members.text("detail") ?? ""
    event.fraction = try members.number("fraction")
    event.items = try members.whole("items")
    event.counts = try members.counts("counts")
    event.needs = try members.items("needs")
    if let words = TraceEvent.words(for: kind), !words.contains(event.name) {
      throw JSONProblem(
        message: "the name of \(word) is one of "
          + words.filter { !$0.isEmpty }.joined(separator: ", "),
        column: members.column("name"))
    }
    return event
  }
}

/// The members of one line, by name.
private struct Members {
  private var values: [String: JSONValue] = [:]

  init(_ line: ArraySlice<UInt8>) throws(JSONProblem) {
    let value = try JSONScanner.value(of: line)
    guard case .object(let members) = value.shape else {
      throw JSONProblem(message: "a line must be an object", column: value.column)
    }
    for member in members { values[member.key.text] = member.value }
  }

  func has(_ key: String) -> Bool { values[key] != nil }

  func column(_ key: String) -> Int { values[key]?.column ?? 1 }

  /// The value, or nil when it is missing or null.
  private func value(_ key: String) -> JSONValue? {
    guard let value = values[key] else { return nil }
    if case .null = value.shape { return nil }
    return value
  }

  func text(_ key: String) throws(JSONProblem) -> String? {
    guard let value = value(key) else { return nil }
    guard case .text(let text) = value.shape else { throw wrong(key, "text", value) }
    return text
  }

  func number(_ key: String) throws(JSONProblem) -> Double? {
    guard let value = value(key) else { return nil }
    guard case .number(let number) = value.shape else { throw wrong(key, "a number", value) }
    return number
  }

  func whole(_ key: String) throws(JSONProblem) -> Int? {
    try value(key).map { value throws(JSONProblem) in try Self.whole(value, key) }
  }

  /// An item is named by text or by a whole number, which is the same as its digits.
  func item(_ key: String) throws(JSONProblem) -> String? {
    try value(key).map { value throws(JSONProblem) in try Self.item(value, key) }
  }

  func items(_ key: String) throws(JSONProblem) -> [String] {
    guard let value = value(key) else { return [] }
    guard case .list(let list) = value.shape else { throw wrong(key, "a list", value) }
    var items: [String] = []
    for one in list { items.append(try Self.item(one, key)) }
    return items
  }

  func counts(_ key: String) throws(JSONProblem) -> OutcomeCounts? {
    guard let value = value(key) else { return nil }
    guard case .object(let members) = value.shape else { throw wrong(key, "an object", value) }
    var counts = OutcomeCounts()
    for member in members {
      guard let kind = OutcomeKind(rawValue: member.key.text) else {
        throw JSONProblem(message: "there is no such outcome", column: member.key.column)
      }
      counts[kind] = try Self.whole(member.value, key)
    }
    return counts
  }

  private func wrong(_ key: String, _ what: String, _ value: JSONValue) -> JSONProblem {
    Self.wrong(key, what, value)
  }

  private static func wrong(_ key: String, _ what: String, _ value: JSONValue) -> JSONProblem {
    JSONProblem(message: "\(key) must be \(what)", column: value.column)
  }

  private static func item(_ value: JSONValue, _ key: String) throws(JSONProblem) -> String {
    if case .text(let text) = value.shape { return text }
    return String(try whole(value, key))
  }

  private static func whole(_ value: JSONValue, _ key: String) throws(JSONProblem) -> Int {
    guard case .number(let number) = value.shape, let whole = Int(exactly: number), whole >= 0,
      whole <= 1 << 53
    else { throw wrong(key, "a whole number that is not negative", value) }
    return whole
  }
}
