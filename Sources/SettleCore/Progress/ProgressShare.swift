import Synchronization

/// A part of a total, to be attached exactly once.
///
/// The token cannot be copied and `start` uses it up, so attaching it twice does not compile
/// (PRG-3). Dropped without a start, it settles as skipped, fills nothing, and is counted in
/// ``ProgressSnapshot/unclaimedShares``.
public struct ProgressShare: ~Copyable, Sendable {
  /// What a token stands for.
  struct Claim: Sendable {
    var core: ProgressCore
    var parent: ProgressNodes.ID
    var ticks: Int64
  }

  /// Nil once it was used up.
  private var claim: Claim?

  init(_ claim: Claim) { self.claim = claim }

  deinit {
    if let claim { claim.core.drop(claim) }
  }

  /// Starts the work that this share is for, counted in its own unit.
  public consuming func start(total: WorkTotal, unit: WorkUnit = .steps) -> WorkProgress {
    // The claim is taken out first, so that the deinit that follows has nothing to drop.
    guard let claim = claim.take() else { preconditionFailure("a share has its claim until used") }
    return claim.core.start(claim, total: total, unit: unit)
  }

  /// Puts the token into an object that collections and escaping closures can hold.
  public consuming func stored() -> StoredShare { StoredShare(self) }
}

/// A share in an object, for where a noncopyable token cannot go.
public final class StoredShare: Sendable {
  private let share: Mutex<ProgressShare?>

  fileprivate init(_ share: consuming ProgressShare) {
    self.share = Mutex(consume share)
  }

  /// The share, once; nil to every later call (PRG-3).
  public func take() -> ProgressShare? {
    share.withLock { $0.take() }
  }
}
