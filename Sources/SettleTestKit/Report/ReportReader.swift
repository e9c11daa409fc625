import SettleCore

/// Why a text is no acceptance report.
public struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong and where.
  public var description: String
}

extension AcceptanceReport {
  /// Reads what ``json()`` writes. Members that this version does not know are passed over.
  ///
  /// Throws ``ReportError``.
  public init(json bytes: [UInt8]) throws(ReportError) {
    let value: JSONValue
    do throws(JSONProblem) {
      value = try JSONScanner.value(of: bytes[...])
    } catch {
      throw ReportError(description: "no JSON: \(error.message), at byte \(error.column)")
    }
    let fields = try ReportFields(value, "the report")
    guard try fields.text("schema") == Self.schema else {
      throw ReportError(description: "its schema is not \"\(Self.schema)\"")
    }
    guard let version = try fields.whole("version"), version == Self.schemaVersion else {
      throw ReportError(
        description: "its version is not \(Self.schemaVersion), the only one that is known")
    }
    guard let environment = try fields.object("environment") else {
      throw ReportError(description: "it has no environment")
    }
    self.init(
      title: try fields.text("title") ?? "", environment: try ReportEnvironment(environment))
    interruption = try fields.object("totals")?.text("interruption")
    for (index, value) in try fields.list("cells").enumerated() {
      cells.append(try ReportCell(ReportFields(value, "cell \(index + 1)")))
    }
  }
}

extension ReportEnvironment {
  fileprivate init(_ fields: ReportFields) throws(ReportError) {
    self.init()
    os = try fields.text("os")
    build = try fields.text("build")
    kernel = try fields.text("kernel")
    architecture = try fields.text("architecture")
    coreCount = try fields.whole("cores").map { Int($0) }
    swift = try fields.text("swift")
    configuration = try fields.text("configuration")
    fileSystem = try fields.text("fileSystem")
    isCaseSensitive = try fields.bool("caseSensitive")
    freeByteCount = try fields.whole("freeBytes")
    package = try fields.text("package")
    commit = try fields.text("commit")
    seed = try fields.whole("seed").map { UInt64($0) }
  }
}

extension ReportCell {
  fileprivate init(_ fields: ReportFields) throws(ReportError) {
    let combination = MatrixCombination(
      try fields.needed("action", fields.text("action")),
      fileType: try fields.needed("fileType", fields.text("fileType")),
      source: try fields.needed("source", fields.text("source")),
      fault: try fields.text("fault") ?? MatrixCombination.noFault,
      cancelAt: try fields.text("cancelAt") ?? MatrixCombination.neverCancelled)
    let expected = try fields.needed("expected", fields.ending("expected"))
    var seen = CellObservation(try fields.ending("actual"))
    seen.fired = try fields.bool("fired")
    seen.counts = try fields.counts("counts")
    seen.byteCount = try fields.whole("bytes")
    seen.completionCount = try fields.whole("completions").map { Int($0) }
    seen.leftovers = try fields.texts("leftovers")
    seen.problems = try fields.texts("problems")
    seen.schedule = try fields.text("schedule")
    seen.trace = try fields.text("trace")
    let word = try fields.needed("verdict", fields.text("verdict"))
    guard let verdict = CellVerdict(rawValue: word) else {
      throw ReportError(description: "\(fields.name): there is no verdict \"\(word)\"")
    }
    let reason = try fields.text("reason") ?? ""
    seen.standing = .of(verdict, reason)
    self.init(
      MatrixCell(combination, expected: expected), seen,
      duration: try fields.number("duration").map { .microseconds(Int64(($0 * 1e6).rounded())) })
    // As it was judged then, also by a later version with other rules.
    self.verdict = verdict
    self.reason = reason
  }
}

extension CellObservation.Standing {
  fileprivate static func of(_ verdict: CellVerdict, _ reason: String) -> Self {
    switch verdict {
    case .skipped: .skipped(reason)
    case .hung: .hung(reason)
    case .crashed: .crashed(reason)
    case .asExpected, .notAsExpected, .inconclusive: .observed
    }
  }
}

/// The members of one object; a member that is absent or null is nil.
private struct ReportFields {
  let name: String
  private var members: [String: JSONValue] = [:]

  init(_ value: JSONValue, _ name: String) throws(ReportError) {
    self.name = name
    guard case .object(let all) = value.shape else {
      throw ReportError(description: "\(name) is no object")
    }
    for member in all {
      if case .null = member.value.shape { continue }
      members[member.key.text] = member.value
    }
  }

  private func wrong(_ key: String, _ what: String) -> ReportError {
    ReportError(description: "\(name): \(key) must be \(what)")
  }

  func needed<Value>(_ key: String, _ value: Value?) throws(ReportError) -> Value {
    guard let value else { throw ReportError(description: "\(name) has no \(key)") }
    return value
  }

  func text(_ key: String) throws(ReportError) -> String? {
    guard let value = members[key] else { return nil }
    guard case .text(let text) = value.shape else { throw wrong(key, "a text") }
    return text
  }

  func bool(_ key: String) throws(ReportError) -> Bool? {
    guard let value = members[key] else { return nil }
    guard case .bool(let bool) = value.shape else { throw wrong(key, "true or false") }
    return bool
  }

  func number(_ key: String) throws(ReportError) -> Double? {
    guard let value = members[key] else { return nil }
    guard case .number(let number) = value.shape, (0...9e9).contains(number) else {
      throw wrong(key, "a number that is not negative")
    }
    return number
  }

  func whole(_ key: String) throws(ReportError) -> Int64? {
    guard let value = members[key] else { return nil }
    return try whole(value, key)
  }

  private func whole(_ value: JSONValue, _ key: String) throws(ReportError) -> Int64 {
    guard case .number(let number) = value.shape, let whole = Int64(exactly: number),
      (0...1 << 53).contains(whole)
    else { throw wrong(key, "a whole number that is not negative") }
    return whole
  }

  func list(_ key: String) throws(ReportError) -> [JSONValue] {
    guard let value = members[key], case .list(let list) = value.shape else {
      throw wrong(key, "a list")
    }
    return list
  }

  func texts(_ key: String) throws(ReportError) -> [String] {
    guard members[key] != nil else { return [] }
    var texts: [String] = []
    for value in try list(key) {
      guard case .text(let text) = value.shape else { throw wrong(key, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  func object(_ key: String) throws(ReportError) -> ReportFields? {
    guard let value = members[key] else { return nil }
    return try ReportFields(value, "\(key) of \(name)")
  }

  func ending(_ key: String) throws(ReportError) -> CellEnding? {
    guard let text = try text(key) else { return nil }
    guard let ending = CellEnding(text) else {
      throw wrong(key, "an outcome, with its code in brackets")
    }
    return ending
  }

  func counts(_ key: String) throws(ReportError) -> OutcomeCounts? {
    guard let fields = try object(key) else { return nil }
    var counts = OutcomeCounts()
    for kind in OutcomeKind.allCases {
      counts[kind] = Int(try fields.whole(kind.rawValue) ?? 0)
    }
    return counts
  }
}
