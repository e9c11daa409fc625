import CSettleSystem
import SettleCore

/// What a plan throws at a named point.
public struct InjectedFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation that it hit.
  public var point: FaultPoint
  /// The system's error number; nil for a crash.
  public var number: Int32?

  /// A fault at a point.
  public init(_ point: FaultPoint, number: Int32?) {
    self.point = point
    self.number = number
  }

  /// `injected at upload, item 3: error 28 (No space left on device)`.
  public var description: String {
    let what = number.map { "error \($0) (\(String(cString: strerror($0))))" }
    return "injected at \(point): " + (what ?? "the process has crashed")
  }
}

/// A probe whose named points fail by a plan. Everything else goes to another probe.
///
/// The code under test says `try probe.fault(Checkpoint("upload", item: 3))` before it uploads.
public struct FaultProbe: Probe {
  private let plan: FaultPlan?
  private let base: any Probe

  /// A probe for a plan; without one, each point asks the plan of its task (``FaultPlan/current``).
  public init(_ plan: FaultPlan? = nil, base: any Probe = NoProbe()) {
    self.plan = plan
    self.base = base
  }

  /// Hands the event on.
  public func event(_ event: ProbeEvent) { base.event(event) }

  /// Hands the arrival on.
  public func reach(_ checkpoint: Checkpoint) { base.reach(checkpoint) }

  /// Throws what the plan says: ``InjectedFault``, or the error that was planned.
  public func fault(_ point: Checkpoint) throws {
    try base.fault(point)
    let asked = FaultPoint(point.name, item: point.item)
    switch (plan ?? FaultPlan.current)?.ask(asked, at: .point) {
    case .error(let number): throw InjectedFault(asked, number: number)
    case .throwing(let error): throw error
    case .crash: throw InjectedFault(asked, number: nil)
    case .short, .held, .delayed, nil: return
    }
  }
}

extension TestKit {
  /// The kit's probe whose named points also fail by a plan.
  public func probe(failing plan: FaultPlan) -> any Probe { FaultProbe(plan, base: probe) }
}
