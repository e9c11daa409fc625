import CSettleSystem
import Synchronization

/// Which operations of one test fail, and which of these faults have happened.
///
/// ```swift
/// let plan = FaultPlan(.at("write", 3, .noSpace), .at("rename", .crash))
/// try await upload(probe: FaultProbe(plan))
/// try plan.requireAllFired()
/// ```
///
/// A plan belongs to the test that made it and is handed to the code under test: to
/// ``FaultProbe``, to a disk, or to `Interposer` on Linux. There is no global one, so tests run
/// side by side. Code that can take none finds the one that its task was given in ``current``.
public final class FaultPlan: Sendable {
  /// What can happen at a place: a point in code has no bytes to be short of, for instance.
  public enum Place: Sendable, Hashable {
    /// A named point in code: it can throw anything.
    case point
    /// A call to a system: it fails with numbers.
    case call
  }

  /// The plan of this task, for code that cannot be handed one. Bind it with
  /// `FaultPlan.$current.withValue(plan) { … }`. Threads and detached tasks have none.
  @TaskLocal public static var current: FaultPlan?

  private let state: Mutex<State>

  /// A plan of these faults; with none, it only counts.
  public init(faults: [PlannedFault]) {
    var state = State()
    for fault in faults { state.add(fault) }
    self.state = Mutex(state)
  }

  /// A plan of these faults; with none, it only counts.
  public convenience init(_ faults: PlannedFault...) { self.init(faults: faults) }

  /// Plans another fault; its operations are counted from now on.
  public func add(_ fault: PlannedFault) { state.withLock { $0.add(fault) } }

  /// Takes back every fault, a crash included. What has fired stays on record, and what has not
  /// stays unfired.
  public func lift() { state.withLock { $0.lift() } }

  /// Asks what happens to an operation that is about to be done; nil: it is done.
  ///
  /// Waits out a delay before it answers, so it must not be called with a lock held, and traps on
  /// a task's thread when there is a delay. The answer is `error`, `throwing` (at a point only),
  /// `short` (a call with bytes only) or `crash`.
  public func ask(_ point: FaultPoint, at place: Place = .call) -> FaultEffect? {
    let effect = state.withLock { $0.effect(on: point, at: place) }
    switch effect {
    case .held(let gate):
      pass(gate)
      return nil
    case .delayed(let duration, let clock):
      let gate = Gate("delay of \(point)", in: clock.parking)
      let deadline = clock.now.advanced(by: duration)
      Task {
        // The clock's sleep ends early only with this task, which nobody cancels.
        try? await clock.sleep(until: deadline, tolerance: nil)
        gate.release()
      }
      pass(gate)
      return nil
    default: return effect
    }
  }

  /// A wait that is in vain stands in the gate's table of failures, where the end of the test finds
  /// it; the work goes on.
  private func pass(_ gate: Gate) { try? gate.passBlocking() }

  // MARK: What has happened

  /// Faults that have happened, in the order of planning.
  public var fired: [FiredFault] { state.withLock { $0.entries.compactMap(\.fired) } }

  /// Faults that have not happened, and why.
  public var unfired: [UnfiredFault] { state.withLock { $0.unfired } }

  /// Every operation that asked, in order.
  public var points: [FaultPoint] { state.withLock { $0.points } }

  /// True once a crash has happened: nothing is done any more.
  public var hasCrashed: Bool { state.withLock { $0.hasCrashed } }

  /// True when the next operation of a kind would be refused by a crash that is planned for any
  /// operation, or by one that has happened.
  package var isAtCrash: Bool { state.withLock { $0.isAtCrash } }

  /// Throws ``UnfiredFaults`` when a planned fault has not happened: such a test has not passed.
  public func requireAllFired() throws(UnfiredFaults) {
    let unfired = unfired
    if !unfired.isEmpty { throw UnfiredFaults(faults: unfired) }
  }
}

extension FaultPlan: CustomStringConvertible {
  /// Each fault, fired or not, and how many operations asked.
  public var description: String {
    let count = points.count
    let lines =
      fired.map { "  fired: \($0)" } + unfired.map { "  not fired: \($0)" }
    return (["\(count) operations"] + lines).joined(separator: "\n")
  }
}

extension FaultPlan {
  /// A planned fault and what became of it.
  fileprivate struct Entry: Sendable {
    let fault: PlannedFault
    /// Operations of its kind that had come when it was planned.
    let seenBefore: Int
    var roomLeft: Int
    var fired: FiredFault?
    /// Why it could not happen although its operation came.
    var obstacle: String?
    var isLifted = false
  }

  /// The plan as a value: one question, one answer.
  fileprivate struct State: Sendable {
    var entries: [Entry] = []
    var points: [FaultPoint] = []
    var counts: [String: Int] = [:]
    var hasCrashed = false

    mutating func add(_ fault: PlannedFault) {
      switch fault.occasion {
      case .number(_, let kind, _):
        entries.append(Entry(fault: fault, seenBefore: count(of: kind), roomLeft: 0))
      case .full(let byteCount):
        entries.append(Entry(fault: fault, seenBefore: 0, roomLeft: byteCount))
      }
    }

    mutating func lift() {
      hasCrashed = false
      for index in entries.indices { entries[index].isLifted = true }
    }

    func count(of kind: String?) -> Int {
      kind.map { counts[$0, default: 0] } ?? points.count
    }

    mutating func effect(on point: FaultPoint, at place: Place) -> FaultEffect? {
      points.append(point)
      counts[point.kind, default: 0] += 1
      if hasCrashed { return .crash }
      var answer: FaultEffect?
      for index in entries.indices where !entries[index].isLifted {
        guard let effect = due(&entries[index], point) else { continue }
        if let obstacle = Self.obstacle(to: effect, on: point, at: place) {
          entries[index].obstacle = obstacle
        } else if answer != nil {
          entries[index].obstacle = "another fault had already hit \(point)"
        } else {
          answer = effect
          fire(index, point)
        }
      }
      if case .crash = answer { hasCrashed = true }
      return answer
    }

    private mutating func fire(_ index: Int, _ point: FaultPoint) {
      guard entries[index].fired == nil else { return }
      entries[index].fired = FiredFault(
        fault: entries[index].fault, point: point, number: points.count)
    }

    /// What a fault does to an operation, if it is this one's turn.
    private func due(_ entry: inout Entry, _ point: FaultPoint) -> FaultEffect? {
      switch entry.fault.occasion {
      case .number(let number, let kind, let isForever):
        guard kind == nil || kind == point.kind else { return nil }
        let seen = count(of: kind) - entry.seenBefore
        return seen == number || (isForever && seen > number) ? entry.fault.effect : nil
      case .full:
        guard point.needsSpace else { return nil }
        guard let wanted = point.byteCount else { return entry.roomLeft == 0 ? .noSpace : nil }
        guard wanted > entry.roomLeft else {
          entry.roomLeft -= wanted
          return nil
        }
        defer { entry.roomLeft = 0 }
        return entry.roomLeft == 0 ? .noSpace : .short(byteCount: entry.roomLeft)
      }
    }

    /// Why an effect is impossible at a place.
    private static func obstacle(
      to effect: FaultEffect, on point: FaultPoint, at place: Place
    ) -> String? {
      switch (effect, place) {
      case (.throwing, .call): return "\(point) is a call, and calls fail with error numbers"
      case (.short(let count), .call):
        guard let wanted = point.byteCount else { return "\(point) has no bytes to be short of" }
        return wanted > count ? nil : "\(point) had only \(wanted) bytes"
      case (.short, .point): return "\(point) is a named point, which has no bytes to be short of"
      default: return nil
      }
    }

    var isAtCrash: Bool {
      if hasCrashed { return true }
      return entries.contains { entry in
        guard !entry.isLifted, entry.fired == nil, case .crash = entry.fault.effect,
          case .number(let number, nil, _) = entry.fault.occasion
        else { return false }
        return points.count - entry.seenBefore == number - 1
      }
    }

    var unfired: [UnfiredFault] {
      entries.filter { $0.fired == nil }.map { entry in
        UnfiredFault(
          fault: entry.fault, reason: entry.obstacle ?? reason(entry),
          isImpossible: entry.obstacle != nil)
      }
    }

    private func reason(_ entry: Entry) -> String {
      switch entry.fault.occasion {
      case .number(_, let kind, _):
        let seen = count(of: kind) - entry.seenBefore
        return kind == nil || seen > 0
          ? "only \(seen) came" : "none came; operations were: \(kindsSeen)"
      case .full: return "\(entry.roomLeft) bytes of room were left"
      }
    }

    private var kindsSeen: String {
      counts.isEmpty
        ? "none"
        : counts.keys.sorted().map { "\($0) \(counts[$0]!)" }
          .joined(separator: ", ")
    }
  }
}
