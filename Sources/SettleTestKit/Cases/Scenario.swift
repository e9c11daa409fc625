import SettleCore

/// A batch to ask for, where to cancel it, and how it must end.
struct Scenario: Sendable, Hashable {
  /// Where the cancel comes.
  enum CancelPlace: String, Sendable, Hashable {
    case beforeStart = "before start"
    case processing = "while processing"
    case beforeCommit = "right before commit"
    case afterCommit = "after commit"
  }

  var name: String
  var items: [BatchItem]
  /// The outcome of each item.
  var outcomes: [OutcomeKind]
  var cancelPlace: CancelPlace?

  init(
    _ name: String, _ items: [BatchItem], _ outcomes: [OutcomeKind],
    cancelled place: CancelPlace? = nil
  ) {
    self.name = name
    self.items = items
    self.outcomes = outcomes
    cancelPlace = place
  }

  /// One item that is cancelled somewhere.
  static func cancel(_ name: String, _ place: CancelPlace, _ outcome: OutcomeKind) -> Scenario {
    Scenario(name, [BatchItem(0)], [outcome], cancelled: place)
  }

  /// What the code under test must be able to do.
  var needs: [BatchAbility] {
    var needs: [BatchAbility] = []
    if items.contains(where: { !$0.needs.isEmpty }) { needs.append(.dependencies) }
    if items.contains(where: \.mustFail) { needs.append(.failures) }
    if cancelPlace != nil { needs.append(.cancelling) }
    return needs
  }

  /// Why an adapter cannot be asked; nil when it can.
  func reasonToSkip(_ adapter: some BatchAdapter) -> String? {
    needs.lazy.compactMap { need in
      adapter.lacks[need].map { "the code has no \(need.rawValue): \($0)" }
    }.first
  }

  /// Runs it in a folder of its own, which is gone afterwards.
  func run(_ adapter: some BatchAdapter, _ file: String, _ line: Int) async -> CaseResult {
    if let reason = reasonToSkip(adapter) { return CaseResult(self, .skipped(reason)) }
    let folder: CaseFolder
    do throws(SettleError) { folder = try CaseFolder() } catch {
      return CaseResult(self, .inconclusive("no folder could be made: \(error)"))
    }
    let run = CaseRun(self, adapter, folder.path, (file, line))
    var result = await withTaskExecutorPreference(ThreadExecutor.shared) { await run.result() }
    do throws(SettleError) { try folder.remove() } catch {
      result.note("its folder could not be removed: \(error)")
    }
    return result
  }
}
