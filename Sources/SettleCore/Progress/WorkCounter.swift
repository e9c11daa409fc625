import Synchronization

/// The one word that an update touches (PRG-13).
///
/// It holds the units of all attempts; ``settledMark`` is added to it when the work settles. An
/// update adds first and looks then: one atomic add decides whether it came in time. Everything is
/// relaxed, because the word says nothing about any other memory. It can be inlined into the caller:
/// an atomic add waits for the stores before it, and a call is some.
@usableFromInline
final class WorkCounter: Sendable {
  /// More than this is never counted: 2^55 units, 36 petabytes.
  @inlinable static var limit: Int64 { 1 << 55 }
  /// More than this is never added at once.
  @inlinable static var largestStep: Int64 { 1 << 53 }
  /// Added to the word when the work settles. Far above ``limit``, so that updates which are about
  /// to be taken back can neither reach it nor fall below half of it.
  private static let settledMark: Int64 = 1 << 62

  @usableFromInline let word: Atomic<Int64>

  /// Starts at zero; `settled` makes a counter that ignores everything from the start.
  init(settled: Bool = false) {
    word = Atomic(settled ? Self.settledMark : 0)
  }

  /// Adds `step` units, `0 < step <= largestStep`. False when the work had settled.
  @inlinable @inline(__always)
  func add(_ step: Int64) -> Bool {
    let value = word.wrappingAdd(step, ordering: .relaxed).newValue
    if value <= Self.limit { return true }
    return takeBack(step, value)
  }

  /// The rare path: the update was late, or the count passed the limit.
  @usableFromInline @inline(never)
  func takeBack(_ step: Int64, _ value: Int64) -> Bool {
    let isLate = value >= Self.settledMark / 2
    let excess = isLate ? step : min(step, value - Self.limit)
    word.wrappingSubtract(excess, ordering: .relaxed)
    return !isLate
  }

  /// Units counted so far, over all attempts.
  var count: Int64 { min(word.load(ordering: .relaxed), Self.limit) }

  /// True once ``close()`` was called.
  var isSettled: Bool { word.load(ordering: .relaxed) >= Self.settledMark / 2 }

  /// Lets no further update in and returns the final count. To be called once.
  func close() -> Int64 {
    min(word.wrappingAdd(Self.settledMark, ordering: .relaxed).oldValue, Self.limit)
  }
}
