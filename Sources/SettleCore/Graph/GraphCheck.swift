/// What is checked before a graph is frozen (RUN-5).
enum GraphCheck {
  /// A cycle, first step last again, each waiting for the next; nil when there is none.
  static func cycle(in links: StepLinks, steps: [Int32], dependencies: [Int32]) -> [Int]? {
    // Steps that were all added after what they need, or all before it, cannot be in a cycle.
    if zip(steps, dependencies).allSatisfy(>) || zip(steps, dependencies).allSatisfy(<) {
      return nil
    }
    var missing = links.dependencyCounts
    var free = missing.indices.filter { missing[$0] == 0 }
    while let step = free.popLast() {
      for dependent in links.dependents(of: step) {
        missing[Int(dependent)] -= 1
        if missing[Int(dependent)] == 0 { free.append(Int(dependent)) }
      }
    }
    guard let start = missing.firstIndex(where: { $0 > 0 }) else { return nil }
    // Every step that is left waits for another one that is left; following these comes around.
    var awaited: [Int: Int] = [:]
    for (step, dependency) in zip(steps, dependencies)
    where missing[Int(step)] > 0 && missing[Int(dependency)] > 0 {
      awaited[Int(step)] = Int(dependency)
    }
    var path: [Int] = []
    var places: [Int: Int] = [:]
    var step = start
    while places[step] == nil {
      places[step] = path.count
      path.append(step)
      step = awaited[step] ?? step
    }
    return Array(path[(places[step] ?? 0)...]) + [step]
  }

  /// The sum of all weights.
  static func totalWeight(
    _ sets: [StepOptions], _ ofStep: [Int32], stepCount: Int
  ) throws(SettleError) -> Int64 {
    guard sets.allSatisfy({ $0.weight >= 0 && $0.weight <= WorkCounter.limit }) else {
      throw SettleError(.weightExceedsTotal, detail: "a step's weight")
    }
    var total: Int64 = ofStep.isEmpty ? Int64(stepCount) * sets[0].weight : 0
    for set in ofStep {
      total += sets[Int(set)].weight
      guard total <= WorkCounter.limit else {
        throw SettleError(.weightExceedsTotal, detail: "the sum of all weights")
      }
    }
    return total
  }

  /// Lanes and resources in the machine's form.
  static func demands(
    _ sets: [StepOptions], _ ofStep: [Int32], limits: [String: Int]
  ) throws(SettleError) -> StepDemands {
    var demands = StepDemands()
    let names = limits.keys.sorted()
    demands.limits = names.map { Int32(clamping: limits[$0] ?? 0) }
    if let bad = names.first(where: { (limits[$0] ?? 0) < 1 }) {
      throw SettleError(.unknownResource, subject: Array(bad.utf8), detail: "it has no permits")
    }
    for set in sets {
      var resources: [Int32] = []
      for name in Set(set.resources).sorted() {
        guard let place = names.firstIndex(of: name) else {
          throw SettleError(.unknownResource, subject: Array(name.utf8))
        }
        resources.append(Int32(place))
      }
      demands.sets.append(resources)
    }
    if !ofStep.isEmpty {
      if sets.contains(where: { !$0.resources.isEmpty }) { demands.setOfStep = ofStep }
      if sets.contains(where: { $0.priority != .normal }) {
        demands.laneCount = StepPriority.allCases.count
        demands.lanes = ofStep.map { sets[Int($0)].priority.rawValue }
      }
    }
    return demands
  }
}

/// The names of a graph's steps, and where each is.
struct StepNames: Sendable {
  private let names: [String]
  /// Places plus one by hash, zero for none: open addressing, half full at most.
  private var table: [Int32] = []

  init(_ names: [String], stepCount: Int) throws(SettleError) {
    self.names = names
    let count = names.count { !$0.isEmpty }
    guard count > 0 else { return }
    var size = 4
    while size < count * 2 { size *= 2 }
    table = Array(repeating: 0, count: size)
    for (place, name) in names.enumerated() where !name.isEmpty {
      let slot = slot(of: name)
      guard table[slot] == 0 else {
        throw SettleError(.duplicateName, subject: Array(name.utf8))
      }
      guard !isPlaceOfUnnamed(name) else {
        throw SettleError(
          .duplicateName, subject: Array(name.utf8), detail: "a step without a name is shown so")
      }
      table[slot] = Int32(place) + 1
    }
  }

  /// True for `#3` when the third step has no name and is shown so.
  private func isPlaceOfUnnamed(_ name: String) -> Bool {
    guard name.hasPrefix("#"), let number = Int(name.dropFirst()) else { return false }
    let place = number - 1
    return names.indices.contains(place) && names[place].isEmpty
      && Self.shown("", place: place) == name
  }

  /// The name that a step was given; nil when it is only shown by its place.
  func ownName(of step: Int) -> String? {
    names.isEmpty || names[step].isEmpty ? nil : names[step]
  }

  /// The name of a step, or its place when it has none.
  subscript(step: Int) -> String { Self.shown(names.isEmpty ? "" : names[step], place: step) }

  /// The step of a name.
  func step(named name: String) -> Int? {
    guard !table.isEmpty, !name.isEmpty else { return nil }
    let found = table[slot(of: name)]
    return found == 0 ? nil : Int(found) - 1
  }

  /// Where a name is in the table, or the free slot where it would be.
  private func slot(of name: String) -> Int {
    var slot = name.hashValue & (table.count - 1)
    while table[slot] != 0, names[Int(table[slot]) - 1] != name {
      slot = (slot + 1) & (table.count - 1)
    }
    return slot
  }

  static func shown(_ name: String, place: Int) -> String {
    name.isEmpty ? "#\(place + 1)" : name
  }
}
