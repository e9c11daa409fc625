import SettleCore

/// One combination of the dimensions of a matrix: what the code under test is put through.
///
/// The values are names of your own; two of them have a meaning to the kit: ``noFault`` and
/// ``neverCancelled``.
public struct MatrixCombination: Sendable, Hashable, CustomStringConvertible {
  /// The name of the fault in cells without one.
  public static let noFault = "none"
  /// The name of the cancel point in cells that are not cancelled.
  public static let neverCancelled = "never"

  /// What is done, such as `import`.
  public var action: String
  /// The type of the file that it is done to.
  public var fileType: String
  /// The kind of source that the file comes from.
  public var source: String
  /// What fails.
  public var fault: String
  /// Where it is cancelled.
  public var cancelAt: String

  /// A combination; without a fault and a cancellation unless they are named.
  public init(
    _ action: String, fileType: String, source: String, fault: String = noFault,
    cancelAt: String = neverCancelled
  ) {
    self.action = action
    self.fileType = fileType
    self.source = source
    self.fault = fault
    self.cancelAt = cancelAt
  }

  /// True when a fault is planned.
  public var hasFault: Bool { fault != Self.noFault }
  /// True when a cancellation is planned.
  public var isCancelled: Bool { cancelAt != Self.neverCancelled }

  /// `import: PDF, link, fault: disk full, cancel: before commit`, in a form that is safe to print.
  public var description: String {
    var text = "\(action): \(fileType), \(source)"
    if hasFault { text += ", fault: \(fault)" }
    if isCancelled { text += ", cancel: \(cancelAt)" }
    return ReportText.visible(text)
  }
}

/// How an item ends: its outcome, and for a failure or a skip the code that says why.
public struct CellEnding: Sendable, Hashable, CustomStringConvertible {
  /// The outcome.
  public var kind: OutcomeKind
  /// The code of the error or of the reason; empty when there is none.
  public var code: String

  /// An ending.
  public init(_ kind: OutcomeKind, code: String = "") {
    self.kind = kind
    self.code = code
  }

  /// The ending that an item's outcome is.
  public init(_ outcome: Outcome) {
    switch outcome {
    case .failed(let error): self.init(.failed, code: error.code.rawValue)
    case .skipped(let reason): self.init(.skipped, code: reason.code.rawValue)
    case .succeeded, .cancelled: self.init(outcome.kind)
    }
  }

  /// Succeeded.
  public static let succeeded = CellEnding(.succeeded)
  /// Cancelled.
  public static let cancelled = CellEnding(.cancelled)

  /// Failed with an error of this code.
  public static func failed(_ code: String) -> CellEnding { CellEnding(.failed, code: code) }

  /// Skipped for a reason of this code.
  public static func skipped(_ code: String) -> CellEnding { CellEnding(.skipped, code: code) }

  /// `succeeded`, `failed(noSpace)`.
  public var description: String { code.isEmpty ? kind.rawValue : "\(kind.rawValue)(\(code))" }

  /// Reads what ``description`` writes; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = OutcomeKind(rawValue: String(parts[0])) else { return nil }
    if parts.count == 1 {
      self.init(kind)
    } else {
      guard parts[1].count > 1, parts[1].last == ")" else { return nil }
      self.init(kind, code: String(parts[1].dropLast()))
    }
  }
}

/// A cell of a matrix: a combination, and how it has to end.
public struct MatrixCell: Sendable, Hashable, CustomStringConvertible {
  /// What the code under test is put through.
  public var combination: MatrixCombination
  /// How it has to end.
  public var expected: CellEnding

  /// A cell.
  public init(_ combination: MatrixCombination, expected: CellEnding) {
    self.combination = combination
    self.expected = expected
  }

  /// The combination.
  public var description: String { combination.description }
}
