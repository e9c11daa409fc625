import SettleTestKit
import Testing

@testable import SettleCore

/// The real commit point under every order of commit, cancel, finish and completion.
@Suite(.timeLimit(.minutes(2))) struct CommitPointTests {
  /// A worker as the importer and the graph engine have it: claims, works, asks, publishes.
  private struct Worker: Sendable {
    let control: RunControl
    let world: World

    func run(_ step: Int) {
      for effect in control.apply(.claim(step)) {
        if case .began(let claim) = effect { work(claim) } else { perform(effect) }
      }
    }

    private func work(_ claim: StepClaim) {
      let item = String(claim.step)
      world.trace.record(.entered, item: item)
      world.probe.reach(Checkpoint("before-commit", item: claim.step))
      world.trace.record(.left, item: item)
      world.trace.record(.commitAsked, item: item)
      for effect in control.apply(.commitAsked(claim)) {
        guard case .publish = effect else {
          perform(effect)
          continue
        }
        world.trace.record(.commit, item: item)
        world.probe.reach(Checkpoint("before-publish", item: claim.step))
        world.trace.record(.effect, item: item, name: "publish")
        control.apply(.published(claim)).forEach(perform)
      }
    }

    func perform(_ effect: RunEffect) {
      switch effect {
      case .stepSettled(let step, let end):
        world.trace.record(.outcome, item: String(step), name: end.kind.rawValue)
        world.probe.reach(Checkpoint("before-completion", item: step))
        world.trace.record(.completion, item: String(step))
      case .runSettled(let state):
        world.trace.record(.note, name: "run " + state.rawValue)
        world.tell("run " + state.rawValue)
      case .answered, .discard, .publish, .began, .waitsAgain, .runHandedBack, .rejected: break
      }
    }
  }

  private func explore(_ steps: Int, cancels: Int) async throws -> Exploration {
    try await Explorer().explore("commit point") { world in
      let control = RunControl(StepLinks(independent: steps))
      let worker = Worker(control: control, world: world)
      for step in 0..<steps { world.trace.record(.started, item: String(step)) }
      control.apply(.start).forEach(worker.perform)
      for step in 0..<steps { world.spawn("worker \(step)") { worker.run(step) } }
      for number in 0..<cancels {
        world.spawn("cancel \(number)") {
          world.trace.record(.cancelAsked)
          let effects = control.apply(.cancel)
          for case .answered(let answer) in effects {
            world.trace.record(.cancelAnswered, name: answer.rawValue)
          }
          effects.forEach(worker.perform)
        }
      }
      world.mustReach("before-commit", "before-publish", "before-completion")
      world.sometimes("all commit") { $0.count { $0.kind == .commit } == steps }
      world.sometimes("none commits") { !$0.contains { $0.kind == .commit } }
      world.atEnd { trace in
        let ends = trace.events.count { $0.kind == .note && $0.name.hasPrefix("run ") }
        if ends != 1 { throw SettleError(.unexpected, detail: "the run ended \(ends) times") }
      }
    }
  }

  // CAN-5, CAN-6, CAN-7, RUN-7, TST-3
  @Test func everyOrderOfCommitCancelFinishAndCompletion() async throws {
    let clock = ContinuousClock()
    let began = clock.now
    let one = try await explore(1, cancels: 2)
    let two = try await explore(2, cancels: 1)
    print("explored \(one); \(two); in \(began.duration(to: clock.now))")
    try one.requireProved()
    try two.requireProved()
    #expect(one.ends.count == 2 && two.ends.count >= 4)
  }
}
