/// The writer for one piece of work: counts its units, hands out shares, settles it.
///
/// May be used from any thread. Work that is dropped without being settled stays unsettled until
/// the work above it settles.
public final class WorkProgress: Sendable {
  @usableFromInline let counter: WorkCounter
  private let core: ProgressCore
  private let id: ProgressNodes.ID

  init(core: ProgressCore, id: ProgressNodes.ID, counter: WorkCounter) {
    self.core = core
    self.id = id
    self.counter = counter
  }

  /// Counts units that are completely done.
  ///
  /// One atomic add: no lock, no allocation, the same cost at every depth (PRG-13). Negative counts
  /// and counts after the work has settled change nothing and are counted as ignored (PRG-4).
  @inlinable
  public func complete(_ count: Int64 = 1) {
    if count > 0 {
      if !counter.add(min(count, WorkCounter.largestStep)) { ignore() }
    } else if count < 0 {
      ignore()
    }
  }

  /// Counts an update that was negative or late.
  @usableFromInline @inline(never)
  func ignore() { core.ignore() }

  /// Hands out `weight` units of this work's total, to be done and counted elsewhere.
  ///
  /// The share keeps its part of the bar whatever its own unit and total are (PRG-2). A share of
  /// work that has settled has no weight, and what it starts is settled.
  ///
  /// - Throws: `weightExceedsTotal` when fewer units are neither completed nor handed out, or when
  ///   `weight` is negative (PRG-3).
  public func share(weight: Int64) throws(SettleError) -> ProgressShare {
    try core.share(weight, of: id)
  }

  /// Sets or corrects the total.
  ///
  /// What is shown stays; growth spreads only what is left (PRG-7). A total below what was handed
  /// out becomes that; units completed beyond an exact total are `overrun` (PRG-4).
  public func setTotal(_ total: WorkTotal) {
    if isSettled { return core.ignore() }
    core.setTotal(total, of: id)
  }

  /// Starts another attempt: the count begins at zero again.
  ///
  /// What was shown stays, and the best attempt is the one that counts; bytes of every attempt are
  /// in `grossByteCount` (PRG-8). Shares that were handed out are not affected.
  public func beginAttempt() {
    if isSettled { return core.ignore() }
    core.beginAttempt(of: id)
  }

  /// Ends the work with an outcome. The first call wins and returns true; later ones return false.
  ///
  /// Success and a benign skip fill the work's part of the bar; failure, cancellation and a missing
  /// dependency leave it where it is (PRG-10). Unsettled work below takes the same outcome; when
  /// this work succeeded, it becomes skipped, fills nothing and is counted as unclaimed.
  @discardableResult
  public func settle(_ outcome: Outcome) -> Bool {
    if isSettled { return false }
    return core.settle(id, outcome)
  }

  /// True once this work has an outcome.
  public var isSettled: Bool { counter.isSettled }
}
