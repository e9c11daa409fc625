import SettleCore

/// Work that came to a gate.
public struct GateArrival: Sendable, Hashable {
  /// The gate's name.
  public var gate: String
  /// Which arrival of its generation it is, from 1.
  public var number: Int
  /// The gate's generation at that moment, from 1.
  public var generation: Int
  /// The item that the work is about, or -1.
  public var item: Int

  /// An arrival at a gate, for comparison.
  public init(gate: String, number: Int, generation: Int, item: Int = -1) {
    self.gate = gate
    self.number = number
    self.generation = generation
    self.item = item
  }
}

/// A gate's own state, inside the parking table's lock.
struct GateState: Sendable {
  var generation = 1
  var arrivals: [GateArrival] = []
  var isOpen = false
  /// Releases that no arrival has used yet.
  var permits = 0
  var released: Set<Int> = []

  /// True when the work may go on. Uses up a permit when that is what lets it.
  mutating func letsPass(_ arrival: GateArrival) -> Bool {
    if isOpen || arrival.generation != generation || released.contains(arrival.number) {
      return true
    }
    guard permits > 0 else { return false }
    permits -= 1
    return true
  }
}

/// A named place where work stops until the test lets it go on.
///
/// Latched: an arrival or a release that comes before anybody waits for it is not lost. Counted:
/// the third arrival can be told from the second. Stamped: after ``renew()`` arrivals count from 1
/// again, and a release meant for an older generation does nothing. Every wait has a limit and
/// fails with the table of who waits where.
public struct Gate: Sendable {
  /// The gate's name: the checkpoint's.
  public let name: String
  /// The table of who waits where.
  public let parking: Parking

  /// A closed gate. Gates of one name and one table are the same gate.
  public init(_ name: String, in parking: Parking = Parking()) {
    self.name = name
    self.parking = parking
    parking.monitor.withLock { state in
      if state.gates[name] == nil { state.gates[name] = GateState() }
    }
  }

  // MARK: The work's side

  /// Arrives and waits until it is let go. Throws ``WaitFailure``, or a cancellation of the task.
  public func pass(item: Int = -1, within limit: Duration = .waitLimit) async throws {
    let arrival = arrive(item)
    try await parking.waitAside(for: goal(arrival, limit)) { $0.letsPass(arrival) }
  }

  /// The same for threads and operations. Traps on a task's thread, which must never block.
  public func passBlocking(
    item: Int = -1, within limit: Duration = .waitLimit
  ) throws(WaitFailure) {
    let arrival = arrive(item)
    try parking.wait(for: goal(arrival, limit)) { $0.letsPass(arrival) }
  }

  private func arrive(_ item: Int) -> GateArrival {
    change { gate in
      let arrival = GateArrival(
        gate: name, number: gate.arrivals.count + 1, generation: gate.generation, item: item)
      gate.arrivals.append(arrival)
      return arrival
    }
  }

  private func goal(_ arrival: GateArrival, _ limit: Duration) -> Goal {
    let who = arrival.item < 0 ? "the run" : "item \(arrival.item)"
    let stamp = ", arrival \(arrival.number) of generation \(arrival.generation)"
    return Goal(
      text: "gate \(shownName) to let it go",
      waiter: ParkedWaiter(role: .held, place: "at gate \(shownName)", who: who + stamp),
      limit: limit)
  }

  // MARK: The test's side

  /// Waits until work has arrived so many times, and returns that arrival. At once when it has.
  @discardableResult
  public func waitForArrival(
    _ number: Int = 1, within limit: Duration = .waitLimit, file: String = #fileID,
    line: Int = #line
  ) async throws -> GateArrival {
    let name = name
    return try await parking.waitAside(for: .test(goalText(number), file, line, limit)) {
      $0.gates[name].flatMap { number <= $0.arrivals.count ? $0.arrivals[number - 1] : nil }
    }
  }

  /// The same for tests that run on threads. Traps on a task's thread.
  @discardableResult
  public func waitForArrivalBlocking(
    _ number: Int = 1, within limit: Duration = .waitLimit, file: String = #fileID,
    line: Int = #line
  ) throws(WaitFailure) -> GateArrival {
    let name = name
    return try parking.wait(for: .test(goalText(number), file, line, limit)) {
      $0.gates[name].flatMap { number <= $0.arrivals.count ? $0.arrivals[number - 1] : nil }
    }
  }

  /// Waits until the work on one item has arrived.
  @discardableResult
  public func waitForArrival(
    ofItem item: Int, within limit: Duration = .waitLimit, file: String = #fileID,
    line: Int = #line
  ) async throws -> GateArrival {
    let name = name
    let goal = Goal.test("item \(item) at gate \(shownName)", file, line, limit)
    return try await parking.waitAside(for: goal) {
      $0.gates[name]?.arrivals.first { $0.item == item }
    }
  }

  /// Lets so many go that are held, or come later.
  public func release(_ count: Int = 1) {
    precondition(count > 0, "a release lets at least one go")
    change { $0.permits += count }
  }

  /// Lets one certain arrival go. False, and nothing happens, when it is of an older generation.
  @discardableResult
  public func release(_ arrival: GateArrival) -> Bool {
    change { gate in
      guard arrival.gate == name, arrival.generation == gate.generation else { return false }
      gate.released.insert(arrival.number)
      return true
    }
  }

  /// Lets everybody go, now and later.
  public func open() { change { $0.isOpen = true } }

  /// Holds again whoever comes from now on.
  public func close() { change { $0.isOpen = false } }

  /// Begins a new generation: who is held goes on, and arrivals count from 1 again.
  public func renew() {
    change { gate in
      let generation = gate.generation + 1
      gate = GateState()
      gate.generation = generation
    }
  }

  /// What has arrived in this generation, in order.
  public var arrivals: [GateArrival] { change { $0.arrivals } }

  private var shownName: String { quoted(Array(name.utf8)) }

  private func goalText(_ number: Int) -> String {
    precondition(number > 0, "arrivals count from 1")
    return "arrival \(number) at gate \(shownName)"
  }

  @discardableResult
  private func change<Result>(_ body: (inout GateState) -> Result) -> Result {
    parking.monitor.withLock { body(&$0.gates[name, default: GateState()]) }
  }
}

extension Parking.State {
  /// The gate's answer to work that waits: a value when it may go on.
  fileprivate mutating func letsPass(_ arrival: GateArrival) -> Void? {
    gates[arrival.gate, default: GateState()].letsPass(arrival) ? () : nil
  }
}
