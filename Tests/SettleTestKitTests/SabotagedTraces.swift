import SettleCore
import SettleTestKit

/// A right trace that shows something to every rule, and ways to break it.
enum Traces {
  /// One item succeeds at its second attempt, one is cancelled at work, one before it starts.
  static let whole: [TraceEvent] = {
    var events: [TraceEvent] = []
    func add(
      _ kind: TraceEvent.Kind, _ item: String? = nil, _ name: String = "",
      _ change: (inout TraceEvent) -> Void = { _ in }
    ) {
      var event = TraceEvent(kind, item: item, name: name)
      change(&event)
      events.append(event)
    }
    add(.started) { $0.items = 3 }
    add(.started, "1")
    add(.started, "2") { $0.needs = ["1"] }
    add(.started, "3") { $0.needs = ["2"] }
    add(.progress) { ($0.fraction, $0.items) = (0, 0) }
    add(.entered, "1") { $0.attempt = 1 }
    add(.left, "1", "threw") { $0.attempt = 1 }
    add(.entered, "1") { $0.attempt = 2 }
    add(.refused, "1") { $0.attempt = 1 }
    add(.work, "1", "copy") { $0.attempt = 2 }
    add(.left, "1", "returned") { $0.attempt = 2 }
    add(.commitAsked, "1") { $0.attempt = 2 }
    add(.commit, "1") { $0.attempt = 2 }
    add(.effect, "1", "publish") { $0.attempt = 2 }
    add(.outcome, "1", "succeeded") { $0.attempt = 2 }
    add(.completion, "1")
    add(.reported, "1")
    add(.progress) { ($0.fraction, $0.items) = (0.4, 1) }
    add(.entered, "2") { $0.attempt = 1 }
    add(.cancelAsked)
    add(.cancelAnswered, nil, "accepted")
    add(.left, "2", "returned")
    add(.outcome, "2", "cancelled")
    add(.completion, "2")
    add(.outcome, "3", "cancelled")
    add(.completion, "3")
    add(.progress) { ($0.fraction, $0.items) = (0.4, 3) }
    add(.outcome, nil, "cancelled") {
      var counts = OutcomeCounts()
      (counts.succeeded, counts.cancelled) = (1, 2)
      $0.counts = counts
    }
    add(.completion)
    add(.examined) { $0.detail = "staging" }
    add(.target, "1", "new")
    add(.target, "2", "old")
    add(.restart)
    add(.recovered, "1", "present")
    return events
  }()

  /// One item that succeeds, nothing else said.
  static let small = [
    TraceEvent(.started), TraceEvent(.started, item: "1"), TraceEvent(.entered, item: "1"),
    TraceEvent(.left, item: "1", name: "returned"),
    TraceEvent(.outcome, item: "1", name: "succeeded"), TraceEvent(.completion, item: "1"),
    TraceEvent(.outcome, name: "succeeded"), TraceEvent(.completion),
  ]
}

/// A trace with one fault, and the rule that has to notice it.
struct BrokenTrace: Sendable, CustomStringConvertible {
  var description: String
  var rule: String
  var events: [TraceEvent]

  init(
    _ rule: String, _ description: String, _ events: [TraceEvent] = Traces.whole,
    _ change: (inout [TraceEvent]) -> Void
  ) {
    self.rule = rule
    self.description = description
    self.events = events
    change(&self.events)
  }

  static let all = endings + cancellations + numbers + files
}

extension [TraceEvent] {
  /// The place of the first event of a kind about an item.
  func place(_ kind: TraceEvent.Kind, _ item: String? = nil) -> Int {
    guard let index = firstIndex(where: { $0.kind == kind && $0.item == item }) else {
      preconditionFailure("no \(kind) of \(item ?? "the run")")
    }
    return index
  }

  mutating func repeatEvent(_ kind: TraceEvent.Kind, _ item: String? = nil) {
    let index = place(kind, item)
    insert(self[index], at: index)
  }

  mutating func drop(_ kind: TraceEvent.Kind, _ item: String? = nil) {
    remove(at: place(kind, item))
  }

  mutating func change(
    _ kind: TraceEvent.Kind, _ item: String? = nil, _ change: (inout TraceEvent) -> Void
  ) {
    change(&self[place(kind, item)])
  }

  mutating func put(
    _ event: TraceEvent, before kind: TraceEvent.Kind, _ item: String? = nil
  ) {
    insert(event, at: place(kind, item))
  }

  mutating func put(_ event: TraceEvent, after kind: TraceEvent.Kind, _ item: String? = nil) {
    insert(event, at: place(kind, item) + 1)
  }

  mutating func move(_ kind: TraceEvent.Kind, _ item: String?, before other: TraceEvent.Kind) {
    let event = remove(at: place(kind, item))
    insert(event, at: place(other, item))
  }

  mutating func move(_ kind: TraceEvent.Kind, _ item: String?, after other: TraceEvent.Kind) {
    let event = remove(at: place(kind, item))
    insert(event, at: place(other, item) + 1)
  }
}

extension BrokenTrace {
  fileprivate static let endings = [
    BrokenTrace("exactlyOneCompletion", "an item's end is notified twice") {
      $0.repeatEvent(.completion, "1")
    },
    BrokenTrace("exactlyOneCompletion", "the run's end is notified twice") {
      $0.repeatEvent(.completion)
    },
    BrokenTrace("exactlyOneCompletion", "an item's end is never notified") {
      $0.drop(.completion, "2")
    },
    BrokenTrace("exactlyOneCompletion", "nobody is ever told of anything", Traces.small) {
      $0.removeAll { $0.kind == .completion }
    },
    BrokenTrace("oneOutcome", "an item fails after it was cancelled") {
      $0.put(TraceEvent(.outcome, item: "2", name: "failed"), after: .outcome, "2")
    },
    BrokenTrace("oneOutcome", "an item hangs", Traces.small) { $0.drop(.outcome, "1") },
    BrokenTrace("oneOutcome", "the run hangs", Traces.small) { $0.drop(.outcome) },
    BrokenTrace("nothingAfterTerminal", "work goes on after the outcome") {
      $0.put(TraceEvent(.work, item: "1", name: "copy"), after: .outcome, "1")
    },
    BrokenTrace("nothingAfterTerminal", "a step ends before its body has returned") {
      $0.move(.left, "2", after: .outcome)
    },
    BrokenTrace("nothingAfterTerminal", "a body is entered after its item was cancelled") {
      $0.change(.started, "3") { $0.needs = [] }
      $0.put(TraceEvent(.entered, item: "3"), after: .outcome, "3")
    },
    BrokenTrace("nothingAfterTerminal", "an item ends after its run") {
      let moved = [
        $0.remove(at: $0.place(.outcome, "3")), $0.remove(at: $0.place(.completion, "3")),
      ]
      $0.insert(contentsOf: moved, at: $0.place(.outcome) + 1)
    },
    BrokenTrace("nothingAfterTerminal", "the end is notified before there is one") {
      $0.move(.completion, "1", before: .outcome)
    },
    BrokenTrace("errorIsNoSuccess", "an error counts as success") {
      let last = $0.lastIndex { $0.kind == .left && $0.item == "1" }
      if let last { $0[last].name = "threw" }
    },
    BrokenTrace("errorIsNoSuccess", "an accepted cancel counts as success", Traces.small) {
      $0.put(TraceEvent(.cancelAnswered, item: "1", name: "accepted"), after: .entered, "1")
    },
    BrokenTrace("errorIsNoSuccess", "the run succeeds although an item failed", Traces.small) {
      $0.change(.outcome, "1") { $0.name = "failed" }
    },
    BrokenTrace("errorIsNoSuccess", "the run succeeds although it was cancelled", Traces.small) {
      $0.put(TraceEvent(.commit, item: "1"), after: .entered, "1")
      $0.put(TraceEvent(.cancelAnswered, name: "accepted"), after: .commit, "1")
    },
  ]

  fileprivate static let cancellations = [
    BrokenTrace("cancelXorCommit", "a commit after an accepted cancel") {
      $0.put(TraceEvent(.commit, item: "2"), after: .left, "2")
    },
    BrokenTrace("cancelXorCommit", "a committed item ends as cancelled") {
      $0.put(TraceEvent(.commit, item: "2"), after: .entered, "2")
    },
    BrokenTrace("cancelXorCommit", "a cancel is accepted after the commit") {
      $0.put(TraceEvent(.cancelAnswered, item: "1", name: "accepted"), after: .commit, "1")
      $0.put(TraceEvent(.cancelAsked, item: "1"), after: .commit, "1")
    },
    BrokenTrace("cancelXorCommit", "an item is committed twice") { $0.repeatEvent(.commit, "1") },
    BrokenTrace("noEffectAfterCancel", "a write after an accepted cancel") {
      $0.put(TraceEvent(.effect, item: "2", name: "write"), before: .left, "2")
    },
    BrokenTrace("noEffectAfterCancel", "the run writes after an accepted cancel", Traces.small) {
      $0.change(.outcome, "1") { $0.name = "cancelled" }
      $0.change(.outcome) { $0.name = "cancelled" }
      $0.put(TraceEvent(.effect, name: "index"), after: .outcome, "1")
      $0.put(TraceEvent(.cancelAnswered, name: "accepted"), after: .entered, "1")
    },
    BrokenTrace("staleGenerationRefused", "an older attempt writes") {
      var event = TraceEvent(.effect, item: "1", name: "write")
      event.attempt = 1
      $0.put(event, after: .refused, "1")
    },
    BrokenTrace("staleGenerationRefused", "an older attempt decides the outcome") {
      $0.change(.outcome, "1") { $0.attempt = 1 }
    },
    BrokenTrace("staleGenerationRefused", "an older attempt commits") {
      $0.change(.commit, "1") { $0.attempt = 1 }
    },
    BrokenTrace("dependenciesFirst", "a dependent starts too early") {
      $0.insert($0.remove(at: $0.place(.entered, "2")), at: $0.place(.outcome, "1"))
    },
    BrokenTrace("dependenciesFirst", "a dependent runs after a cancelled predecessor") {
      $0.put(TraceEvent(.entered, item: "3"), before: .outcome, "3")
    },
  ]

  fileprivate static let numbers = [
    BrokenTrace("progressMonotone", "the bar falls") {
      var event = TraceEvent(.progress)
      event.fraction = 0.2
      $0.put(event, before: .outcome)
    },
    BrokenTrace("progressMonotone", "the bar overruns") {
      var event = TraceEvent(.progress)
      event.fraction = 1.25
      $0.put(event, before: .outcome)
    },
    BrokenTrace("progressMonotone", "the number of settled items falls") {
      var event = TraceEvent(.progress)
      event.items = 2
      $0.put(event, before: .outcome)
    },
    BrokenTrace("fullOnlyWithOutcome", "100 % before the outcome") {
      var event = TraceEvent(.progress)
      event.fraction = 1
      $0.put(event, before: .outcome)
    },
    BrokenTrace("fullOnlyWithOutcome", "a cancellation fills the bar") {
      var event = TraceEvent(.progress)
      event.fraction = 1
      $0.put(event, after: .outcome)
    },
    BrokenTrace("outcomeSums", "the counts are not those of the items") {
      $0.change(.outcome) { $0.counts?.succeeded = 2 }
    },
    BrokenTrace("outcomeSums", "an item of the batch is forgotten") {
      $0.change(.started) { $0.items = 4 }
    },
  ]

  fileprivate static let files = [
    BrokenTrace("leftoversGone", "a staging file is left") {
      $0.put(TraceEvent(.leftover, detail: "2.part"), after: .examined)
    },
    BrokenTrace("targetOldOrNew", "the target is missing") {
      $0.change(.target, "2") { $0.name = "missing" }
    },
    BrokenTrace("targetOldOrNew", "the target is mixed") {
      $0.change(.target, "1") { $0.name = "mixed" }
    },
    BrokenTrace("targetOldOrNew", "a success that left the old target") {
      $0.change(.target, "1") { $0.name = "old" }
    },
    BrokenTrace("targetOldOrNew", "a cancellation that left a new target") {
      $0.change(.target, "2") { $0.name = "new" }
    },
    BrokenTrace("durableOnceReported", "what was reported is gone") {
      $0.change(.recovered, "1") { $0.name = "absent" }
    },
    BrokenTrace("durableOnceReported", "what was reported has changed") {
      $0.change(.recovered, "1") { $0.name = "changed" }
    },
    BrokenTrace("durableOnceReported", "nobody finds what was reported") {
      $0.drop(.recovered, "1")
    },
    BrokenTrace("durableOnceReported", "success is reported before the commit") {
      $0.move(.reported, "1", before: .commit)
    },
  ]
}
