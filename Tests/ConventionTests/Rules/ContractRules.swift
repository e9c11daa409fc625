/// Each clause of the contract has a mark, and each built clause has a test that cites it.
enum ContractRules {
  /// Whether a clause holds in this version.
  enum Mark: String {
    case built
    case notYet = "not yet"
  }

  /// The clauses of a contract, `- **PRG-1** [built] …`; a mark that is missing or unknown is nil.
  static func clauses(_ text: String) -> [(id: String, mark: Mark?)] {
    text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("- **"), let end = line.dropFirst(4).firstRange(of: "**") else {
        return nil
      }
      let id = String(line.dropFirst(4)[..<end.lowerBound])
      guard isClause(id) else { return nil }
      let rest = trimmed(line[end.upperBound...])
      guard rest.hasPrefix("["), let close = rest.firstIndex(of: "]") else { return (id, nil) }
      return (id, Mark(rawValue: String(rest[rest.index(after: rest.startIndex)..<close])))
    }
  }

  /// The clauses that the comments right above a file's tests cite, each with its line.
  static func citations(_ file: SwiftText) -> [(id: String, line: Int)] {
    var found: [(String, Int)] = []
    var block: [(String, Int)] = []
    for (index, line) in file.lines.enumerated() {
      let text = trimmed(line)
      if file.isCommentLine[index] {
        block += clauseNames(text).map { ($0, index + 1) }
      } else if text.hasPrefix("@Test") || text.hasPrefix("@Suite") {
        found += block
        block = []
      } else if !text.hasPrefix("@") {
        block = []
      }
    }
    return found
  }

  /// Clauses without a mark, built clauses without a test, and citations of no clause.
  static func check(contract: String, tests: [SwiftText]) -> [Violation] {
    let path = "Documentation/Contract.md"
    let clauses = clauses(contract)
    let known = Set(clauses.map(\.id))
    var cited: Set<String> = []
    var found: [Violation] = []
    for file in tests {
      for citation in citations(file) {
        cited.insert(citation.id)
        if !known.contains(citation.id) {
          found.append(
            Violation(
              rule: "contract", path: file.path, line: citation.line,
              text: "\(citation.id) is no clause"))
        }
      }
    }
    for clause in clauses {
      if clause.mark == nil {
        found.append(
          Violation(rule: "contract", path: path, line: 0, text: "\(clause.id) has no mark"))
      } else if clause.mark == .built, !cited.contains(clause.id) {
        found.append(
          Violation(
            rule: "contract", path: path, line: 0,
            text: "\(clause.id) is marked built and no test cites it"))
      }
    }
    return found
  }

  private static let groups = ["PRG", "RUN", "CAN", "FIL", "IMP", "PIP", "OBS", "TST"]

  private static func isClause(_ text: String) -> Bool {
    let parts = text.split(separator: "-")
    return parts.count == 2 && groups.contains(String(parts[0])) && Int(parts[1]) != nil
  }

  private static func clauseNames(_ text: String) -> [String] {
    text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "-") })
      .map(String.init).filter(isClause)
  }
}
