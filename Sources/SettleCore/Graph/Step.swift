/// A piece of work in a ``Graph``: a body, and the steps whose results it needs.
///
/// ```swift
/// let page = Step("fetch", weight: 30) { context in try await download(url) }
/// let text = Step("convert", weight: 70, after: page) { context, page in convert(page) }
/// let run = try Graph { page; text }.start()
/// ```
///
/// The body returns its result; returning is the commit, unless it called
/// ``StepContext/commit(_:)`` before. It is entered only when every step that it names succeeded,
/// and gets their results (RUN-3).
public struct Step<Output: Sendable>: Sendable {
  /// The name, unique in its graph.
  public var name: String { node.name }
  let node: StepNode

  /// Makes a step that gets the results of `steps`, which may be of different types.
  public init<each Input: Sendable>(
    _ name: String, weight: Int64 = 1, priority: StepPriority = .normal,
    retry: RetryPolicy = .never, timeout: Duration? = nil, resources: [String] = [],
    identity: ContentIdentity? = nil, after steps: repeat Step<each Input>,
    body:
      nonisolated(nonsending) @escaping @Sendable (StepContext, repeat each Input) async throws ->
      Output
  ) {
    let options = StepOptions(
      weight: weight, priority: priority, retry: retry, timeout: timeout, resources: resources,
      identity: identity)
    var needs: [StepNode] = []
    repeat needs.append((each steps).node)
    node = StepNode(name, options, needs: needs, hasOutput: Output.self != Void.self) { inputs in
      { context in
        let cursor = InputCursor(inputs)
        context.keep(
          try await body(context, repeat context.take((each Input).self, from: cursor.next())))
      }
    }
  }

  /// Makes a step that gets the results of any number of steps of one type, in their order.
  public init<Input: Sendable>(
    _ name: String, afterAll steps: [Step<Input>], options: StepOptions = StepOptions(),
    body: nonisolated(nonsending) @escaping @Sendable (StepContext, [Input]) async throws -> Output
  ) {
    let hasOutput = Output.self != Void.self
    node = StepNode(name, options, needs: steps.map(\.node), hasOutput: hasOutput) { inputs in
      { context in
        let values = inputs.map { context.take(Input.self, from: $0) }
        context.keep(try await body(context, values))
      }
    }
  }
}

/// What runs in a graph; throws to fail.
typealias StepBody = nonisolated(nonsending) @Sendable (StepContext) async throws -> Void

/// A body in a structure: arrays keep bare functions in a form that costs a call more.
struct StoredBody: Sendable {
  let call: StepBody
}

/// A step without its type. Its identity is what dependents name.
final class StepNode: Sendable {
  let name: String
  let options: StepOptions
  // nonisolated(unsafe): changed only while the step is released, when nobody else has it.
  nonisolated(unsafe) private(set) var needs: [StepNode]
  let hasOutput: Bool
  /// Makes the body for a graph in which the needed steps have these places.
  let makeBody: @Sendable ([Int32]) -> StepBody

  init(
    _ name: String, _ options: StepOptions, needs: [StepNode], hasOutput: Bool = true,
    makeBody: @escaping @Sendable ([Int32]) -> StepBody
  ) {
    self.name = name
    self.options = options
    self.needs = needs
    self.hasOutput = hasOutput
    self.makeBody = makeBody
  }

  /// Releases long chains one by one: each step releasing the next would overflow the stack.
  deinit {
    var open = needs
    needs = []
    while var node = open.popLast() {
      guard isKnownUniquelyReferenced(&node) else { continue }
      open += node.needs
      node.needs = []
    }
  }
}

/// Hands out the places of the needed steps, one after the other.
private final class InputCursor {
  private var inputs: ArraySlice<Int32>

  init(_ inputs: [Int32]) { self.inputs = inputs[...] }

  func next() -> Int32 { inputs.removeFirst() }
}
