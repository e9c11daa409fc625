import Foundation
import SettleCore
import Synchronization

/// Code as it stands in many programs: thumbnails made by an `OperationQueue`. It knows nothing of
/// Settle's engine; the probe is all that it was given for its tests.
class ThumbnailOperation: Operation, @unchecked Sendable {
  let item: Int
  let folder: URL
  let probe: any Probe
  /// Told when the thumbnail has ended, and how.
  let onEnd: @Sendable (OutcomeKind) -> Void
  /// Set before it is added to a queue, and never again.
  var isDamaged: Bool

  init(
    _ item: Int, in folder: URL, probe: any Probe,
    onEnd: @escaping @Sendable (OutcomeKind) -> Void
  ) {
    self.item = item
    self.folder = folder
    self.probe = probe
    self.onEnd = onEnd
    isDamaged = item == 13
  }

  var part: URL { folder.appendingPathComponent("\(item).part") }
  var target: URL { folder.appendingPathComponent("\(item).thumb") }

  /// The expensive part; picture 13 turns out to be damaged halfway through.
  func render() throws {
    tell("work.render")
    try Data("thumbnail \(item)".utf8).write(to: part)
    probe.reach(Checkpoint("processing", item: item))
    if isDamaged { throw CocoaError(.fileReadCorruptFile) }
  }

  func publish() throws {
    tell("effect.publish")
    try FileManager.default.moveItem(at: part, to: target)
  }

  func askToCancel() -> CancelAnswer {
    cancel()
    return .accepted
  }

  func tell(_ name: String) { probe.event(ProbeEvent(name, item: item)) }

  func tellEnd(_ kind: OutcomeKind) {
    tell("completion")
    onEnd(kind)
  }
}

/// As it is usually written.
// @unchecked: adds nothing to its parent, whose properties are constants.
final class CarelessThumbnail: ThumbnailOperation, @unchecked Sendable {
  override func main() {
    tell("entered")
    if isCancelled { return end(.cancelled) }
    do {
      try render()
      // The look at the cancellation is long past when the result is published.
      probe.reach(Checkpoint("before-commit", item: item))
      try publish()
      end(.succeeded)
    } catch {
      end(.failed)
    }
  }

  private func end(_ kind: OutcomeKind) {
    tell("left")
    tell("outcome." + kind.rawValue)
    tellEnd(kind)
    // Somebody else had already set a completion block, and both tell.
    if kind == .cancelled || kind == .failed { tellEnd(kind) }
  }
}

/// Mended: one place decides between cancel and commit, dependents look at how it ended, the
/// temporary file goes on every path, and one place tells the end.
// @unchecked: what it adds is behind a lock.
final class CarefulThumbnail: ThumbnailOperation, @unchecked Sendable {
  private enum Phase {
    case working, cancelled, committed, ended(OutcomeKind)
  }

  private let phase = Mutex(Phase.working)

  var outcome: OutcomeKind? {
    phase.withLock { if case .ended(let kind) = $0 { kind } else { nil } }
  }

  override func askToCancel() -> CancelAnswer {
    phase.withLock { phase in
      switch phase {
      case .working:
        phase = .cancelled
        return .accepted
      case .cancelled, .ended(.cancelled): return .alreadyRequested
      case .committed, .ended: return .tooLate
      }
    }
  }

  private var isStopped: Bool { phase.withLock { if case .cancelled = $0 { true } else { false } } }

  private func commits() -> Bool {
    tell("commitAsked")
    let isMine = phase.withLock { phase in
      guard case .working = phase else { return false }
      phase = .committed
      return true
    }
    if isMine { tell("commit") }
    return isMine
  }

  override func main() {
    let failed = dependencies.contains { ($0 as? CarefulThumbnail)?.outcome != .succeeded }
    if failed { return end(.skipped) }
    if isStopped { return end(.cancelled) }
    tell("entered")
    let kind = work()
    try? FileManager.default.removeItem(at: part)
    tell("left")
    end(kind)
  }

  private func work() -> OutcomeKind {
    do {
      try render()
      probe.reach(Checkpoint("before-commit", item: item))
      guard commits() else { return .cancelled }
      try publish()
      return .succeeded
    } catch {
      return .failed
    }
  }

  private func end(_ kind: OutcomeKind) {
    phase.withLock { $0 = .ended(kind) }
    tell("outcome." + kind.rawValue)
    tellEnd(kind)
  }
}
