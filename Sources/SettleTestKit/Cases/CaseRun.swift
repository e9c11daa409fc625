import SettleCore
import SettleFiles

/// One run of a case: asks for the batch, drives it, looks, and judges.
struct CaseRun<Adapter: BatchAdapter>: Sendable {
  /// What keeps a case from an answer.
  private enum Obstacle: Error {
    case inconclusive(String)
  }

  let scenario: Scenario
  let adapter: Adapter
  /// Where the test asks for it.
  let asker: (file: String, line: Int)
  let kit = TestKit()
  let request: BatchRequest

  init(
    _ scenario: Scenario, _ adapter: Adapter, _ folder: BytePath,
    _ asker: (file: String, line: Int)
  ) {
    self.scenario = scenario
    self.adapter = adapter
    self.asker = asker
    request = BatchRequest(scenario.items, folder: folder, kit: kit)
  }

  /// Runs the case. Whatever is still held at its end goes on.
  func result() async -> CaseResult {
    defer { kit.parking.openAll() }
    do {
      let batch = try await awaited("the batch to be prepared") {
        try await adapter.prepare(request)
      }
      try await drive(batch)
      let files = try await look(batch)
      let actual = CaseEnd(files, kit.trace.events, itemCount: request.items.count)
      let rules = kit.trace.judge(.settle.without("durableOnceReported"))
      try await reopen(batch)
      let durable = kit.trace.judge(RuleSet([.durableOnceReported]))
      return judged(actual, rules.violations + durable.violations)
    } catch Obstacle.inconclusive(let reason) {
      return CaseResult(scenario, .inconclusive(reason), events: kit.trace.events)
    } catch let failure as WaitFailure {
      let story = "\(failure)\n" + unsettled()
      return CaseResult(scenario, .hung(story), events: kit.trace.events)
    } catch {
      return CaseResult(scenario, .inconclusive("\(error)"), events: kit.trace.events)
    }
  }

  private func judged(_ actual: CaseEnd, _ broken: [Violation]) -> CaseResult {
    var result = CaseResult(scenario, .asExpected, events: kit.trace.events)
    result.actual = actual
    let comparison = CaseComparison(scenario: scenario, events: result.events)
    result.violations = comparison.violations(actual) + broken
    if !result.violations.isEmpty { result.verdict = .notAsExpected }
    if let failure = kit.parking.failures.first { result.verdict = .hung("\(failure)") }
    return result
  }

  /// The items that have no outcome, as a sentence.
  private func unsettled() -> String {
    let ended = Set(kit.trace.events.filter { $0.kind == .outcome }.compactMap(\.item))
    let open = request.items.map { String($0.number) }.filter { !ended.contains($0) }
    return open.isEmpty
      ? "every item has an outcome"
      : "without an outcome: item " + open.joined(separator: ", item ")
  }

  // MARK: Driving

  /// Starts the batch, cancels it where the case says, and waits for its end.
  private func drive(_ batch: PreparedBatch) async throws {
    for item in request.items {
      var started = TraceEvent(.started, item: String(item.number))
      started.needs = item.needs.map(String.init)
      kit.trace.record(started)
    }
    let held = heldCheckpoint
    let gate = held.map { kit.gate($0) }
    if scenario.cancelPlace == .beforeStart { try await cancel(batch, comesInTime: true) }
    let end = Ending(kit.parking)
    let task = Task(executorPreference: ThreadExecutor.shared) {
      do {
        try await batch.run()
        end.come(nil)
      } catch {
        end.come(error)
      }
    }
    do {
      if let gate {
        try await arrive(gate, orEnd: end)
        try await cancel(batch, comesInTime: scenario.cancelPlace != .afterCommit)
        gate.open()
      }
      try await end.wait(goal("the batch to end"))
    } catch {
      task.cancel()
      throw error
    }
    if scenario.cancelPlace == .afterCommit, held == nil {
      try await cancel(batch, comesInTime: false)
    }
  }

  /// The checkpoint at which the case holds the work.
  private var heldCheckpoint: String? {
    switch scenario.cancelPlace {
    case nil, .beforeStart: nil
    case .processing: adapter.checkpoints.processing
    case .beforeCommit: adapter.checkpoints.beforeCommit
    case .afterCommit: adapter.checkpoints.afterCommit
    }
  }

  /// Waits until work is held; when the batch ends instead, the checkpoint is not in the code.
  private func arrive(_ gate: Gate, orEnd end: Ending) async throws {
    let name = quoted(Array(gate.name.utf8))
    let place = end.gate
    let arrived = try await kit.parking.waitAside(for: goal("work to come to \(name)")) { state in
      if state.gates[gate.name]?.arrivals.isEmpty == false { return true }
      return state.gates[place]?.arrivals.isEmpty == false ? false : nil
    }
    if arrived { return }
    try await end.wait(goal("the batch to end"))
    throw Obstacle.inconclusive(
      "the batch ended and nothing came to the checkpoint \(name); reach it in your code, or name "
        + "yours in the adapter's checkpoints")
  }

  /// Asks for the cancel. Where the code says nothing, what it promises is taken from the case.
  private func cancel(_ batch: PreparedBatch, comesInTime: Bool) async throws {
    // With one item the cancel is about that one, which is judged more sharply.
    let item = request.items.count == 1 ? "0" : nil
    kit.trace.record(.cancelAsked, item: item)
    let answer = try await awaited("the cancel to be answered") { await batch.cancel() }
    guard let told = answer ?? (comesInTime ? .accepted : nil) else { return }
    kit.trace.record(.cancelAnswered, item: item, name: told.rawValue)
  }

  // MARK: Looking

  private func look(_ batch: PreparedBatch) async throws -> BatchFiles {
    let files = try await awaited("the look at the files") { try await batch.look() }
    kit.trace.record(.examined, detail: (files.folder ?? request.folder).description)
    for item in request.items {
      let word: [BatchResult: String] = [.absent: "old", .whole: "new", .damaged: "mixed"]
      kit.trace.record(
        .target, item: String(item.number), name: word[files.result(item.number)] ?? "")
    }
    for name in files.leftovers { kit.trace.record(.leftover, detail: name) }
    return files
  }

  /// Looks again after everything was opened anew: what has succeeded must still be there.
  private func reopen(_ batch: PreparedBatch) async throws {
    let succeeded = Set(
      kit.trace.events.filter { $0.kind == .outcome && $0.name == "succeeded" }.compactMap(\.item))
    for item in succeeded.sorted() { kit.trace.record(.reported, item: item) }
    kit.trace.record(.restart)
    let files = try await awaited("everything to be opened anew") {
      try await batch.reopen()
      return try await batch.look()
    }
    for item in request.items where succeeded.contains(String(item.number)) {
      let word: [BatchResult: String] = [.absent: "absent", .whole: "present", .damaged: "changed"]
      kit.trace.record(
        .recovered, item: String(item.number), name: word[files.result(item.number)] ?? "")
    }
  }

  // MARK: Waiting

  private func goal(_ text: String) -> Goal {
    .test("\(text) (\(scenario.name))", asker.file, asker.line, adapter.waitLimit)
  }

  /// Runs a call of the adapter in a task of its own, so that one that never returns is left
  /// behind when the time is over.
  private func awaited<Value: Sendable>(
    _ what: String, _ call: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let box = Monitor<Result<Value, any Error>?>(nil)
    let task = Task(executorPreference: ThreadExecutor.shared) {
      do {
        let value = try await call()
        box.withLock { $0 = .success(value) }
      } catch {
        box.withLock { $0 = .failure(error) }
      }
    }
    let result: Result<Value, any Error>
    do {
      result = try await kit.parking.waitAside(for: goal(what), on: box) { $0 }
    } catch {
      task.cancel()
      throw error
    }
    do { return try result.get() } catch {
      throw Obstacle.inconclusive("while waiting for \(what), the adapter threw: \(error)")
    }
  }
}
