import Synchronization

/// Names a step while its graph is being built.
public struct StepID: Sendable, Hashable {
  let builder: UInt32
  let index: Int32
}

/// Builds a ``Graph`` of the size of data: a step costs a few words, and names may be left out.
///
/// ```swift
/// var builder = GraphBuilder()
/// for photo in photos {
///   let original = builder.add { context in … }
///   builder.add(after: [original]) { context in … }
/// }
/// let graph = try builder.build()
/// ```
public struct GraphBuilder: Sendable {
  /// How many permits each named resource has; a step takes one of each that it names.
  public var limits: [String: Int]

  /// Whose steps are known: up to which place each serial number counts. The last one is our own.
  private var lineage: [(serial: UInt32, end: Int32)]
  /// Shared by copies of a builder, which go separate ways from their next step on.
  private var identity = Identity()
  private(set) var bodies: [StoredBody] = []
  private var names: [String] = []
  private var optionSets: [StepOptions] = [StepOptions()]
  private var optionOfStep: [Int32] = []
  private var identities: [ContentIdentity?] = []
  private var needingSteps: [Int32] = []
  private var neededSteps: [Int32] = []
  private var problem: SettleError?

  /// An empty graph in the making.
  public init(limits: [String: Int] = [:]) {
    self.limits = limits
    lineage = [(Self.makeSerial(), .max)]
  }

  private final class Identity: Sendable {}

  private static let serials = Atomic<UInt32>(0)

  private static func makeSerial() -> UInt32 {
    serials.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// A copy gets a number of its own, so that its new steps are not taken for those of the other.
  private mutating func partFromCopies() {
    if isKnownUniquelyReferenced(&identity) { return }
    identity = Identity()
    lineage[lineage.count - 1].end = Int32(bodies.count)
    lineage.append((Self.makeSerial(), .max))
  }

  private func knows(_ step: StepID) -> Bool {
    lineage.contains { $0.serial == step.builder && step.index < $0.end }
  }

  /// How many steps it has.
  public var stepCount: Int { bodies.count }

  /// Makes room for a number of steps.
  public mutating func reserveCapacity(_ count: Int) { bodies.reserveCapacity(count) }

  /// Adds a step. A step without a name is shown by its place.
  @discardableResult
  public mutating func add(
    _ name: String? = nil, options: StepOptions? = nil, after needed: [StepID] = [],
    body: nonisolated(nonsending) @escaping @Sendable (StepContext) async throws -> Void
  ) -> StepID {
    partFromCopies()
    let step = StepID(builder: lineage[lineage.count - 1].serial, index: Int32(bodies.count))
    bodies.append(StoredBody(call: body))
    if let name {
      while names.count < bodies.count - 1 { names.append("") }
      names.append(name)
    } else if !names.isEmpty {
      names.append("")
    }
    choose(options)
    for dependency in needed { need(step, after: dependency) }
    return step
  }

  /// Lets a step wait for another one, whichever was added first.
  public mutating func need(_ step: StepID, after dependency: StepID) {
    guard knows(step), knows(dependency) else {
      let known = knows(step) ? step : dependency
      let text = knows(known) ? name(of: known.index) : "a step of another graph"
      return refuse(SettleError(.foreignEdge, subject: Array(text.utf8)))
    }
    guard step.index != dependency.index else {
      return refuse(SettleError(.selfEdge, subject: Array(name(of: step.index).utf8)))
    }
    needingSteps.append(step.index)
    neededSteps.append(dependency.index)
  }

  /// Keeps the first problem for ``build()``.
  mutating func refuse(_ error: SettleError) { problem = problem ?? error }

  private func name(of step: Int32) -> String {
    StepNames.shown(names.isEmpty ? "" : names[Int(step)], place: Int(step))
  }

  private mutating func choose(_ options: StepOptions?) {
    // Kept apart, because each is different and the other options are few.
    var options = options
    if let identity = options?.identity {
      while identities.count < bodies.count - 1 { identities.append(nil) }
      identities.append(identity)
      options?.identity = nil
    } else if !identities.isEmpty {
      identities.append(nil)
    }
    if options == nil, optionOfStep.isEmpty { return }
    // Loops alternate between few kinds, so the last ones are looked through.
    let chosen = options ?? optionSets[0]
    var set = optionSets.suffix(8).lastIndex(of: chosen) ?? (chosen == optionSets[0] ? 0 : -1)
    if set < 0 {
      set = optionSets.count
      optionSets.append(chosen)
    }
    guard set > 0 || !optionOfStep.isEmpty else { return }
    while optionOfStep.count < bodies.count - 1 { optionOfStep.append(0) }
    optionOfStep.append(Int32(set))
  }

  /// Checks the whole and freezes it.
  ///
  /// - Throws: `cycle` with its path, `duplicateName`, `selfEdge`, `foreignEdge`,
  ///   `unknownResource`, `weightExceedsTotal` for weights that are negative or too large (RUN-5).
  public consuming func build() throws(SettleError) -> Graph {
    try Graph(build(inputs: [], hasOutput: []))
  }

  consuming func build(
    inputs: [[Int32]], hasOutput: [Bool]
  ) throws(SettleError) -> GraphStorage {
    if let problem { throw problem }
    let names = try StepNames(names, stepCount: bodies.count)
    let links =
      needingSteps.isEmpty
      ? StepLinks(independent: bodies.count)
      : StepLinks(stepCount: bodies.count, steps: needingSteps, dependencies: neededSteps)
    if let cycle = GraphCheck.cycle(in: links, steps: needingSteps, dependencies: neededSteps) {
      let path = cycle.map { names[$0] }.joined(separator: " -> ")
      throw SettleError(.cycle, subject: Array(names[cycle[0]].utf8), detail: path)
    }
    let weight = try GraphCheck.totalWeight(optionSets, optionOfStep, stepCount: bodies.count)
    let demands = try GraphCheck.demands(optionSets, optionOfStep, limits: limits)
    var bodies = bodies
    if bodies.capacity > bodies.count + bodies.count / 8 { bodies = Array(bodies.map { $0 }) }
    return GraphStorage(
      .init(
        names: names, links: links, demands: demands, bodies: bodies, optionSets: optionSets,
        optionOfStep: optionOfStep, totalWeight: weight, inputs: inputs,
        hasOutput: hasOutput, identities: identities))
  }
}
