/// A place where a convention does not hold.
struct Violation: Hashable, CustomStringConvertible {
  /// The rule, as the list of exceptions names it.
  var rule: String
  /// The file, from the package's folder.
  var path: String
  /// The line, from 1; 0 when it is about the whole file.
  var line: Int
  /// What is wrong.
  var text: String

  var description: String { "\(path):\(line): \(rule): \(text)" }
}

/// A file that may break a rule for now. This list only shrinks.
struct Exception: Hashable {
  /// The rule's name.
  var rule: String
  /// The file, from the package's folder.
  var path: String
}

/// The exceptions. Empty: nothing is excused.
let exceptions: Set<Exception> = []

/// The violations that no exception covers, and the exceptions that cover nothing any more.
func judged(_ violations: [Violation], rule: String, except exceptions: Set<Exception>)
  -> (open: [Violation], unneeded: [Exception])
{
  let open = violations.filter { !exceptions.contains(Exception(rule: $0.rule, path: $0.path)) }
  let used = Set(violations.map { Exception(rule: $0.rule, path: $0.path) })
  let unneeded = exceptions.filter { $0.rule == rule && !used.contains($0) }
  return (open, unneeded.sorted { $0.path < $1.path })
}
