/// Steps and which waits for which: checked when it is made, and never changed afterwards (RUN-5).
///
/// A graph can be started any number of times; every start is a run of its own.
public struct Graph: Sendable {
  let storage: GraphStorage

  init(_ storage: GraphStorage) { self.storage = storage }

  /// Makes a graph of the steps that `steps` lists. `limits` gives each named resource its permits.
  ///
  /// - Throws: `duplicateName`; `foreignEdge` when a step needs one that is not listed; and what
  ///   ``GraphBuilder/build()`` throws.
  public init(
    limits: [String: Int] = [:], @GraphContent _ steps: () throws -> [AnyStep]
  ) throws {
    try self.init(limits: limits, steps: steps())
  }

  /// Makes a graph of listed steps.
  public init(limits: [String: Int] = [:], steps: [AnyStep]) throws(SettleError) {
    var places: [ObjectIdentifier: Int32] = [:]
    for (place, step) in steps.enumerated() {
      guard places.updateValue(Int32(place), forKey: ObjectIdentifier(step.node)) == nil else {
        throw SettleError(.duplicateName, subject: Array(step.node.name.utf8))
      }
    }
    var builder = GraphBuilder(limits: limits)
    var ids: [StepID] = []
    var inputs: [[Int32]] = []
    var edges: [(Int, Int32)] = []
    for (place, step) in steps.enumerated() {
      var needed: [Int32] = []
      for node in step.node.needs {
        guard let found = places[ObjectIdentifier(node)] else {
          throw SettleError(
            .foreignEdge, subject: Array(step.node.name.utf8), detail: "it needs \(node.name)")
        }
        needed.append(found)
        edges.append((place, found))
      }
      inputs.append(needed)
      let body = step.node.makeBody(needed)
      ids.append(builder.add(step.node.name, options: step.node.options, body: body))
    }
    for (step, dependency) in edges { builder.need(ids[step], after: ids[Int(dependency)]) }
    storage = try builder.build(inputs: inputs, hasOutput: steps.map(\.node.hasOutput))
  }

  /// How many steps it has.
  public var stepCount: Int { storage.bodies.count }

  /// The names of its steps, in the order in which they were listed.
  public var stepNames: [String] { (0..<stepCount).map { storage.names[$0] } }
}

/// A step without the type of its result.
public struct AnyStep: Sendable {
  let node: StepNode

  /// Forgets the type.
  public init<Output: Sendable>(_ step: Step<Output>) { node = step.node }
}

/// Lists steps in the braces of ``Graph``; loops and conditions work.
@resultBuilder
public enum GraphContent {
  /// One step.
  public static func buildExpression<Output: Sendable>(_ step: Step<Output>) -> [AnyStep] {
    [AnyStep(step)]
  }

  /// Steps that were listed elsewhere.
  public static func buildExpression(_ steps: [AnyStep]) -> [AnyStep] { steps }

  /// Several.
  public static func buildBlock(_ parts: [AnyStep]...) -> [AnyStep] { parts.flatMap(\.self) }

  /// Those of a loop.
  public static func buildArray(_ parts: [[AnyStep]]) -> [AnyStep] { parts.flatMap(\.self) }

  /// Those of a condition that may be false.
  public static func buildOptional(_ part: [AnyStep]?) -> [AnyStep] { part ?? [] }

  /// Those of one branch.
  public static func buildEither(first part: [AnyStep]) -> [AnyStep] { part }

  /// Those of the other branch.
  public static func buildEither(second part: [AnyStep]) -> [AnyStep] { part }
}

/// What a graph is made of; shared by all its runs.
final class GraphStorage: Sendable {
  struct Parts: Sendable {
    var names: StepNames
    var links: StepLinks
    var demands: StepDemands
    var bodies: [StoredBody]
    var optionSets: [StepOptions]
    var optionOfStep: [Int32]
    var totalWeight: Int64
    var inputs: [[Int32]]
    var hasOutput: [Bool]
    var identities: [ContentIdentity?]
  }

  let names: StepNames
  let links: StepLinks
  let demands: StepDemands
  let bodies: [StoredBody]
  let totalWeight: Int64
  /// The steps whose results each step gets; empty when no step gets any.
  let inputs: [[Int32]]
  private let hasOutputs: [Bool]
  private let identities: [ContentIdentity?]
  private let optionSets: [StepOptions]
  private let weights: [Int64]
  private let optionOfStep: [Int32]
  /// True when no step has a time limit.
  let hasNoTimeouts: Bool

  init(_ parts: Parts) {
    names = parts.names
    links = parts.links
    demands = parts.demands
    bodies = parts.bodies
    totalWeight = parts.totalWeight
    inputs = parts.inputs.allSatisfy(\.isEmpty) ? [] : parts.inputs
    hasOutputs = parts.hasOutput
    identities = parts.identities
    optionSets = parts.optionSets
    weights = parts.optionSets.map(\.weight)
    optionOfStep = parts.optionOfStep
    hasNoTimeouts = parts.optionSets.allSatisfy { $0.timeout == nil }
  }

  /// True when a step gives a result.
  func hasOutput(_ step: Int) -> Bool { !hasOutputs.isEmpty && hasOutputs[step] }

  /// What a step works on, if that is known.
  func identity(of step: Int) -> ContentIdentity? { identities.isEmpty ? nil : identities[step] }

  /// The options of a step, without its identity.
  func options(of step: Int) -> StepOptions {
    optionSets[optionOfStep.isEmpty ? 0 : Int(optionOfStep[step])]
  }

  /// The weight of a step.
  func weight(of step: Int) -> Int64 {
    weights[optionOfStep.isEmpty ? 0 : Int(optionOfStep[step])]
  }
}
