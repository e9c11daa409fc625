import SettleCore

/// How one run chooses: a beginning that is given, then a way of going on; and what it met.
struct Course: Sendable {
  /// What is chosen after the given beginning.
  enum Way: Sendable {
    /// Whoever went on last goes on, without what sleeps; preemptions cost and may be limited.
    case straight
    /// Any.
    case random(SplitMix)
    /// These participants' steps in this order where they are possible.
    case following([String])
  }

  /// A step of the search tree that this run goes through.
  struct Node: Sendable {
    var decision: Decision
    /// Steps that need not be tried here, because another order of independent steps covers them.
    var sleep: [Choice]
    /// What was tried here before.
    var tried: [Choice] = []
    /// Preemptions before this step.
    var preemptions: Int
  }

  var way: Way
  /// Preemptions that are allowed; nil: any number.
  var bound: Int?
  /// False: no step is left out.
  var usesSleep = true
  /// The steps that are given, then those that were met.
  private(set) var nodes: [Node]
  /// What the whole run did.
  private(set) var decisions: [Decision] = []
  /// Labels that must be chosen, and where that was not possible.
  private var wanted: [String]
  private(set) var divergence: String?
  /// True when everything that could go on was covered by other runs.
  private(set) var isRedundant = false
  /// True when a step was left out because of the bound.
  private(set) var isBounded = false
  private var last: String?
  private let given: Int

  init(_ way: Way, given: [Node] = [], wanted: [String] = []) {
    self.way = way
    self.wanted = wanted.reversed()
    nodes = given
    self.given = given.count
  }

  /// Chooses one of the options, whose order is the same in each run.
  mutating func choose(from options: [Choice]) -> Choice {
    let options = ordered(options)
    let place = decisions.count
    var chosen = 0
    if place < given, divergence == nil {
      chosen = replay(options, at: place)
    } else if options.count > 1, let label = wanted.popLast() {
      chosen = follow(label, options, at: place)
    } else {
      chosen = extend(options, at: place)
    }
    last = options[chosen].who
    decisions.append(Decision(options: options, chosen: chosen))
    return options[chosen]
  }

  /// The one that went on last stands first.
  private func ordered(_ options: [Choice]) -> [Choice] {
    guard let last, let place = options.firstIndex(where: { $0.who == last }) else {
      return options
    }
    var options = options
    options.insert(options.remove(at: place), at: 0)
    return options
  }

  private mutating func replay(_ options: [Choice], at place: Int) -> Int {
    let node = nodes[place]
    guard node.decision.options == options else {
      divergence =
        "step \(place + 1): \(Self.list(node.decision.options)) could go on before, now "
        + Self.list(options)
      return 0
    }
    return node.decision.chosen
  }

  private mutating func follow(_ label: String, _ options: [Choice], at place: Int) -> Int {
    if let found = options.firstIndex(where: { $0.label == label }) { return found }
    if divergence == nil {
      divergence =
        "step \(place + 1): \(quoted(Array(label.utf8))) could not go on, only "
        + Self.list(options)
    }
    return 0
  }

  private static func list(_ options: [Choice]) -> String {
    options.map(\.label).joined(separator: ", ")
  }

  private mutating func extend(_ options: [Choice], at place: Int) -> Int {
    switch way {
    case .random(var generator):
      let chosen = Int.random(in: 0..<options.count, using: &generator)
      way = .random(generator)
      return chosen
    case .following(var labels):
      guard options.count > 1 else { return 0 }
      // The next step of the list that is possible; those before it were made in another place.
      for (index, label) in labels.enumerated() {
        if let found = options.firstIndex(where: { $0.label == label }) {
          labels.removeSubrange(...index)
          way = .following(labels)
          return found
        }
      }
      return 0
    case .straight:
      guard divergence == nil, !isRedundant else { return 0 }
      return straight(options, at: place)
    }
  }

  private mutating func straight(_ options: [Choice], at place: Int) -> Int {
    let sleep = usesSleep ? sleepAfter(place) : []
    guard let chosen = options.firstIndex(where: { one in !sleep.contains { $0.who == one.who } })
    else {
      isRedundant = true
      return 0
    }
    nodes.append(
      Node(
        decision: Decision(options: options, chosen: chosen), sleep: sleep,
        preemptions: preemptionsAfter(place)))
    return chosen
  }

  /// What sleeps before step `place`: what slept or was tried before the step in front of it, and
  /// does not depend on what that step did.
  private func sleepAfter(_ place: Int) -> [Choice] {
    guard place > 0, place <= nodes.count else { return [] }
    let node = nodes[place - 1]
    return (node.sleep + node.tried).filter { $0.isIndependent(of: node.decision.choice) }
  }

  private func preemptionsAfter(_ place: Int) -> Int {
    guard place > 0, place <= nodes.count else { return 0 }
    return nodes[place - 1].preemptions + cost(place - 1, nodes[place - 1].decision.chosen)
  }

  /// One when the option takes the turn from who could have gone on.
  private func cost(_ place: Int, _ option: Int) -> Int {
    guard place > 0, option > 0 else { return 0 }
    let before = nodes[place - 1].decision.choice.who
    return nodes[place].decision.options[0].who == before ? 1 : 0
  }

  /// The beginning of the next run in the search; nil when all were made.
  mutating func next() -> [Node]? {
    while var node = nodes.popLast() {
      node.tried.append(node.decision.choice)
      nodes.append(node)
      let place = nodes.count - 1
      let candidate = node.decision.options.indices.first { option in
        let choice = node.decision.options[option]
        if node.tried.contains(where: { $0.who == choice.who }) { return false }
        if usesSleep, node.sleep.contains(where: { $0.who == choice.who }) { return false }
        if let bound, node.preemptions + cost(place, option) > bound {
          isBounded = true
          return false
        }
        return true
      }
      if let candidate {
        nodes[place].decision.chosen = candidate
        return nodes
      }
      nodes.removeLast()
    }
    return nil
  }
}

/// A small generator whose numbers depend on its seed only (Steele, Lea, Flood 2014: SplitMix64).
struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
