import SettleCore

/// Deliberate breakages of your code, each of which the kit must notice (TST-7).
///
/// A breakage is put around your adapter, so that it disturbs what your code is asked for, what it
/// tells, and its files on disk. A test kit that is wired up wrongly notices less than it seems to:
/// a checkpoint in the wrong place, an event that is never told, a folder at which nobody looks.
///
/// ```swift
/// @Test func theKitWouldNotice() async throws {
///   try await Sabotage.verify(ResizeAdapter())
/// }
/// ```
public enum Sabotage: String, Sendable, Hashable, CaseIterable {
  /// An item of the batch is forgotten.
  case lostItem
  /// A dependent runs although what it needs has failed.
  case dependentAfterFailure
  /// A cancel is accepted and never passed on.
  case swallowedCancel
  /// A cancel is accepted and passed on when all is over.
  case lateCancel
  /// The item is cancelled, and its result is published all the same.
  case publicationAfterCancel
  /// An end is told twice.
  case doubleCompletion
  /// An end is never told.
  case lostCompletion
  /// An item gets a second outcome.
  case secondOutcome
  /// Success is told before the work has begun.
  case earlySuccess
  /// Work goes on after the outcome.
  case lateWork
  /// An item that failed counts as a success.
  case errorAsSuccess
  /// An older attempt decides the outcome of a newer one.
  case staleAttempt
  /// Progress passes 100 %.
  case progressAboveOne
  /// Progress falls.
  case fallingProgress
  /// 100 % is shown before there is an outcome.
  case earlyFullProgress
  /// A temporary file stays.
  case leftoverFile
  /// Success, and there is no result.
  case missingResult
  /// Success, and the result is an empty file.
  case emptiedResult
  /// The result was never made durable, and a crash takes it.
  case lostByCrash

  /// What is asked of the code while it is sabotaged.
  var scenario: Scenario {
    switch self {
    case .dependentAfterFailure: StandardCase.predecessorFails.scenario
    case .swallowedCancel: StandardCase.cancelWhileProcessing.scenario
    case .lateCancel, .publicationAfterCancel: StandardCase.cancelBeforeCommit.scenario
    case .errorAsSuccess: Self.failure
    default: Self.success
    }
  }

  private static let success = Scenario(
    "two items succeed", [BatchItem(0), BatchItem(1)], [.succeeded, .succeeded])

  private static let failure = Scenario("an item fails", [BatchItem(0, mustFail: true)], [.failed])

  /// What was missing when it could not be applied.
  var missing: String {
    switch self {
    case .progressAboveOne, .fallingProgress, .earlyFullProgress:
      "the code tells no progress before the end"
    case .missingResult, .emptiedResult, .lostByCrash: "the code shows no result"
    case .lostCompletion, .doubleCompletion: "the code tells no completion"
    default: "the code never came to it"
    }
  }
}

extension Sabotage: CustomStringConvertible {
  /// What is broken, in words.
  public var description: String {
    switch self {
    case .lostItem: "an item is forgotten"
    case .dependentAfterFailure: "a dependent runs after a failure"
    case .swallowedCancel: "a cancel is accepted and never passed on"
    case .lateCancel: "a cancel is accepted and passed on too late"
    case .publicationAfterCancel: "a cancelled item is published"
    case .doubleCompletion: "an end is told twice"
    case .lostCompletion: "an end is never told"
    case .secondOutcome: "an item gets a second outcome"
    case .earlySuccess: "success is told before the work has begun"
    case .lateWork: "work goes on after the outcome"
    case .errorAsSuccess: "an error counts as success"
    case .staleAttempt: "an older attempt decides the outcome"
    case .progressAboveOne: "progress passes 100 %"
    case .fallingProgress: "progress falls"
    case .earlyFullProgress: "100 % is shown before the outcome"
    case .leftoverFile: "a temporary file stays"
    case .missingResult: "a success without result"
    case .emptiedResult: "a success with an empty result"
    case .lostByCrash: "a crash takes a reported result"
    }
  }
}
