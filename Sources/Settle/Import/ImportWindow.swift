import SettleCore
import SettleFiles

/// How many items of an import may be prepared and have no outcome yet. Each may hold an open file,
/// so there are fewer where few files may be open (RUN-11).
struct ImportWindow: Sendable, Hashable {
  /// A group is a third of the window, so this is the least.
  private static let fewest = 3
  private static let most = 192

  let itemCount: Int

  /// Refuses an import that could not open what it needs, before anything is done: it would fail
  /// as many of its items as chance has it.
  init(freeFileCount: Int, workerCount: Int) throws(SettleError) {
    // Beside the copies: the folders of sources and documents, the run's own, the ledger's log,
    // and for each worker its source and the ends of three pipes to a helper.
    let spare = 8 + 8 * max(1, workerCount)
    guard freeFileCount >= spare + Self.fewest else {
      throw SettleError(
        .tooManyOpenFiles,
        detail: "this process may open \(max(0, freeFileCount)) more, an import needs "
          + "\(spare + Self.fewest)")
    }
    itemCount = min(Self.most, freeFileCount - spare)
  }
}
