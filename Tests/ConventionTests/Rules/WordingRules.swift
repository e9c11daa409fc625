/// Words that may not stand in code, or only with their reason on the line above.
enum WordingRules {
  /// A fixed wait in a test. Tests wait for named signals; a manual clock's own `sleep` is one.
  static func fixedWaits(_ file: SwiftText) -> [Violation] {
    let always: Set<String> = ["usleep", "nanosleep", "clock_nanosleep", "sleepForTimeInterval"]
    let realTime: Set<String> = [
      "Task", "Thread", "ContinuousClock", "SuspendingClock", "continuous",
    ]
    let words = file.words
    return words.indices.compactMap { index in
      let word = words[index]
      let before = index > 0 ? words[index - 1].text : ""
      let isMember = word.offset > 0 && file.code[word.offset - 1] == UInt8(ascii: ".")
      let waits =
        always.contains(word.text)
        || word.text == "sleep" && (isMember ? realTime.contains(before) : before != "func")
      guard waits else { return nil }
      return Violation(
        rule: "fixedWait", path: file.path, line: file.line(at: word.offset),
        text: "\(word.text): wait for a named signal instead")
    }
  }

  /// Work that is left open, in code or comments.
  static func openEnds(_ file: SwiftText) -> [Violation] {
    // Written in two pieces, so that this file does not find itself.
    let marks = ["TO" + "DO", "FIX" + "ME"]
    return file.lines.enumerated().flatMap { index, line in
      marks.filter { line.contains($0) }.map {
        Violation(rule: "openEnd", path: file.path, line: index + 1, text: "\($0) in a line")
      }
    }
  }

  /// Places that switch a check off, without a comment on the line above that says why.
  static func reasons(_ file: SwiftText) -> [Violation] {
    let marks = ["@unchecked Sendable", "try!", "nonisolated(unsafe)", "fatalError("]
    return file.codeLines.enumerated().flatMap { index, line -> [Violation] in
      guard index == 0 || !file.isCommentLine[index - 1] else { return [] }
      return marks.filter { line.contains($0) }.map {
        Violation(
          rule: "reason", path: file.path, line: index + 1,
          text: "\($0) without its reason on the line above")
      }
    }
  }

  /// Actors in the core: a cancel would queue behind their work.
  static func actors(_ file: SwiftText) -> [Violation] {
    guard file.path.hasPrefix("Sources/SettleCore/") else { return [] }
    let words = file.words
    return zip(words, words.dropFirst()).filter { word, next in
      word.text == "actor" && next.text.first?.isUppercase == true
        && file.line(at: word.offset) == file.line(at: next.offset)
    }.map { word, next in
      Violation(
        rule: "actor", path: file.path, line: file.line(at: word.offset),
        text: "actor \(next.text): the core keeps state in values behind a Mutex")
    }
  }

  /// Public declarations without a documentation comment.
  static func documentation(_ file: SwiftText) -> [Violation] {
    file.codeLines.enumerated().compactMap { index, line in
      let code = trimmed(line)
      guard code.hasPrefix("public ") || code.contains(" public "),
        !code.contains("public import "), !code.hasPrefix("public extension")
      else { return nil }
      var above = index - 1
      while above >= 0, trimmed(file.lines[above]).hasPrefix("@") { above -= 1 }
      guard above < 0 || !file.isCommentLine[above] || !trimmed(file.lines[above]).hasPrefix("///")
      else { return nil }
      return Violation(
        rule: "documentation", path: file.path, line: index + 1, text: "no comment: \(code)")
    }
  }
}

/// A line without the space around it.
func trimmed(_ line: some StringProtocol) -> String {
  var rest = Substring(line)
  while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
  while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
  return String(rest)
}
