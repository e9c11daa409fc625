import SettleCore

/// Who takes part in a run: a task, a thread, or an operation that comes by itself.
struct Participant: Sendable {
  /// An operation that a queue of somebody else starts.
  struct Visit: Sendable {
    /// The item that its checkpoints speak of.
    var item: Int
    /// Its last checkpoint: with that step it has ended.
    var last: String
    /// Items that must have ended before it can come.
    var after: [Int]
    var hasCome = false
  }

  var name: String
  /// What its steps may read or change; nil: anything.
  var touches: Set<String>?
  var visit: Visit?
  var hasEnded = false
}

/// A step that can go on.
struct Entrant: Sendable {
  enum Kind: Sendable {
    /// A piece of a task, up to its next suspension.
    case job(UnownedJob, ParticipantExecutor)
    /// The body of a thread.
    case body(@Sendable () -> Void)
    /// A thread that waits at a checkpoint.
    case parked(Seat)
  }

  var participant: Int
  var place: String
  var kind: Kind
  var order = 0
}

/// Where a thread waits for its turn: true once it is.
typealias Seat = Monitor<Bool>

/// What whoever stops has to do, outside the lock, in order.
enum HandOver: Sendable {
  /// Let this one go on.
  case wake(Seat)
  /// Run this step.
  case run(Entrant)
  /// Nothing can go on: see whether this brings something.
  case idle(@Sendable () -> Bool)
}

/// A run's state, inside the lock of its ``Stage``.
///
/// Invariant: at most one step runs. One is chosen only when none runs and every operation that
/// its queue must have started has come, so what there is to choose does not depend on speed.
struct StageState: Sendable {
  var course: Course
  var participants: [Participant] = []
  var entrants: [Entrant] = []
  /// The participant whose step runs; ``nobody`` while ``idle`` runs.
  var running: Int?
  /// Threads whose step is in its middle, and whose it is.
  var threads: [UInt: Int] = [:]
  /// Operations that may be in their bodies at the same time.
  var width = Int.max
  let stepLimit: Int
  var hasBegun = false
  /// Nothing runs and nothing can go on, but not everybody has ended.
  var isStuck = false
  var ending: Stage.Ending?
  /// The first thing that came from outside of the run's control.
  var stray: String?
  var stepCount = 0
  /// How often a task of no urgency has had its turn on Swift's own threads.
  var poolTurns = 0
  var reached: Set<String> = []
  var touches: [String: Set<String>] = [:]
  /// What happens when nothing else can go on, such as time that passes; false: nothing is left.
  var idle: (@Sendable () -> Bool)?
  private var nextOrder = 0

  init(_ course: Course, stepLimit: Int) {
    self.course = course
    self.stepLimit = stepLimit
  }

  mutating func enter(_ participant: Int, _ place: String, _ kind: Entrant.Kind) {
    entrants.append(
      Entrant(participant: participant, place: place, kind: kind, order: nextOrder))
    nextOrder += 1
    isStuck = false
  }

  /// True when a step of this thread, or of an operation on any thread, runs.
  func isUnderControl(_ thread: UInt) -> Bool {
    if threads[thread] != nil { return true }
    return running.map { $0 == Self.nobody || participants[$0].visit != nil } ?? false
  }

  /// Stands for what happens when nothing else can go on.
  static let nobody = -1

  /// The operation that an unknown thread belongs to, by the item that it speaks of.
  mutating func visit(of checkpoint: Checkpoint) -> Int? {
    let found = participants.firstIndex {
      $0.visit?.item == checkpoint.item && !$0.hasEnded
    }
    if let found { participants[found].visit?.hasCome = true }
    return found
  }

  var unended: [String] { participants.filter { !$0.hasEnded }.map(\.name) }

  /// Chooses what goes on, when nothing runs and everybody who must come is here.
  mutating func handOver() -> [HandOver] {
    var actions: [HandOver] = []
    while hasBegun, ending == nil, running == nil, !isWaitingForVisits {
      guard !entrants.isEmpty || idle != nil else {
        if unended.isEmpty { ending = .finished } else { isStuck = true }
        break
      }
      guard stepCount < stepLimit else {
        // The driver sees it and ends the run.
        isStuck = true
        break
      }
      actions.append(chooseNext())
    }
    return actions
  }

  private mutating func chooseNext() -> HandOver {
    stepCount += 1
    if entrants.isEmpty, let idle {
      self.idle = nil
      running = Self.nobody
      return .idle(idle)
    }
    let choices = self.choices
    let choice = course.choose(from: choices.map(\.choice))
    guard let place = choices.first(where: { $0.choice.who == choice.who })?.entrant else {
      preconditionFailure("a course chooses one of its options")
    }
    let entrant = entrants.remove(at: place)
    let isLast = participants[entrant.participant].visit.map { visit in
      entrant.place == visit.last || entrant.place.hasPrefix(visit.last + "#")
    }
    if isLast == true {
      participants[entrant.participant].hasEnded = true
    } else {
      running = entrant.participant
    }
    if case .parked(let seat) = entrant.kind { return .wake(seat) }
    return .run(entrant)
  }

  /// What can go on, in an order that does not depend on who came first by chance.
  private var choices: [(choice: Choice, entrant: Int)] {
    var counts: [Int: Int] = [:]
    let order = entrants.indices.sorted {
      (entrants[$0].participant, entrants[$0].order)
        < (entrants[$1].participant, entrants[$1].order)
    }
    return order.map { index in
      let entrant = entrants[index]
      let participant = participants[entrant.participant]
      let number = counts[entrant.participant, default: 0]
      counts[entrant.participant] = number + 1
      let choice = Choice(
        who: number == 0 ? participant.name : participant.name + "+\(number)",
        place: entrant.place, touches: touched(at: entrant.place) ?? participant.touches,
        participant: participant.name)
      return (choice, index)
    }
  }

  private func touched(at place: String) -> Set<String>? {
    touches[place] ?? touches[String(place.prefix { $0 != "#" })]
  }

  /// True while an operation is missing that its queue must start, or has started.
  private var isWaitingForVisits: Bool {
    let visits = participants.compactMap { $0.hasEnded ? nil : $0.visit }
    let open = Set(visits.map(\.item))
    let dueCount = visits.count { $0.hasCome || open.isDisjoint(with: $0.after) }
    return visits.count { $0.hasCome } < min(width, dueCount)
  }
}
