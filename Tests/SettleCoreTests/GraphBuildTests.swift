// Foundation is imported to show that no name of ours clashes with one of its own.
import Foundation
import SettleCore
import Testing

/// RUN-5: what is wrong with a graph is said before anything starts.
@Suite struct GraphBuildTests {
  private func expect(
    _ code: SettleError.Code, about subject: String, detail: String = "",
    _ make: () throws -> Graph
  ) {
    do {
      _ = try make()
      Issue.record("the graph was accepted: \(code)")
    } catch let error as SettleError {
      #expect(error.code == code)
      #expect(String(decoding: error.subject, as: UTF8.self) == subject)
      #expect(error.detail == detail)
    } catch {
      Issue.record("\(error)")
    }
  }

  // RUN-5: taskflow/taskflow#561, go-task/task#2302: a cycle must not hang.
  @Test func aCycleIsReportedWithItsPath() {
    expect(.cycle, about: "b", detail: "b -> c -> d -> b") {
      var builder = GraphBuilder()
      let a = builder.add("a") { _ in }
      let b = builder.add("b", after: [a]) { _ in }
      let c = builder.add("c") { _ in }
      let d = builder.add("d") { _ in }
      let e = builder.add("e", after: [d]) { _ in }
      builder.need(b, after: c)
      builder.need(c, after: d)
      builder.need(d, after: b)
      builder.need(e, after: a)
      return try builder.build()
    }
  }

  // RUN-5
  @Test func aCycleOfTwoIsReported() {
    expect(.cycle, about: "#1", detail: "#1 -> #2 -> #1") {
      var builder = GraphBuilder()
      let a = builder.add { _ in }
      let b = builder.add(after: [a, a]) { _ in }
      builder.need(a, after: b)
      return try builder.build()
    }
  }

  // RUN-5
  @Test func aLongCycleIsFoundWithoutDeepRecursion() {
    var builder = GraphBuilder()
    var steps: [StepID] = []
    for _ in 0..<50_000 { steps.append(builder.add { _ in }) }
    for index in steps.indices {
      builder.need(steps[index], after: steps[(index + 1) % steps.count])
    }
    do {
      _ = try builder.build()
      Issue.record("the cycle was accepted")
    } catch {
      #expect(error.code == .cycle)
      #expect(error.detail.hasPrefix("#1 -> #2 -> #3 -> "))
      #expect(error.detail.hasSuffix(" -> #50000 -> #1"))
    }
  }

  // RUN-5
  @Test func aStepThatNeedsItselfIsRefused() {
    expect(.selfEdge, about: "a") {
      var builder = GraphBuilder()
      let a = builder.add("a") { _ in }
      builder.need(a, after: a)
      return try builder.build()
    }
  }

  // RUN-5
  @Test func twoStepsOfOneNameAreRefused() {
    expect(.duplicateName, about: "same") {
      try Graph {
        Step("same") { _ in }
        Step("other") { _ in }
        Step("same") { _ in }
      }
    }
    let step = Step("twice") { _ in }
    expect(.duplicateName, about: "twice") {
      try Graph {
        step
        step
      }
    }
  }

  // RUN-5
  @Test func aDependencyThatIsNotInTheGraphIsRefused() {
    let outside = Step("outside") { _ in 1 }
    expect(.foreignEdge, about: "inside", detail: "it needs outside") {
      try Graph { Step("inside", after: outside) { _, _ in } }
    }
    expect(.foreignEdge, about: "a") {
      var (builder, other) = (GraphBuilder(), GraphBuilder())
      let a = builder.add("a") { _ in }
      builder.need(a, after: other.add("b") { _ in })
      return try builder.build()
    }
  }

  // RUN-5
  @Test func aResourceWithoutPermitsIsRefused() {
    expect(.unknownResource, about: "disk") {
      try Graph(limits: ["network": 1]) { Step("a", resources: ["disk"]) { _ in } }
    }
    expect(.unknownResource, about: "disk", detail: "it has no permits") {
      try Graph(limits: ["disk": 0]) { Step("a", resources: ["disk"]) { _ in } }
    }
  }

  // PRG-3, PRG-4: weights come from data and never trap.
  @Test func weightsThatCannotBeAddedAreRefused() {
    expect(.weightExceedsTotal, about: "", detail: "a step's weight") {
      try Graph { Step("a", weight: -1) { _ in } }
    }
    expect(.weightExceedsTotal, about: "", detail: "a step's weight") {
      try Graph { Step("a", weight: .max) { _ in } }
    }
    expect(.weightExceedsTotal, about: "", detail: "the sum of all weights") {
      try Graph {
        Step("a", weight: 1 << 55) { _ in }
        Step("b", weight: 1) { _ in }
      }
    }
  }

  // RUN-5: the builder lists loops and conditions, and the order of the list does not matter.
  @Test func theListOfStepsMayHaveLoopsAndConditions() throws {
    let first = Step("first") { _ in 1 }
    let graph = try Graph {
      for number in 1...3 {
        let left = Step("left \(number)", after: first) { _, value in value + number }
        Step("right \(number)", after: left, first) { _, left, first in left + first }
        left
      }
      if first.name == "first" { first } else { Step("never") { _ in } }
    }
    #expect(
      graph.stepNames == [
        "right 1", "left 1", "right 2", "left 2", "right 3", "left 3", "first",
      ])
  }

  // PRG-1: the names that an app sees beside Foundation's mean ours.
  @Test func namesStayUsableBesideFoundation() throws {
    let progress: Foundation.Progress = Progress(totalUnitCount: 1)
    let queue: Foundation.OperationQueue = OperationQueue()
    let step: SettleCore.Step<Int> = Step("a") { _ in 1 }
    let options: SettleCore.GraphOptions = GraphOptions()
    let policy: SettleCore.RetryPolicy = RetryPolicy.never
    let priority: SettleCore.StepPriority = StepPriority.low
    let clock: SettleCore.RunClock = RunClock.continuous
    let graph: SettleCore.Graph = try Graph { step }
    _ = (progress, queue, options, policy, priority, clock, graph)
    _ = (Outcome.succeeded, RunState.waiting, StepOptions(), GraphBuilder(), CancelAnswer.tooLate)
    _ = (StepID.self, StepContext.self, StepReport.self, GraphReport.self, GraphRun.self)
    _ = (GraphSnapshot.self, GraphUpdates.self, StepReports.self, AnyStep.self, GraphContent.self)
    _ = (ContentIdentity.self, RerunReason.self)
  }
}
