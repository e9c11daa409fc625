import SettleCore

/// Why items were not imported, grouped by reason, with a few examples of each.
///
/// Bounded: however many items there are, it keeps one group per reason and three names in it.
package struct ReasonTally: Sendable, Equatable {
  /// All items that ended in one way for one reason.
  package struct Group: Sendable, Equatable {
    /// How they ended.
    package var kind: OutcomeKind
    /// Why.
    package var code: SettleError.Code
    /// The stage of the first of them, which tells a source that may not be read from a library
    /// that may not be written.
    package var stage: SettleError.Stage?
    /// How many they are.
    package var count = 0
    /// The first few names, safe to print.
    package var examples: [String] = []
  }

  /// The groups: failures first, then the largest first.
  package var groups: [Group] {
    unsorted.sorted { left, right in
      let (a, b) = (Self.order(left.kind), Self.order(right.kind))
      if a != b { return a < b }
      if left.count != right.count { return left.count > right.count }
      return left.code.rawValue < right.code.rawValue
    }
  }

  private var unsorted: [Group] = []
  private static let exampleLimit = 3

  /// No item yet.
  package init() {}

  /// Counts an item; one that succeeded has no reason and is not counted. True for the first item
  /// with its reason.
  @discardableResult
  package mutating func add(_ name: [UInt8], _ outcome: Outcome) -> Bool {
    guard let code = Self.code(of: outcome) else { return false }
    let kind = outcome.kind
    let index = unsorted.firstIndex { $0.kind == kind && $0.code == code } ?? unsorted.count
    if index == unsorted.count { unsorted.append(Group(kind: kind, code: code)) }
    if unsorted[index].count == 0, case .failed(let error) = outcome {
      unsorted[index].stage = error.stage
    }
    unsorted[index].count += 1
    if unsorted[index].examples.count < Self.exampleLimit {
      unsorted[index].examples.append(quoted(name))
    }
    return unsorted[index].count == 1
  }

  /// The reason code of an outcome; nil for success.
  package static func code(of outcome: Outcome) -> SettleError.Code? {
    switch outcome {
    case .succeeded: nil
    case .failed(let error): error.code
    case .skipped(let reason): reason.code
    case .cancelled: .cancelled
    }
  }

  private static func order(_ kind: OutcomeKind) -> Int {
    switch kind {
    case .failed: 0
    case .cancelled: 1
    case .skipped: 2
    case .succeeded: 3
    }
  }
}
