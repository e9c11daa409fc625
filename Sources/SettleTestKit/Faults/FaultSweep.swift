import CSettleSystem
import SettleCore
import Synchronization

/// Runs a scenario again and again, each time with another operation failing, until a run in which
/// no fault fires.
///
/// ```swift
/// let report = await FaultSweep().run { run in
///   let folder = …
///   let result = await run.attempt {
///     try await save(to: folder, probe: run.probe)
///   }
///   guard … else { throw Torn() }
/// }
/// print(report)
/// try report.requirePassed()
/// ```
///
/// Only what runs inside of `attempt` can fail; what comes after it judges, by throwing. The events
/// of the run are judged by the rules, too.
public struct FaultSweep: Sendable {
  /// What happens to the operation whose turn it is.
  public struct Trouble: Sendable {
    /// The effect.
    public var effect: FaultEffect
    /// True when all operations after it have the same trouble.
    public var isForever: Bool

    /// One operation fails, and the next one works again.
    public static func once(_ effect: FaultEffect) -> Trouble {
      Trouble(effect: effect, isForever: false)
    }

    /// From one operation on, all fail.
    public static func forever(_ effect: FaultEffect) -> Trouble {
      Trouble(effect: effect, isForever: true)
    }
  }

  /// Each of them is swept on its own: an error that passes, and a disk that stays full.
  public var troubles: [Trouble] = [.once(.error(EIO)), .forever(.noSpace)]
  /// Kinds of operations, each swept on its own; nil: all operations in one row.
  public var kinds: [String]?
  /// Rules that judge the events of each run.
  public var rules = RuleSet.settle
  /// More runs than this end the sweep, and it has not passed.
  public var runLimit = 10_000

  /// All operations in one row, with an error that passes and a disk that stays full.
  public init() {}

  /// Does it. The body is called once for each fault, and then once more.
  public func run(_ body: (SweptRun) async throws -> Void) async -> SweepReport {
    var report = SweepReport()
    for trouble in troubles {
      for kind in kinds?.map(Optional.some) ?? [nil] {
        await sweep(trouble, kind, &report, body)
        guard report.isComplete else { return report }
      }
    }
    let came = Set(report.firedRuns.compactMap { $0.fired?.point.kind })
    report.kindsWithoutFault = Set(kinds ?? []).subtracting(came)
    return report
  }

  /// One row: the 1st, 2nd, 3rd … operation, until there is none of that number.
  private func sweep(
    _ trouble: Trouble, _ kind: String?, _ report: inout SweepReport,
    _ body: (SweptRun) async throws -> Void
  ) async {
    for number in 1... {
      guard report.runs.count < runLimit else {
        report.isComplete = false
        return
      }
      let fault: PlannedFault =
        kind.map { .at($0, number, trouble.effect, forever: trouble.isForever) }
        ?? .atAny(number, trouble.effect, forever: trouble.isForever)
      let run = await judged(SweptRun(fault), body)
      report.runs.append(run)
      if run.fired == nil && run.obstacle == nil { return }
    }
  }

  private func judged(
    _ run: SweptRun, _ body: (SweptRun) async throws -> Void
  ) async -> SweepReport.Run {
    var problems: [String] = []
    do {
      try await body(run)
    } catch {
      problems.append("\(error)")
    }
    let state = run.state
    do throws(KitFailure) {
      try run.kit.finish(rules)
    } catch {
      problems.append("\(error)")
    }
    if state.attemptCount == 0 { problems.append("nothing was attempted") }
    if state.fired == nil, let error = state.error {
      problems.append("failed although nothing was injected: \(error)")
    }
    return SweepReport.Run(
      fault: run.fault, fired: state.fired, obstacle: state.obstacle, error: state.error,
      wasNoticed: state.error != nil || run.hasFailedOutcome, problems: problems)
  }
}

/// One run of a sweep: its plan, its kit, and the part of it that may fail.
public final class SweptRun: Sendable {
  struct State: Sendable {
    var attemptCount = 0
    var fired: FiredFault?
    var obstacle: String?
    var error: String?
  }

  /// What may fail in this run.
  public let fault: PlannedFault
  /// The plan for the code under test. Empty but inside of `attempt`.
  public let plan = FaultPlan()
  /// The kit of this run.
  public let kit = TestKit()
  private let mutex = Mutex(State())

  init(_ fault: PlannedFault) { self.fault = fault }

  /// A probe for the code under test: records, holds at gates, and fails by the plan.
  public var probe: any Probe { kit.probe(failing: plan) }

  /// Runs what may fail. The fault is planned before it and lifted after it; the plan is also bound
  /// to the task as ``FaultPlan/current``.
  public func attempt<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async -> Result<Value, any Error> {
    begin()
    let result: Result<Value, any Error>
    do {
      result = .success(
        try await FaultPlan.$current.withValue(plan) { try await body() })
    } catch { result = .failure(error) }
    end(result)
    return result
  }

  /// The same for code that does not wait.
  public func attemptBlocking<Value>(_ body: () throws -> Value) -> Result<Value, any Error> {
    begin()
    let result = Result { try FaultPlan.$current.withValue(plan) { try body() } }
    end(result)
    return result
  }

  var state: State { mutex.withLock { $0 } }

  /// True when the code under test recorded a failed outcome.
  var hasFailedOutcome: Bool {
    kit.trace.events.contains { $0.kind == .outcome && $0.name == "failed" }
  }

  private func begin() {
    let isFirst = mutex.withLock { state in
      state.attemptCount += 1
      return state.attemptCount == 1
    }
    precondition(isFirst, "a run of a sweep has one attempt")
    plan.add(fault)
  }

  private func end(_ result: Result<some Any, any Error>) {
    let fired = plan.fired.first
    let obstacle = plan.unfired.first { $0.isImpossible }?.reason
    plan.lift()
    mutex.withLock { state in
      state.fired = fired
      state.obstacle = obstacle
      if case .failure(let error) = result { state.error = "\(error)" }
    }
  }
}
