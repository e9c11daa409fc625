extension SettleError: CustomStringConvertible {
  /// What failed, on what. Safe to print: the subject is escaped.
  public var message: String {
    let wording = wording.what
    let name = subject.isEmpty ? (stage == nil ? "this command" : "this item") : quoted(subject)
    var text = ""
    for character in wording { text += character == "%" ? name : String(character) }
    var remarks = ""
    if !detail.isEmpty { remarks += " (" + shown(Array(detail.utf8)) + ")" }
    if let cause { remarks += " [\(cause.call): error \(cause.number)]" }
    if text.hasSuffix(".") { text.removeLast() }
    return text + remarks + "."
  }

  /// What state is left.
  public var stateLeft: String { wording.left }

  /// What to do next.
  public var nextStep: String { wording.next }

  /// The four parts as sentences, safe to print.
  public var description: String { "\(message) \(stateLeft) \(nextStep)" }

  private var wording: ErrorWording {
    ErrorWording.of(code, isOfItem: stage != nil, stage: stage)
  }
}
