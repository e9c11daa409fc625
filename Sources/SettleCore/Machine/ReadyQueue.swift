/// What steps need beside the steps they wait for: a lane of priority, and permits of resources.
package struct StepDemands: Sendable {
  /// The lane of each step, 0 first; empty when there is only one.
  package var lanes: [UInt8] = []
  /// How many lanes there are.
  package var laneCount = 1
  /// How many permits each resource has.
  package var limits: [Int32] = []
  /// Which of `sets` each step needs; empty when no step needs a resource.
  package var setOfStep: [Int32] = []
  /// Sets of resources; a step takes one permit of each.
  package var sets: [[Int32]] = []

  /// Steps that need nothing.
  package init() {}

  /// The lane of a step.
  @inline(__always)
  func lane(of step: Int) -> Int { lanes.isEmpty ? 0 : Int(lanes[step]) }

  /// The resources of a step.
  @inline(__always)
  func resources(of step: Int) -> [Int32] {
    setOfStep.isEmpty ? [] : sets[Int(setOfStep[step])]
  }
}

/// Steps whose dependencies have succeeded, by lane and then in the order in which they became so,
/// and the permits of the resources that they need.
///
/// A step that lacks a permit is parked at that resource and comes back when one is returned, so
/// that nothing is ever scanned. Invariant: while a resource has a free permit, no step is parked
/// at it unless another step that needs it is in a lane.
struct ReadyQueue: Sendable {
  private let demands: StepDemands
  private var lanes: [StepLine]
  private var free: [Int32]
  private var parked: [StepLine]

  init(_ links: StepLinks, _ demands: StepDemands) {
    self.demands = demands
    lanes = Array(repeating: StepLine(), count: max(1, demands.laneCount))
    free = demands.limits
    parked = Array(repeating: StepLine(), count: demands.limits.count)
    let counts = links.dependencyCounts
    if demands.lanes.isEmpty {
      lanes[0] = StepLine(
        (0..<Int32(links.stepCount)).filter { counts.isEmpty || counts[Int($0)] == 0 })
    } else {
      for step in 0..<links.stepCount where counts.isEmpty || counts[step] == 0 { append(step) }
    }
  }

  /// True when no step is in a lane.
  @inline(__always)
  var isEmpty: Bool {
    for lane in lanes where !lane.isEmpty { return false }
    return true
  }

  /// Free permits of each resource.
  var freePermits: [Int32] { free }

  /// Takes the first step of the first lane that has one.
  mutating func popFirst() -> Int? {
    for lane in lanes.indices {
      if let step = lanes[lane].popFirst() { return Int(step) }
    }
    return nil
  }

  /// Puts a step at the end of its lane.
  mutating func append(_ step: Int) { lanes[demands.lane(of: step)].append(Int32(step)) }

  /// True when every permit that the step needs is free.
  func hasPermits(for step: Int) -> Bool {
    if free.isEmpty { return true }
    return demands.resources(of: step).allSatisfy { free[Int($0)] > 0 }
  }

  /// Takes the permits of a step; when one is missing, parks the step at it and answers false.
  mutating func takePermits(for step: Int) -> Bool {
    if free.isEmpty { return true }
    let resources = demands.resources(of: step)
    if let missing = resources.first(where: { free[Int($0)] <= 0 }) {
      parked[Int(missing)].append(Int32(step))
      for resource in resources where resource != missing { offer(resource) }
      return false
    }
    for resource in resources { free[Int(resource)] -= 1 }
    return true
  }

  /// Returns the permits of a step that no longer runs.
  mutating func returnPermits(of step: Int) {
    if free.isEmpty { return }
    for resource in demands.resources(of: step) {
      free[Int(resource)] += 1
      offer(resource)
    }
  }

  /// A step left a lane without running: what it stood for goes to those who are parked.
  mutating func drop(_ step: Int) {
    if free.isEmpty { return }
    for resource in demands.resources(of: step) { offer(resource) }
  }

  private mutating func offer(_ resource: Int32) {
    guard free[Int(resource)] > 0, let step = parked[Int(resource)].popFirst() else { return }
    lanes[demands.lane(of: Int(step))].prepend(step)
  }
}

/// First in, first out.
private struct StepLine: Sendable {
  private var steps: [Int32]
  private var head = 0

  init(_ steps: [Int32] = []) { self.steps = steps }

  var isEmpty: Bool { head == steps.count }

  mutating func popFirst() -> Int32? {
    guard head < steps.count else { return nil }
    let step = steps[head]
    head += 1
    if head == steps.count {
      steps.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 4_096, head * 2 > steps.count {
      steps.removeFirst(head)
      head = 0
    }
    return step
  }

  mutating func append(_ step: Int32) { steps.append(step) }

  mutating func prepend(_ step: Int32) {
    if head > 0 {
      head -= 1
      steps[head] = step
    } else {
      steps.insert(step, at: 0)
    }
  }
}
