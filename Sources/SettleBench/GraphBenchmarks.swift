import Foundation
import SettleCore
import Synchronization

/// Step graphs against `OperationQueue` and a task group.
///
/// Ours is measured from the start of a run to its report, its graph built before; so are the
/// peers, whose operations are made before. The targets are those stated for the build machine,
/// as parts of what its `OperationQueue` took: 2.6 µs for an independent step, 11 µs in a chain.
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
      ]
    } + [
      Benchmark(name: "graph.chain") { try chain(reversed: false) },
      Benchmark(name: "graph.chain.reversed") { try chain(reversed: true) },
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

  // MARK: Independent steps

  private static func independent(workers: Int, against peer: Peer) throws -> Measurement {
    let (ourCount, peerCount) = (1_000_000, 100_000)
    let graph = try independentSteps(ourCount)
    let result = try medians(runs: runs) {
      try time(of: graph, workers: workers)
    } peer: {
      switch peer {
      case .operationQueue: operations(peerCount, workers: workers)
      case .taskGroup: childTasks(peerCount)
      }
    }
    return Measurement(
      name: "graph.independent.\(workers)" + (peer == .taskGroup ? ".group" : ""),
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
    let (ourCount, peerCount) = (20_000, reversed ? 2_000 : 20_000)
    let result = try medians(runs: runs) {
      let clock = ContinuousClock()
      let began = clock.now
      var builder = GraphBuilder()
      let steps = (0..<ourCount).map { _ in builder.add { _ in } }
      for (first, second) in zip(steps, steps.dropFirst()) {
        if reversed {
          builder.need(first, after: second)
        } else {
          builder.need(second, after: first)
        }
      }
      let graph = try builder.build()
      let built = began.duration(to: clock.now) / .nanoseconds(ourCount)
      return built + (try time(of: graph, workers: 2))
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

  /// One step before 50,000 others, and one after them.
  private static func fan() throws -> Measurement {
    let (ourCount, peerCount) = (50_000, 5_000)
    let result = try medians(runs: runs) {
      var builder = GraphBuilder()
      let first = builder.add { _ in }
      let middle = (0..<ourCount).map { _ in builder.add(after: [first]) { _ in } }
      builder.add(after: middle) { _ in }
      return try time(of: builder.build(), workers: 2)
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
      peerValue: result.peer, unit: "ns/step", targetRatio: 0.4 / 11, runs: runs)
  }

  // MARK: Size

  /// A step among 1,000,000 against a step among 1,000: the cost stays flat.
  private static func flat() throws -> Measurement {
    let (large, small) = (try independentSteps(1_000_000), try independentSteps(1_000))
    let result = try medians(runs: runs) {
      try time(of: large, workers: 1)
    } peer: {
      let times = try (0..<200).map { _ in try time(of: small, workers: 1) }
      return times.sorted()[times.count / 2]
    }
    return Measurement(
      name: "graph.flat", ours: result.ours, peer: "the same with 1,000 steps",
      peerValue: result.peer, unit: "ns/step", targetRatio: 2, runs: runs)
  }

  /// Memory of a graph of 1,000,000 steps, each after another one, and of its finished run.
  private static func memory() throws -> Measurement {
    let count = 1_000_000
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
    let graph = try independentSteps(10_000)
    let result = try medians(runs: runs) {
      var options = GraphOptions(workers: 2)
      options.startsPaused = true
      let run = graph.start(options)
      let clock = ContinuousClock()
      let began = clock.now
      run.cancel()
      let report = waiting { await run.report }
      guard report.counts.cancelled == 10_000 else {
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

  private static func time(of graph: Graph, workers: Int) throws -> Double {
    let clock = ContinuousClock()
    let began = clock.now
    let run = graph.start(GraphOptions(workers: workers))
    let report = waiting { await run.report }
    let duration = began.duration(to: clock.now)
    guard report.counts.succeeded == graph.stepCount else {
      throw BenchmarkFault(description: "graph: steps are missing")
    }
    return duration / .nanoseconds(graph.stepCount)
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
