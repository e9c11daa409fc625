/// Compares the module table of ARCHITECTURE.md with the manifest and with the imports.
enum ModuleRules {
  /// What each target may import.
  typealias Table = [String: Set<String>]

  /// Reads the table whose header starts with `| Target |`. Names stand in backticks: the target in
  /// the first column (more than one share the row), what it may import in the last one; after
  /// `Apple:` what it may import only where a condition keeps the line from other platforms.
  static func table(_ text: String, appleOnly: Bool = false) -> Table {
    var table: Table = [:]
    var isInTable = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("| Target |") {
        isInTable = true
      } else if !line.hasPrefix("|") {
        isInTable = false
      } else if isInTable, !line.hasPrefix("|-") {
        let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count >= 3 else { continue }
        let apple = cells[2].firstRange(of: "Apple:")
        let everywhere = cells[2][..<(apple?.lowerBound ?? cells[2].endIndex)]
        let names = namesInBackticks(
          appleOnly ? cells[2][(apple?.upperBound ?? cells[2].endIndex)...] : everywhere)
        for target in namesInBackticks(cells[0]) { table[target] = Set(names) }
      }
    }
    return table
  }

  /// Reads the manifest's `library(…)`, `tool(…)` and C targets, each with its dependencies.
  static func manifest(_ text: String) -> Table {
    let lines = text.split(separator: "\n").filter { !trimmed($0).hasPrefix("func ") }
    let text = lines.joined(separator: "\n")
    var table: Table = [:]
    for maker in ["library(\n", "library(\"", "tool(\n", "tool(\""] {
      for piece in pieces(of: text, after: maker) {
        let call = (maker.hasSuffix("\"") ? "\"" : "") + piece
        guard let list = call.split(separator: "]", maxSplits: 1).first else { continue }
        let names = namesInQuotes(list)
        guard let name = names.first else { continue }
        table[name] = Set(names.dropFirst())
      }
    }
    for maker in [".systemLibrary(\n", ".systemLibrary(", ".target("] {
      for piece in pieces(of: text, after: maker) {
        guard let name = namesInQuotes(piece.prefix(120)).first, name.hasPrefix("C") else {
          continue
        }
        table[name] = []
      }
    }
    return table
  }

  /// Where table and manifest differ. Names that are no targets are system modules.
  static func differences(table: Table, manifest: Table) -> [Violation] {
    let targets = Set(manifest.keys)
    var found: [String] = []
    for name in targets.union(table.keys).sorted() {
      guard let row = table[name] else {
        found.append("ARCHITECTURE.md has no row for \(name)")
        continue
      }
      guard let dependencies = manifest[name] else {
        found.append("Package.swift has no target \(name)")
        continue
      }
      for extra in row.intersection(targets).subtracting(dependencies).sorted() {
        found.append("the table lets \(name) import \(extra), the manifest does not")
      }
      for extra in dependencies.subtracting(row).sorted() {
        found.append("the manifest lets \(name) import \(extra), the table does not")
      }
    }
    return found.map { Violation(rule: "modules", path: "ARCHITECTURE.md", line: 0, text: $0) }
  }

  /// Imports in a file of `Sources/<Target>` that the target's row does not name.
  static func imports(_ file: SwiftText, table: Table, apple: Table = [:]) -> [Violation] {
    let parts = file.path.split(separator: "/")
    guard parts.count >= 3, parts[0] == "Sources", let allowed = table[String(parts[1])] else {
      return [Violation(rule: "imports", path: file.path, line: 0, text: "no row for its target")]
    }
    let onApple = apple[String(parts[1])] ?? []
    let conditional = conditionalLines(file)
    return importedModules(file).filter { module in
      !allowed.contains(module.name)
        && !(onApple.contains(module.name) && conditional.contains(module.line))
    }.map {
      Violation(
        rule: "imports", path: file.path, line: $0.line,
        text: "\(parts[1]) may not import \($0.name)")
    }
  }

  /// The lines inside `#if canImport(…)` or `#if os(…)`, from 1.
  private static func conditionalLines(_ file: SwiftText) -> Set<Int> {
    var conditions: [Bool] = []
    var lines: Set<Int> = []
    for (index, line) in file.codeLines.enumerated() {
      let text = trimmed(line)
      if text.hasPrefix("#if ") {
        conditions.append(text.contains("canImport(") || text.contains("os("))
      } else if text.hasPrefix("#endif") {
        _ = conditions.popLast()
      } else if conditions.contains(true) {
        lines.insert(index + 1)
      }
    }
    return lines
  }

  /// The modules that a file imports, each with its line.
  static func importedModules(_ file: SwiftText) -> [(name: String, line: Int)] {
    let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let"]
    return file.codeLines.enumerated().compactMap { index, line in
      let words = line.split(whereSeparator: { " \t.;".contains($0) }).map(String.init)
      guard let place = words.firstIndex(of: "import"),
        words[..<place].allSatisfy({ $0.hasPrefix("@") || isAccess($0) }),
        let name = words[(place + 1)...].first(where: { !kinds.contains($0) })
      else { return nil }
      return (name, index + 1)
    }
  }

  private static func isAccess(_ word: String) -> Bool {
    ["public", "package", "internal", "private", "fileprivate"].contains(word)
  }

  private static func pieces(of text: String, after mark: String) -> [Substring] {
    var rest = Substring(text)
    var found: [Substring] = []
    while let range = rest.firstRange(of: mark) {
      let before = rest[..<range.lowerBound].last
      rest = rest[range.upperBound...]
      // `.library(name: …)` is a product, not a target.
      if mark.hasPrefix(".") || before != "." { found.append(rest) }
    }
    return found
  }
}

/// The words between backticks.
func namesInBackticks(_ text: some StringProtocol) -> [String] { names(in: text, between: "`") }

/// The words between quotation marks.
func namesInQuotes(_ text: some StringProtocol) -> [String] { names(in: text, between: "\"") }

private func names(in text: some StringProtocol, between mark: Character) -> [String] {
  text.split(separator: mark, omittingEmptySubsequences: false).enumerated()
    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
}
