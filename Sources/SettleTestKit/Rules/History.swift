import SettleCore

/// An item of a run, or (without item) the run.
struct Scope: Hashable {
  var run: String
  var item: String?

  /// The run that it belongs to.
  var whole: Scope { Scope(run: run, item: nil) }
}

/// A trace with the indexes that the rules share. A pure function of the events.
struct History {
  /// An event and its place, from 0.
  typealias Entry = (index: Int, event: TraceEvent)

  let events: [TraceEvent]
  /// Scopes in the order of their first event.
  private(set) var scopes: [Scope] = []
  private var itemsByRun: [String: [Scope]] = [:]
  private var places: [Scope: [TraceEvent.Kind: [Int]]] = [:]
  private(set) var restarts: [Int] = []

  init(_ events: [TraceEvent]) {
    self.events = events
    for (index, event) in events.enumerated() {
      if event.kind == .restart {
        restarts.append(index)
        continue
      }
      let scope = Scope(run: event.run, item: event.item)
      if places[scope] == nil {
        scopes.append(scope)
        if scope.item != nil { itemsByRun[scope.run, default: []].append(scope) }
      }
      places[scope, default: [:]][event.kind, default: []].append(index)
    }
  }

  /// Places of the events of a kind about a scope.
  func indices(_ kind: TraceEvent.Kind, _ scope: Scope) -> [Int] {
    places[scope]?[kind] ?? []
  }

  /// The items of a run, in the order of their first event.
  func items(of run: String) -> [Scope] { itemsByRun[run] ?? [] }

  /// The first such event.
  func first(_ kind: TraceEvent.Kind, _ scope: Scope) -> Int? {
    places[scope]?[kind]?.first
  }

  /// All events of a kind.
  func all(_ kind: TraceEvent.Kind) -> [Entry] {
    events.enumerated().filter { $0.element.kind == kind }.map { ($0.offset, $0.element) }
  }

  /// The scope of an event.
  func scope(_ index: Int) -> Scope {
    Scope(run: events[index].run, item: events[index].item)
  }

  /// True when what a scope owes at its end was cut off by a restart: one came after it began, and
  /// the run that it is part of had not paid the same debt.
  func isCutOff(_ began: Int, _ scope: Scope, owing kind: TraceEvent.Kind) -> Bool {
    guard let restart = restarts.last, restart > began else { return false }
    return scope.item == nil || first(kind, scope.whole) == nil
  }

  /// True when everything was opened anew between two places.
  func isParted(_ first: Int, _ second: Int) -> Bool {
    restarts.contains { $0 > first && $0 < second }
  }

  /// Where a cancellation that covers a scope was answered with accepted, the earliest.
  func accepted(_ scope: Scope) -> Int? {
    let own = indices(.cancelAnswered, scope)
    let all = scope.item == nil ? own : own + indices(.cancelAnswered, scope.whole)
    return all.filter { events[$0].name == CancelAnswer.accepted.rawValue }.min()
  }

  /// Where a commit began to be decided: at its question, when that was recorded.
  func beginning(ofCommit index: Int) -> Int {
    let scope = scope(index)
    let before = indices(.commit, scope).last { $0 < index } ?? -1
    return indices(.commitAsked, scope).last { $0 < index && $0 > before } ?? index
  }

  /// A violation with the events at some places as witnesses.
  func violation(_ rule: String, _ message: String, _ indices: [Int]) -> Violation {
    Violation(
      rule: rule, message: message,
      witnesses: Set(indices).sorted().map { .init(number: $0 + 1, event: events[$0]) })
  }
}
