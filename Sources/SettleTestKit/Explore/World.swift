import SettleCore
import Synchronization

/// What one explored run consists of: fresh subjects, and participants that work on them.
///
/// A ``Explorer`` asks for a new one for each run. Participants take turns: they change places at
/// checkpoints (``probe``), and tasks also where they suspend.
public final class World: Sendable {
  /// What happens in this run.
  public let trace: Trace
  private let stage: Stage
  private let parts = Mutex(Parts())

  struct Parts: Sendable {
    var rules = RuleSet.settle
    var ends: [@Sendable (Trace) async throws -> Void] = []
    var hopes: [(name: String, isMet: @Sendable ([TraceEvent]) -> Bool)] = []
    var checkpoints: [String] = []
    var visibles: [String] = []
    var failures: [Violation] = []
    var participantCount = 0
  }

  init(_ stage: Stage) {
    self.stage = stage
    trace = Trace()
  }

  var contents: Parts { parts.withLock { $0 } }

  // MARK: Participants

  /// The probe for the code under test: its checkpoints are where participants change places.
  public var probe: any Probe {
    let stage = stage
    return TraceProbe(trace) { stage.reach($0) }
  }

  /// A task that takes part. Its child tasks do, too; a detached task does not, and is found out.
  ///
  /// `touches` names what its steps may read or change. Orders of two steps that touch nothing in
  /// common are tried once only; without it every order is tried.
  public func spawn(
    _ name: String, touches: Set<String>? = nil,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    let participant = add(Participant(name: name, touches: touches))
    let executor = ParticipantExecutor(participant, of: stage)
    Task(executorPreference: executor) {
      do { try await body() } catch { self.failed(name, error) }
      self.stage.ended(participant)
    }
  }

  /// A thread that takes part, for operations and other code that blocks.
  public func spawnThread(
    _ name: String, touches: Set<String>? = nil, _ body: @escaping @Sendable () throws -> Void
  ) {
    let participant = add(Participant(name: name, touches: touches))
    stage.addBody(of: participant) {
      do { try body() } catch { self.failed(name, error) }
      self.stage.ended(participant)
    }
  }

  /// A task executor for code that takes one: its tasks take part, one piece at a time. They are not
  /// expected to end: look at the end of the run whether they did.
  public func executor(_ name: String, touches: Set<String>? = nil) -> any TaskExecutor {
    let participant = add(Participant(name: name, touches: touches, hasEnded: true))
    return ParticipantExecutor(participant, of: stage)
  }

  /// What happens when nothing else can go on, such as a clock that moves to its next sleeper.
  /// False says that nothing came of it; then the run is over, or stuck.
  public func whenIdle(_ idle: @escaping @Sendable () -> Bool) {
    stage.setUp { $0.idle = idle }
  }

  /// Looks between any two steps, while nothing runs.
  public func afterEachStep(_ look: @escaping @Sendable () -> Void) { stage.addLook(look) }

  /// An operation that a queue of somebody else starts on a thread of its own.
  ///
  /// It is known by the item of its checkpoints, and takes part from the first of them to the one
  /// named `last`, which must be the last thing that it does. It is expected once the operations of
  /// the items in `after` have ended, as far as ``queueWidth(_:)`` allows.
  public func visit(
    _ item: Int, until last: String, after: [Int] = [], touches: Set<String>? = nil
  ) {
    let visit = Participant.Visit(item: item, last: last, after: after)
    _ = add(Participant(name: "item-\(item)", touches: touches, visit: visit))
  }

  /// How many operations their queue runs at a time; any number unless this is called.
  public func queueWidth(_ width: Int) {
    precondition(width > 0, "a queue runs at least one operation")
    stage.setUp { $0.width = width }
  }

  /// What the step that follows a checkpoint may read or change, in place of the participant's.
  public func step(after checkpoint: String, touches: Set<String>) {
    stage.setUp { $0.touches[checkpoint] = touches }
  }

  private func add(_ participant: Participant) -> Int {
    parts.withLock { $0.participantCount += 1 }
    return stage.add(participant)
  }

  private func failed(_ name: String, _ error: any Error) {
    let violation = Violation(
      rule: "noParticipantThrows",
      message: "\(quoted(Array(name.utf8))) threw \(quoted(Array("\(error)".utf8)))", witnesses: [])
    parts.withLock { $0.failures.append(violation) }
  }

  // MARK: What must hold

  /// Judges each run's trace by these rules instead of ``RuleSet/settle``.
  public func always(_ rules: RuleSet) { parts.withLock { $0.rules = rules } }

  /// Looks at each run when it has ended, without control: record what is left, or throw.
  public func atEnd(_ look: @escaping @Sendable (Trace) async throws -> Void) {
    parts.withLock { $0.ends.append(look) }
  }

  /// Something that must happen in at least one run: a proof in which it never does is empty.
  public func sometimes(_ name: String, _ isMet: @escaping @Sendable ([TraceEvent]) -> Bool) {
    parts.withLock { $0.hopes.append((name, isMet)) }
  }

  /// Checkpoints of which each must be reached in at least one run.
  public func mustReach(_ checkpoints: String...) {
    parts.withLock { $0.checkpoints += checkpoints }
  }

  /// Tells runs apart by more than their outcomes, such as a value that was computed. Two orders of
  /// steps that are said to touch nothing in common must not differ in it.
  public func tell(_ visible: String) { parts.withLock { $0.visibles.append(visible) } }
}
