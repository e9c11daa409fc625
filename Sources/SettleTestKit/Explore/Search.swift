import SettleCore
import SettleFiles

/// One exploration under way.
struct Search: Sendable {
  /// What one run showed.
  struct Run: Sendable {
    var course: Course
    var violations: [Violation]
    var events: [TraceEvent]
    var end: String
    /// Why it shows nothing, if it does not.
    var stray: String?
  }

  let limits: Explorer.Limits
  let build: @Sendable (World) async throws -> Void
  let threads = StepThreads()
  var exploration: Exploration
  private var unmet: Set<String> = []
  private var met: Set<String> = []

  init(
    name: String, limits: Explorer.Limits, build: @escaping @Sendable (World) async throws -> Void
  ) {
    self.limits = limits
    self.build = build
    exploration = Exploration(name: name, verdict: .proved)
  }

  // MARK: The search

  /// All orders, or as many as the limits allow.
  mutating func all() async throws {
    if try await isSearchOver(bound: nil, usesSleep: true, budget: limits.runCount) {
      if try await isSampleDifferent() { return }
      return conclude(.proved)
    }
    if hasVerdict { return }
    try await bounded()
  }

  /// What takes the place of all orders when there are too many.
  private mutating func bounded() async throws {
    var text = "more than \(limits.runCount) orders"
    for bound in 0...max(0, limits.preemptionCount) {
      guard try await isSearchOver(bound: bound, usesSleep: false, budget: limits.runCount) else {
        if hasVerdict { return }
        text += "; not all with \(bound) preemptions"
        break
      }
      if bound == limits.preemptionCount { text += "; all with up to \(bound) preemptions" }
    }
    var generator = SplitMix(seed: limits.seed)
    for _ in 0..<limits.randomCount {
      let course = Course(.random(SplitMix(seed: generator.next())))
      if try await isOver(after: try await run(course)) { return }
    }
    text += "; \(limits.randomCount) by chance from seed \(limits.seed)"
    conclude(.bounded(text))
  }

  private var hasVerdict: Bool { if case .proved = exploration.verdict { false } else { true } }

  /// Searches depth first. True when everything within the bound was tried and nothing was wrong.
  private mutating func isSearchOver(
    bound: Int?, usesSleep: Bool, budget: Int
  ) async throws -> Bool {
    var given: [Course.Node]? = []
    var count = 0
    while let nodes = given {
      guard count < budget else { return false }
      count += 1
      var course = Course(.straight, given: nodes)
      (course.bound, course.usesSleep) = (bound, usesSleep)
      var done = try await run(course)
      if try await isOver(after: done) { return false }
      if count % max(1, limits.repeatEvery) == 1, try await isUnsteady(done) { return false }
      if done.course.isRedundant { exploration.redundantCount += 1 }
      given = done.course.next()
    }
    return true
  }

  /// Keeps the verdict when a run was wrong or out of control; true then.
  private mutating func isOver(after done: Run) async throws -> Bool {
    if let stray = done.stray {
      exploration.verdict = .uncontrolled(stray)
      return true
    }
    if let divergence = done.course.divergence {
      exploration.verdict = .uncontrolled("the same beginning went on differently: " + divergence)
      return true
    }
    // A redundant run's end must have been seen by the runs that make it redundant.
    if !done.course.isRedundant { exploration.ends.insert(done.end) }
    if done.violations.isEmpty { return false }
    exploration.verdict = .failed(try await failure(done))
    return true
  }

  /// True when the same order leads to something else.
  private mutating func isUnsteady(_ done: Run) async throws -> Bool {
    let labels = Schedule(done.course.decisions).steps
    let again = try await run(Course(.straight, wanted: labels))
    if try await isOver(after: again) { return true }
    if again.end == done.end, again.course.decisions == done.course.decisions { return false }
    exploration.verdict = .uncontrolled(
      "the same order was run twice and went differently: \(done.end), then \(again.end)")
    return true
  }

  /// Runs some orders by chance: an end that the search has not seen means that steps touch more
  /// than they say.
  private mutating func isSampleDifferent() async throws -> Bool {
    guard exploration.redundantCount > 0 || usesTouches else { return false }
    var generator = SplitMix(seed: limits.seed)
    for _ in 0..<min(100, limits.randomCount) {
      let seen = exploration.ends
      let done = try await run(Course(.random(SplitMix(seed: generator.next()))))
      if try await isOver(after: done) { return true }
      guard seen.contains(done.end) else {
        exploration.verdict = .uncontrolled(
          "an order by chance ended as no other did, so steps touch more than they say: "
            + "\(done.end) by \(Schedule(done.course.decisions))")
        return true
      }
    }
    return false
  }

  private var usesTouches = false

  private mutating func conclude(_ verdict: Exploration.Verdict) {
    let missing = unmet.subtracting(met).sorted()
    exploration.verdict = missing.isEmpty ? verdict : .vacuous(missing)
  }

  // MARK: One run

  mutating func replay(_ schedule: Schedule) async throws {
    let done = try await run(Course(.straight, wanted: schedule.steps))
    if let stray = done.stray ?? done.course.divergence {
      exploration.verdict = .uncontrolled("the given schedule does not fit: " + stray)
    } else if done.violations.isEmpty {
      exploration.verdict = .replayed
    } else {
      let made = Schedule(done.course.decisions)
      exploration.verdict = .failed(
        Exploration.Failure(
          violations: done.violations, schedule: made, minimal: made, events: done.events))
    }
  }

  /// The failure, with an order that has fewer changes of turn if one breaks the same rule.
  private mutating func failure(_ done: Run) async throws -> Exploration.Failure {
    let rules = Set(done.violations.map(\.rule))
    var best = done
    var place = 0
    for _ in 0..<200 {
      let decisions = best.course.decisions.filter(\.isReal)
      guard let next = decisions[place...].firstIndex(where: { $0.chosen != 0 }) else { break }
      place = next + 1
      // Whoever went on goes on, and the rest of the order follows.
      let kept = decisions[..<next].map(\.choice.label) + [decisions[next].options[0].label]
      let rest = decisions[next...].map(\.choice.label)
      let attempt = try await run(Course(.following(rest), wanted: kept))
      let isAsBad = !rules.isDisjoint(with: attempt.violations.map(\.rule))
      guard attempt.stray == nil, attempt.course.divergence == nil, isAsBad else { continue }
      guard Self.changes(attempt) < Self.changes(best) else { continue }
      (best, place) = (attempt, 0)
    }
    return Exploration.Failure(
      violations: best.violations, schedule: Schedule(done.course.decisions),
      minimal: Schedule(best.course.decisions), events: best.events)
  }

  private static func changes(_ run: Run) -> Int {
    run.course.decisions.count { $0.isReal && $0.chosen != 0 }
  }

  private mutating func run(_ course: Course) async throws -> Run {
    try Task.checkCancellation()
    let stage = Stage(course, threads: threads, stepLimit: limits.stepCount)
    let world = World(stage)
    try await build(world)
    let limits = limits
    let ending = try await WorkerThread.run { () throws(SettleError) -> Stage.Ending in
      stage.play(window: limits.stepDuration, grace: limits.grace)
    }
    var failures = [Violation]()
    if ending == .finished {
      for look in world.contents.ends {
        do { try await look(world.trace) } catch { failures.append(Self.violation(of: error)) }
      }
    }
    let (parts, result, events) = (world.contents, stage.result, world.trace.events)
    failures += parts.failures
    if case .stuck(let names) = ending {
      failures.append(Self.stuck(names, events))
    } else {
      failures += parts.rules.judge(events).violations
    }
    note(parts, result.reached, events)
    exploration.runCount += 1
    exploration.stepCount += result.course.decisions.count
    if result.course.decisions.contains(where: { $0.options.contains { $0.touches != nil } }) {
      usesTouches = true
    }
    var stray = result.stray
    if case .uncontrolled(let who) = ending { stray = who }
    return Run(
      course: result.course, violations: failures, events: events,
      end: Self.end(events, parts.visibles), stray: stray)
  }

  private static func violation(of error: any Error) -> Violation {
    Violation(rule: "atEnd", message: quoted(Array("\(error)".utf8)), witnesses: [])
  }

  private static func stuck(_ names: [String], _ events: [TraceEvent]) -> Violation {
    let last = events.last.map { [Violation.Witness(number: events.count, event: $0)] } ?? []
    return Violation(
      rule: "everybodyEnds",
      message: "nobody can go on, and these have not ended: " + names.joined(separator: ", "),
      witnesses: last)
  }

  /// Remembers what must happen sometimes, and what did.
  private mutating func note(_ parts: World.Parts, _ reached: Set<String>, _ events: [TraceEvent]) {
    if parts.participantCount == 0 { unmet.insert("a participant") }
    for hope in parts.hopes {
      unmet.insert(hope.name)
      if !met.contains(hope.name), hope.isMet(events) { met.insert(hope.name) }
    }
    for checkpoint in parts.checkpoints {
      let name = "checkpoint " + checkpoint
      unmet.insert(name)
      if reached.contains(checkpoint) { met.insert(name) }
    }
  }

  /// How a run ended, for comparison: outcomes, completions and what the world tells.
  private static func end(_ events: [TraceEvent], _ visibles: [String]) -> String {
    let ends = events.compactMap { event -> String? in
      switch event.kind {
      case .outcome: "\(event.item ?? "run") \(event.name)"
      case .completion: "\(event.item ?? "run") told"
      case .target, .leftover, .recovered: "\(event.item ?? "") \(event.kind) \(event.name)"
      default: nil
      }
    }
    return (ends.sorted() + visibles.sorted()).joined(separator: ", ")
  }
}
