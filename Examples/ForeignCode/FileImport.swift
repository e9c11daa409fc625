import Foundation
import SettleCore

/// What the two importers do: copy a file beside its target, verify the copy, move it into place.
public struct FileImport: Sendable {
  /// The file.
  public var source: URL
  /// Where it goes to; its temporary file stands beside it.
  public var target: URL
  /// Throws when the copy is no good.
  public var verify: @Sendable (URL) async throws -> Void
  /// Tells the user how it ended.
  public var onEnd: @Sendable (OutcomeKind) -> Void = { _ in }
  /// All that the code was given for its tests.
  public var probe: any Probe = NoProbe()
  /// Where its task runs; nil: where tasks run.
  public var executor: (any TaskExecutor)?

  /// An import that nobody watches.
  public init(
    _ source: URL, to target: URL, verify: @escaping @Sendable (URL) async throws -> Void
  ) {
    (self.source, self.target, self.verify) = (source, target, verify)
  }

  var part: URL { target.appendingPathExtension("part") }

  func tell(_ name: String) { probe.event(ProbeEvent(name, item: 1)) }

  func reach(_ name: String) { probe.reach(Checkpoint(name, item: 1)) }

  func tellEnd(_ outcome: OutcomeKind) {
    tell("left")
    tell("outcome." + outcome.rawValue)
    onEnd(outcome)
  }
}
