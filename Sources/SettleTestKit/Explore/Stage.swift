import CSettleSystem
import SettleCore
import Synchronization

/// One run on which exactly one step happens at a time, and a ``Course`` says which.
///
/// There is no thread that directs: whoever stops (at a checkpoint, at a suspension, at its end)
/// chooses who is next and hands over. A piece of a task runs on the thread that has just become
/// free, so code without checkpoints in the middle of a piece never changes threads.
final class Stage: Sendable {
  /// Why a run ended.
  enum Ending: Sendable, Hashable {
    /// Everybody has ended.
    case finished
    /// Nobody can go on, and these have not ended.
    case stuck([String])
    /// Something was not under control; the text says who.
    case uncontrolled(String)
  }

  private let state: Monitor<StageState>
  private let threads: StepThreads
  /// Called between two steps, while nothing runs.
  private let looks = Mutex<[@Sendable () -> Void]>([])

  init(_ course: Course, threads: StepThreads, stepLimit: Int) {
    state = Monitor(StageState(course, stepLimit: stepLimit))
    self.threads = threads
  }

  // MARK: Setting up

  func add(_ participant: Participant) -> Int {
    state.withLock { state in
      precondition(!state.hasBegun, "participants are added before the run begins")
      let isNew = !state.participants.contains { $0.name == participant.name }
      precondition(isNew, "two participants are named \(participant.name)")
      state.participants.append(participant)
      return state.participants.count - 1
    }
  }

  func addBody(of participant: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.enter(participant, "start", .body(body)) }
  }

  func addLook(_ look: @escaping @Sendable () -> Void) { looks.withLock { $0.append(look) } }

  private func look() {
    for look in looks.withLock({ $0 }) { look() }
  }

  func setUp(_ change: (inout StageState) -> Void) { state.withLock(change) }

  // MARK: The steps' side

  /// A task of a participant can go on.
  func enqueue(_ job: UnownedJob, _ executor: ParticipantExecutor) {
    let (thread, who) = (settle_thread_number(), executor.participant)
    perform(
      state.withLock { state in
        let kind = Entrant.Kind.job(job, executor)
        guard state.ending == nil else {
          return [.run(Entrant(participant: who, place: "resume", kind: kind))]
        }
        if state.hasBegun, !state.isUnderControl(thread), state.stray == nil {
          state.stray =
            "\(state.participants[who].name) was resumed by something that is not under control, "
            + "such as a detached task, a sleep, or another executor"
        }
        state.enter(who, state.hasBegun ? "resume" : "start", kind)
        return state.handOver()
      })
  }

  /// Work has come to a checkpoint. Returns when it is its turn again.
  func reach(_ checkpoint: Checkpoint) {
    look()
    let (seat, thread) = (Seat(false), settle_thread_number())
    let entered = state.withLock { state -> (who: Int, actions: [HandOver])? in
      guard state.ending == nil else { return nil }
      let who = state.threads[thread] ?? state.visit(of: checkpoint)
      // A queue that was filled while the world was made may be faster than the run.
      guard state.hasBegun || who != nil else { return nil }
      state.reached.insert(checkpoint.name)
      guard let who else {
        if state.stray == nil {
          state.stray =
            "checkpoint \(quoted(Array(checkpoint.name.utf8))) was reached by something that no "
            + "participant started"
        }
        return nil
      }
      if state.running == who { state.running = nil }
      state.threads[thread] = nil
      let place =
        checkpoint.item < 0 ? checkpoint.name : checkpoint.name + "#\(checkpoint.item)"
      state.enter(who, place, .parked(seat))
      return (who, state.handOver())
    }
    guard let (who, actions) = entered else { return }
    perform(actions)
    // The driver ends the run, and with it every wait, when nobody moves for long.
    while seat.wait(atMost: .seconds(3_600), until: { $0 ? () : nil }) == nil {}
    state.withLock { state in
      // A visit's thread is its queue's again after the last step, while somebody else's step runs.
      guard state.ending == nil, state.participants[who].visit == nil else { return }
      state.threads[thread] = who
    }
  }

  private func perform(_ actions: [HandOver]) {
    for action in actions {
      switch action {
      case .wake(let seat): seat.withLock { $0 = true }
      case .run(let entrant): onAThread { self.run(entrant) }
      case .idle(let idle): onAThread { self.beIdle(idle) }
      }
    }
  }

  private func onAThread(_ body: @escaping @Sendable () -> Void) {
    do throws(SettleError) {
      try threads.run(body)
    } catch {
      end(.uncontrolled("no thread could be started for a step: \(error)"))
    }
  }

  /// Lets happen what happens when nothing else can.
  private func beIdle(_ idle: @escaping @Sendable () -> Bool) {
    let isWorking = idle()
    perform(
      state.withLock { state in
        guard state.ending == nil else { return [] }
        state.running = nil
        if isWorking { state.idle = idle }
        return state.handOver()
      })
  }

  /// Runs steps on this thread, one after another, as long as the next one needs a thread.
  private func run(_ first: Entrant) {
    let thread = settle_thread_number()
    var next = first
    while true {
      state.withLock { $0.threads[thread] = next.participant }
      switch next.kind {
      case .job(let job, let executor):
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
      case .body(let body): body()
      case .parked: preconditionFailure("a step that is held has a thread of its own")
      }
      look()
      let actions = state.withLock { state -> [HandOver] in
        state.threads[thread] = nil
        guard state.ending == nil else { return [] }
        if state.running == next.participant { state.running = nil }
        return state.handOver()
      }
      guard case .run(let entrant)? = actions.last else { return perform(actions) }
      perform(actions.dropLast())
      next = entrant
    }
  }

  /// A participant's own body has ended.
  func ended(_ participant: Int) {
    state.withLock { $0.participants[participant].hasEnded = true }
  }

  // MARK: The driver's side

  /// Lets the run go, and waits for its end. Blocks.
  ///
  /// `window` is how long one step may take. When nothing can go on, `grace` is how long something
  /// outside of our control may take to show itself: what is stuck then is stuck for ever, as far
  /// as can be seen.
  func play(window: Duration, grace: Duration) -> Ending {
    perform(
      state.withLock { state in
        state.hasBegun = true
        return state.handOver()
      })
    while true {
      let before = state.withLock { $0.stepCount }
      let isMoving: Bool? = state.wait(atMost: window) { state in
        if state.ending != nil || state.isStuck { return false }
        return state.stepCount != before ? true : nil
      }
      if isMoving == nil { end(.uncontrolled(state.withLock(Self.whoIsMissing))) }
      if isMoving == false { lookWhetherStuck(grace) }
      if let ending = state.withLock({ $0.ending }) { return ending }
    }
  }

  private func lookWhetherStuck(_ grace: Duration) {
    let limit = state.withLock { $0.stepCount >= $0.stepLimit ? $0.stepLimit : nil }
    if let limit { return end(.uncontrolled("the run took more than \(limit) steps")) }
    // Whoever could still move it must have had its turn: on a busy machine that takes a while.
    // Each urgency has threads of its own on some systems.
    let priorities: [TaskPriority] = [.high, .medium, .low, .background]
    let turns = state.withLock { $0.poolTurns } + priorities.count
    for priority in priorities {
      Task.detached(priority: priority) { self.state.withLock { $0.poolTurns += 1 } }
    }
    let seen: Void? = state.wait(atMost: .waitLimit) {
      $0.ending != nil || !$0.isStuck || $0.poolTurns >= turns ? () : nil
    }
    if seen == nil {
      return end(
        .uncontrolled("nothing can go on, and Swift's own threads had no turn to change that"))
    }
    let moved: Void? = state.wait(atMost: grace) { $0.ending != nil || !$0.isStuck ? () : nil }
    if moved == nil { end(.stuck(state.withLock { $0.unended })) }
  }

  private static func whoIsMissing(_ state: inout StageState) -> String {
    if let running = state.running, running >= 0 {
      let who = quoted(Array(state.participants[running].name.utf8))
      return "\(who) neither came to a checkpoint nor ended"
    }
    let missing = state.participants.filter { $0.visit?.hasCome == false && !$0.hasEnded }
    return "these operations did not come: " + missing.map(\.name).joined(separator: ", ")
  }

  /// Ends the run early: whoever is held goes on without control.
  private func end(_ ending: Ending) {
    let entrants = state.withLock { state -> [Entrant] in
      guard state.ending == nil else { return [] }
      state.ending = ending
      defer { state.entrants = [] }
      return state.entrants
    }
    perform(
      entrants.map {
        if case .parked(let seat) = $0.kind { .wake(seat) } else { .run($0) }
      })
  }

  /// What the run met: its course, checkpoints, and what was not under control.
  var result: (course: Course, reached: Set<String>, stray: String?) {
    state.withLock { ($0.course, $0.reached, $0.stray) }
  }
}

/// Runs the tasks of one participant, its child tasks included, step by step.
final class ParticipantExecutor: TaskExecutor {
  let participant: Int
  // The stage holds jobs that hold this executor, until they have run.
  private let stage: Stage

  init(_ participant: Int, of stage: Stage) {
    self.participant = participant
    self.stage = stage
  }

  func enqueue(_ job: consuming ExecutorJob) { stage.enqueue(UnownedJob(job), self) }
}
