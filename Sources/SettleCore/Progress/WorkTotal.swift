/// How much work there is, as far as it is known (PRG-6).
public enum WorkTotal: Sendable, Hashable {
  /// Not known: only a count can be shown.
  case unknown
  /// This much or more: still counting.
  case atLeast(Int64)
  /// Exactly this much.
  case exactly(Int64)

  /// The amount known so far; zero when unknown.
  public var count: Int64 {
    switch self {
    case .unknown: 0
    case .atLeast(let count), .exactly(let count): count
    }
  }

  /// True when the amount will not change.
  public var isExact: Bool {
    if case .exactly = self { true } else { false }
  }
}
