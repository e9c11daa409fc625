/// Files, functions and parameter lists have a size that a reader can hold.
enum SizeRules {
  static let fileLimit = 400
  static let testFileLimit = 600
  static let functionLimit = 60
  static let parameterLimit = 4

  /// A file's length.
  static func fileSize(_ file: SwiftText) -> [Violation] {
    let limit = file.path.hasPrefix("Tests/") ? testFileLimit : fileLimit
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    guard count > limit else { return [] }
    return [
      Violation(
        rule: "fileSize", path: file.path, line: 0, text: "\(count) lines, at most \(limit)")
    ]
  }

  /// The length of each function.
  static func functionSize(_ file: SwiftText) -> [Violation] {
    FunctionReader.functions(of: file).filter { $0.lineCount > functionLimit }.map {
      Violation(
        rule: "functionSize", path: file.path, line: $0.line,
        text: "\($0.name) has \($0.lineCount) lines, at most \(functionLimit)")
    }
  }

  /// The parameters of each function; of an initialiser only those without a default, because an
  /// options value has to be made somehow.
  static func parameterCount(_ file: SwiftText) -> [Violation] {
    FunctionReader.functions(of: file).compactMap { function in
      let isInitialiser = function.name == "init"
      let count =
        isInitialiser ? function.requiredParameterCount : function.parameterCount
      guard count > parameterLimit else { return nil }
      return Violation(
        rule: "parameterCount", path: file.path, line: function.line,
        text: "\(function.name) has \(count) parameters, at most \(parameterLimit)")
    }
  }
}

/// A function, initialiser or subscript as it stands in a file.
struct FunctionShape: Hashable {
  var name: String
  var line: Int
  var lineCount: Int
  var parameterCount: Int
  var requiredParameterCount: Int
}

/// Finds functions in code whose comments and literals are blanked.
struct FunctionReader {
  private let code: [UInt8]
  private var position: Int

  static func functions(of file: SwiftText) -> [FunctionShape] {
    file.words.compactMap { word in
      guard ["func", "init", "subscript"].contains(word.text) else { return nil }
      let before = word.offset > 0 ? file.code[word.offset - 1] : 0
      guard before != UInt8(ascii: "."), before != UInt8(ascii: "`") else { return nil }
      var reader = FunctionReader(code: file.code, position: word.offset)
      guard let (name, list) = reader.signature(word.text) else { return nil }
      let end = reader.endOfBody() ?? list.upperBound
      let first = file.line(at: word.offset)
      let pieces = parameters(file.code[list])
      return FunctionShape(
        name: name, line: first, lineCount: file.line(at: end) - first + 1,
        parameterCount: pieces.count,
        requiredParameterCount: pieces.count { !$0.hasDefault })
    }
  }

  /// Reads past the keyword, the name and the parameter list.
  private mutating func signature(_ keyword: String) -> (String, Range<Int>)? {
    position += keyword.utf8.count
    var name = keyword
    skipSpace()
    if keyword == "func" {
      let start = position
      while position < code.count, !isOneOf("( <\n") || position == start { position += 1 }
      // An operator such as `<` or `<=` is a name, not a list of generic parameters.
      while position < code.count, !isWordByte(code[start]), isOneOf("<=>") { position += 1 }
      name = String(decoding: code[start..<position], as: UTF8.self)
      skipSpace()
    }
    while isOneOf("?!") { position += 1 }
    if isOneOf("<") { skipBalanced("<", ">") }
    skipSpace()
    guard isOneOf("(") else { return nil }
    let open = position
    skipBalanced("(", ")")
    return (name, open + 1..<max(open + 1, position - 1))
  }

  /// The offset of the body's closing brace; nil for a requirement, which has no body.
  private mutating func endOfBody() -> Int? {
    let declarations: Set<String> = [
      "func", "var", "let", "init", "deinit", "subscript", "case", "struct", "enum", "class",
      "protocol", "extension", "static", "mutating", "public", "package", "private", "internal",
      "associatedtype", "typealias", "return", "override", "import",
    ]
    while position < code.count {
      if isOneOf("{") {
        skipBalanced("{", "}")
        return position - 1
      }
      if isOneOf("}@") { return nil }
      if isOneOf("(") {
        skipBalanced("(", ")")
      } else if isWordByte(code[position]) {
        let start = position
        while position < code.count, isWordByte(code[position]) { position += 1 }
        let word = String(decoding: code[start..<position], as: UTF8.self)
        if declarations.contains(word) { return nil }
      } else {
        position += 1
      }
    }
    return nil
  }

  private static func parameters(_ list: ArraySlice<UInt8>) -> [(hasDefault: Bool, Void)] {
    var depth = 0
    var hasColon = false
    var hasDefault = false
    var found: [(hasDefault: Bool, Void)] = []
    for byte in list + [UInt8(ascii: ",")] {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ":") where depth == 0: hasColon = true
      case UInt8(ascii: "=") where depth == 0: hasDefault = true
      case UInt8(ascii: ",") where depth == 0:
        // A comma between the arguments of a generic type is followed by no colon.
        if hasColon { found.append((hasDefault, ())) }
        hasColon = false
        hasDefault = false
      default: break
      }
    }
    return found
  }

  private func isOneOf(_ characters: String) -> Bool {
    position < code.count && characters.utf8.contains(code[position])
  }

  private mutating func skipSpace() {
    while isOneOf(" \n\t") { position += 1 }
  }

  private mutating func skipBalanced(_ open: Unicode.Scalar, _ close: Unicode.Scalar) {
    var depth = 0
    repeat {
      let isArrow = code[position] == UInt8(ascii: ">") && code[position - 1] == UInt8(ascii: "-")
      if code[position] == UInt8(ascii: open) { depth += 1 }
      if code[position] == UInt8(ascii: close), !isArrow { depth -= 1 }
      position += 1
    } while depth > 0 && position < code.count
  }
}
