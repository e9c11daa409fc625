import Foundation
import SettleCore
import Synchronization

/// Step graphs against `OperationQueue` and a task group.
///
/// Ours is measured from the start of a run to its report, its graph built before; so are the
/// peers, whose operations are made before. The targets are those stated for the build machine,
/// as parts of what its `OperationQueue` took: 2.6 µs for an independent step, 11 µs in a chain.
/// `SETTLE_BENCH_STEPS` makes every graph smaller, to see that all of it works.
enum GraphBenchmarks {
  /// All of them.
  static let all: [Benchmark] =
    [1, 2].flatMap { workers in
      [
        Benchmark(name: "graph.independent.\(workers)") {
          try independent(workers: workers, against: .operationQueue)
        },
        Benchmark(name: "graph.independent.\(workers).group") {
          try independent(workers: workers, against: .taskGroup)
        },
        Benchmark(name: "graph.independent.\(workers).timed") {
          try independent(workers: workers, against: .operationQueue, recordsTimes: true)
        },
      ]
    } + [
      Benchmark(name: "graph.chain") { try chain(reversed: false) },
      Benchmark(name: "graph.chain.reversed") { try chain(reversed: true) },
      Benchmark(name: "graph.chain.order", run: chainOrder),
      Benchmark(name: "graph.fan", run: fan),
      Benchmark(name: "graph.flat", run: flat),
      Benchmark(name: "graph.memory", run: memory),
      Benchmark(name: "graph.cancel", run: cancel),
    ]

  private enum Peer {
    case operationQueue, taskGroup

    var name: String { self == .operationQueue ? "OperationQueue" : "task group" }
    /// What it took on the build machine before the project started.
    var microseconds: Double { self == .operationQueue ? 2.6 : 1.1 }
  }

  private static let runs = 5

  /// How many steps a graph gets.
  private static func size(_ count: Int) throws -> Int {
    min(count, try environmentCount("SETTLE_BENCH_STEPS") ?? count)
  }

  // MARK: Independent steps

  /// The peers do not know when a step began and ended, so ours is asked for that only when the
  /// name says so.
  private static func independent(
    workers: Int, against peer: Peer, recordsTimes: Bool = false
  ) throws -> Measurement {
    let (ourCount, peerCount) = (try size(1_000_000), try size(100_000))
    let graph = try independentSteps(ourCount)
    var options = GraphOptions(workers: workers)
    options.recordsTimes = recordsTimes
    let suffix = recordsTimes ? ".timed" : peer == .taskGroup ? ".group" : ""
    let result = try medians(runs: runs) {
      try time(of: graph, options)
    } peer: {
      switch peer {
      case .operationQueue: operations(peerCount, workers: workers)
      case .taskGroup: childTasks(peerCount)
      }
    }
    return Measurement(
      name: "graph.independent.\(workers)" + suffix,
      ours: result.ours, peer: peer.name, peerValue: result.peer, unit: "ns/step",
      targetRatio: (workers == 1 ? 0.1 : 0.3) / peer.microseconds, runs: runs)
  }

  private static func independentSteps(_ count: Int) throws -> Graph {
    var builder = GraphBuilder()
    builder.reserveCapacity(count)
    for _ in 0..<count { builder.add { _ in } }
    return try builder.build()
  }

  private static func operations(_ count: Int, workers: Int) -> Double {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = workers
    let operations = (0..<count).map { _ in BlockOperation {} }
    return nanoseconds(per: count) {
      queue.addOperations(operations, waitUntilFinished: true)
    }
  }

  private static func childTasks(_ count: Int) -> Double {
    waiting {
      let clock = ContinuousClock()
      let began = clock.now
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask {} }
      }
      return began.duration(to: clock.now) / .nanoseconds(count)
    }
  }

  // MARK: Chains and fans

  /// 20,000 steps, each after the one before, or added the other way around. Building the graph
  /// is measured, too, because that is where an order could cost.
  private static func chain(reversed: Bool) throws -> Measurement {
    let (ourCount, peerCount) = (try size(20_000), try size(reversed ? 2_000 : 20_000))
    let result = try medians(runs: runs) {
      try nanoseconds(per: ourCount) { try runChain(ourCount, reversed: reversed) }
    } peer: {
      operationChain(peerCount, reversed: reversed)
    }
    // The peer's figure for the reversed chain grows with its length, so the target is that of
    // the chain in order.
    return Measurement(
      name: reversed ? "graph.chain.reversed" : "graph.chain", ours: result.ours,
      peer: "OperationQueue" + (reversed ? ", 2,000 steps" : ""), peerValue: result.peer,
      unit: "ns/step", targetRatio: 0.4 / 11, runs: runs)
  }

  /// The same chain added in reverse and in order, in turn: no order costs more than the other.
  /// Both are measured in processor time, which other programs of the machine disturb less.
  private static func chainOrder() throws -> Measurement {
    let (count, repeats, runs) = (try size(20_000), 5, 15)
    func cost(reversed: Bool) throws -> Double {
      try processorNanoseconds(per: count * repeats) {
        for _ in 0..<repeats { try runChain(count, reversed: reversed) }
      }
    }
    let result = try medians(runs: runs) {
      try cost(reversed: true)
    } peer: {
      try cost(reversed: false)
    }
    return Measurement(
      name: "graph.chain.order", ours: result.ours, peer: "added in order",
      peerValue: result.peer, unit: "ns/step", targetRatio: 1.1, runs: runs)
  }

  private static func runChain(_ count: Int, reversed: Bool) throws {
    var builder = GraphBuilder()
    let steps = (0..<count).map { _ in builder.add { _ in } }
    for (first, second) in zip(steps, steps.dropFirst()) {
      if reversed {
        builder.need(first, after: second)
      } else {
        builder.need(second, after: first)
      }
    }
    try run(builder.build(), GraphOptions(workers: 2))
  }

  private static func operationChain(_ count: Int, reversed: Bool) -> Double {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let operations = (0..<count).map { _ in BlockOperation {} }
    return nanoseconds(per: count) {
      for (first, second) in zip(operations, operations.dropFirst()) {
        if reversed { first.addDependency(second) } else { second.addDependency(first) }
      }
      queue.addOperations(operations, waitUntilFinished: true)
    }
  }

  /// One step before 50,000 others, and one after them, building included. The target is that of
  /// independent steps with two workers, which is what all but two of them are.
  private static func fan() throws -> Measurement {
    let (ourCount, peerCount) = (try size(50_000), try size(5_000))
    let result = try medians(runs: runs) {
      let clock = ContinuousClock()
      let began = clock.now
      var builder = GraphBuilder()
      let first = builder.add { _ in }
      let middle = (0..<ourCount).map { _ in builder.add(after: [first]) { _ in } }
      builder.add(after: middle) { _ in }
      try run(builder.build(), GraphOptions(workers: 2))
      return began.duration(to: clock.now) / .nanoseconds(ourCount)
    } peer: {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 2
      let (first, last) = (BlockOperation {}, BlockOperation {})
      let middle = (0..<peerCount).map { _ in BlockOperation {} }
      for operation in middle {
        operation.addDependency(first)
        last.addDependency(operation)
      }
      return nanoseconds(per: peerCount) {
        queue.addOperations([first] + middle + [last], waitUntilFinished: true)
      }
    }
    return Measurement(
      name: "graph.fan", ours: result.ours, peer: "OperationQueue, 5,000 steps",
      peerValue: result.peer, unit: "ns/step", targetRatio: 0.3 / 2.6, runs: runs)
  }

  // MARK: Size

  /// A step among 1,000, among 100,000 and among 1,000,000 costs the same. Each size is repeated
  /// until as many steps were run, and measured in processor time.
  private static func flat() throws -> Measurement {
    let sizes = try [1_000, 100_000, 1_000_000].map(size)
    let graphs = try sizes.map(independentSteps)
    let total = try size(1_000_000)
    var costs = sizes.map { _ in [Double]() }
    for _ in 0..<runs {
      for (place, graph) in graphs.enumerated() {
        let repeats = total / sizes[place]
        costs[place].append(
          try processorNanoseconds(per: sizes[place] * repeats) {
            for _ in 0..<repeats { try run(graph, GraphOptions(workers: 1)) }
          })
      }
    }
    let medians = costs.map { $0.sorted()[runs / 2] }
    guard let most = medians.max(), let least = medians.min() else {
      throw BenchmarkFault(description: "graph.flat: nothing was measured")
    }
    let all = zip(sizes, medians).map { "\($0): \(Int($1.rounded()))" }.joined(separator: ", ")
    return Measurement(
      name: "graph.flat", ours: most, peer: "the cheapest of (\(all))", peerValue: least,
      unit: "ns/step", targetRatio: 2, runs: runs)
  }

  /// Memory of a graph of 1,000,000 steps, each after another one, and of its finished run.
  private static func memory() throws -> Measurement {
    let count = try size(1_000_000)
    let before = try residentBytes()
    var builder = GraphBuilder()
    builder.reserveCapacity(count)
    var last: StepID?
    for _ in 0..<count {
      let step = builder.add { _ in }
      if let previous = last { builder.need(step, after: previous) }
      last = step
    }
    let graph = try builder.build()
    let run = graph.start(GraphOptions(workers: 2))
    let report = waiting { await run.report }
    let after = try residentBytes()
    guard report.counts.succeeded == count else {
      throw BenchmarkFault(description: "graph.memory: steps are missing")
    }
    withExtendedLifetime((graph, run)) {}
    return Measurement(
      name: "graph.memory", ours: Double(after - before) / Double(count), peer: "stated limit",
      peerValue: 150, unit: "bytes/step", targetRatio: 1, runs: 1)
  }

  /// Resident bytes after free memory was given back, so that earlier benchmarks do not count.
  private static func residentBytes() throws -> Int {
    typealias Trim = @convention(c) (Int) -> Int32
    if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .ascii)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else {
      throw BenchmarkFault(description: "graph.memory: /proc/self/statm cannot be read")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  // MARK: Cancelling

  /// From the call to the end of the run, with 10,000 steps that wait.
  private static func cancel() throws -> Measurement {
    let count = try size(10_000)
    let graph = try independentSteps(count)
    let result = try medians(runs: runs) {
      var options = GraphOptions(workers: 2)
      options.startsPaused = true
      let run = graph.start(options)
      let clock = ContinuousClock()
      let began = clock.now
      run.cancel()
      let report = waiting { await run.report }
      guard report.counts.cancelled == count else {
        throw BenchmarkFault(description: "graph.cancel: steps were not cancelled")
      }
      return began.duration(to: clock.now) / .milliseconds(1)
    } peer: {
      100
    }
    return Measurement(
      name: "graph.cancel", ours: result.ours, peer: "stated limit", peerValue: result.peer,
      unit: "ms", targetRatio: 1, runs: runs)
  }

  // MARK: Helpers

  private static func time(of graph: Graph, _ options: GraphOptions) throws -> Double {
    try nanoseconds(per: graph.stepCount) { try run(graph, options) }
  }

  /// Runs a graph to its report.
  private static func run(_ graph: Graph, _ options: GraphOptions) throws {
    let run = graph.start(options)
    let report = waiting { await run.report }
    guard report.counts.succeeded == graph.stepCount else {
      throw BenchmarkFault(description: "graph: steps are missing")
    }
  }

  /// Runs something asynchronous from the benchmark's own thread.
  private static func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    let (holder, done) = (Holder<Value>(), DispatchSemaphore(value: 0))
    Task {
      let value = await body()
      holder.value.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = holder.value.withLock({ $0 }) else {
      preconditionFailure("the value is there before the signal")
    }
    return value
  }

  private final class Holder<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}
