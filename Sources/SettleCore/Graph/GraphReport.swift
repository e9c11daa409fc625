/// What became of one step.
public struct StepReport: Sendable {
  /// The step.
  public var name: String
  /// How it ended; nil when the run was shut down before it did.
  public var outcome: Outcome?
  /// How often its body was entered; attempts that a shutdown took back are not counted.
  public var attempts: Int
  /// When its last attempt began, from the start of the run; nil when it never ran,
  /// and without ``GraphOptions/recordsTimes``.
  public var startedAt: Duration?
  /// When it got its outcome, from the start of the run; nil without
  /// ``GraphOptions/recordsTimes``.
  public var endedAt: Duration?
  /// The error of the last attempt that failed, as the body threw it.
  public var error: (any Error)?
  /// Why it was not taken over from the earlier run; nil when it was, or when nothing was resumed.
  public var rerunReason: RerunReason?
}

/// What became of a run, once nothing of it works any more.
public struct GraphReport: Sendable {
  /// The run.
  public let run: RunID
  /// How it ended; `waiting` when it was shut down with steps left to do.
  public var state: RunState { machine.state }
  /// Steps by outcome.
  public var counts: OutcomeCounts { machine.counts }
  /// How long it took, until every call to an observer of its steps had returned.
  public let duration: Duration
  /// Late or impossible messages that were refused (RUN-10).
  public var rejectedEvents: Int { machine.rejectedEvents }

  let graph: GraphStorage
  let machine: RunMachine
  let records: StepRecords
  let outputs: [Int32: any Sendable]

  /// The report on each step, in the order in which the graph lists them.
  public var steps: StepReports { StepReports(report: self) }

  /// The report on the step of a name.
  public subscript(name: String) -> StepReport? {
    graph.names.step(named: name).map { steps[$0] }
  }

  /// The result of a step that succeeded, when no other step of the graph needs it. Results that
  /// others need are let go when the last of these has its outcome.
  public func output<Output: Sendable>(of step: Step<Output>) -> Output? {
    guard let place = graph.names.step(named: step.name) else { return nil }
    if let output = outputs[Int32(place)] as? StepOutput<Output> { return output.value }
    guard Output.self == Void.self, machine.state(of: place) == .succeeded else { return nil }
    return () as? Output
  }

  /// The steps that failed themselves: why others were skipped.
  public var rootCauses: [StepReport] { steps.filter { $0.outcome?.kind == .failed } }

  /// The steps that are done, with their contents: keep them for ``GraphOptions/finished`` of a
  /// later process. Steps without a name of their own or without an identity are not among them.
  public var finished: [String: ContentIdentity] {
    var finished: [String: ContentIdentity] = [:]
    for step in graph.bodies.indices where wasDone(step) {
      guard let name = graph.names.ownName(of: step) else { continue }
      finished[name] = graph.identity(of: step)
    }
    return finished
  }

  /// The names of the steps that a shutdown left to do (RUN-13).
  public var unfinished: [String] {
    machine.counts.settled == graph.bodies.count
      ? [] : steps.filter { $0.outcome == nil }.map(\.name)
  }
}

/// The reports on all steps of a run, made when they are looked at.
public struct StepReports: RandomAccessCollection, Sendable {
  let report: GraphReport

  /// The first place.
  public var startIndex: Int { 0 }
  /// The place after the last.
  public var endIndex: Int { report.graph.bodies.count }
  /// The report on the step at a place.
  public subscript(place: Int) -> StepReport {
    report.records.report(on: place, report.machine.state(of: place), report.graph.names)
  }
}
