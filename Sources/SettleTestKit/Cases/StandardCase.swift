import SettleCore

/// The six situations that every code of batches must master (TST-8), each a test of its own.
///
/// ```swift
/// @Test(arguments: StandardCase.allCases)
/// func theQueueMasters(_ standardCase: StandardCase) async throws {
///   try await standardCase.check(ResizeAdapter())
/// }
/// ```
public enum StandardCase: String, Sendable, Hashable, CaseIterable {
  /// Item 1 needs item 0, and both succeed.
  case predecessorSucceeds
  /// Item 1 needs item 0, which fails: item 1 is skipped, its body never entered.
  case predecessorFails
  /// Cancelled before anything has started: the body never runs.
  case cancelBeforeStart
  /// Cancelled in the middle of the work.
  case cancelWhileProcessing
  /// Cancelled when the result is ready and about to be committed.
  case cancelBeforeCommit
  /// Cancelled after the commit: it stays a success.
  case cancelAfterCommit

  /// How it must end.
  public var expected: CaseEnd { CaseEnd(scenario.outcomes) }

  /// What the code under test must be able to do.
  public var needs: [BatchAbility] { scenario.needs }

  var scenario: Scenario {
    switch self {
    case .predecessorSucceeds:
      Scenario(
        "predecessor succeeds", [BatchItem(0), BatchItem(1, needs: [0])], [.succeeded, .succeeded])
    case .predecessorFails:
      Scenario(
        "predecessor fails", [BatchItem(0, mustFail: true), BatchItem(1, needs: [0])],
        [.failed, .skipped])
    case .cancelBeforeStart: .cancel("cancel before start", .beforeStart, .cancelled)
    case .cancelWhileProcessing: .cancel("cancel while processing", .processing, .cancelled)
    case .cancelBeforeCommit: .cancel("cancel right before commit", .beforeCommit, .cancelled)
    case .cancelAfterCommit: .cancel("cancel after commit", .afterCommit, .succeeded)
    }
  }

  /// The cases that an adapter does not rule out by ``BatchAdapter/lacks``.
  public static func cases(for adapter: some BatchAdapter) -> [StandardCase] {
    allCases.filter { $0.scenario.reasonToSkip(adapter) == nil }
  }

  /// Runs the case and throws ``CaseFailure`` unless all is as it must be.
  ///
  /// A case that the adapter rules out has not passed either; to ask only the others, take
  /// ``cases(for:)``. No single wait takes longer than the adapter's limit.
  @discardableResult
  public func check(
    _ adapter: some BatchAdapter, file: String = #fileID, line: Int = #line
  ) async throws(CaseFailure) -> CaseResult {
    let result = await run(adapter, file: file, line: line)
    if result.verdict != .asExpected { throw CaseFailure(result: result) }
    return result
  }

  /// Runs the case and returns what was expected and what was found.
  public func run(
    _ adapter: some BatchAdapter, file: String = #fileID, line: Int = #line
  ) async -> CaseResult {
    await scenario.run(adapter, file, line)
  }
}

extension StandardCase: CustomStringConvertible {
  /// Its name in words, such as `cancel right before commit`.
  public var description: String { scenario.name }
}
