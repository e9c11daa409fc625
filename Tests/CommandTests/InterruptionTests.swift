import CSettleSystem
import Foundation
import SettleProcess
import SettleTestSupport
import Testing

@testable import SettleCommand

/// Signals, closed pipes, a second writer and a kill, on the tool as a process.
@Suite struct InterruptionTests {
  /// So many that their JSON lines do not fit into a pipe: the run cannot end before it is read.
  private static let many = 500

  // CAN-2, CAN-4, CAN-5
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func theFirstSignalCancelsAndNothingIsLeft(number: Int32) throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(Self.many)
      let held = try HeldTool(tool, "import --json @/in")
      held.waitForOutput()
      held.child.signalGroup(number)
      try held.waitForTalk("Cancelling: ")
      let result = try held.finish()
      #expect(result.ending == .signalled(number))
      let last = try #require(result.objects?.last)
      #expect(last["type"] as? String == "run_finished")
      #expect(last["state"] as? String == "cancelled")
      #expect(last["exit_code"] as? Int == Int(128 + number))
      let counts = try #require(last["counts"] as? [String: Int])
      #expect(counts.values.reduce(0, +) == result.objects("item").count)
      let succeeded = result.objects("item").filter { $0["outcome"] as? String == "succeeded" }
      #expect(counts["succeeded"] == succeeded.count)
      #expect(try tool.run("ls").output.split(separator: "\n").count == succeeded.count)
      #expect(try tool.fileCount("documents") == succeeded.count)
      #expect(try tool.fileCount("staging") == 0)
      #expect(try tool.run("recover --json").objects("finding").isEmpty)
    }
  }

  // IMP-14, FIL-8: a process that was killed holds nothing, and what it left is told.
  @Test func aKilledImportHoldsNothingAndItsLeftoversAreTold() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(Self.many)
      let held = try HeldTool(tool, "import --json @/in")
      held.waitForOutput()
      #expect(try tool.run("doctor").output.contains("held by process "))
      held.child.kill()
      let doctor = try tool.run("doctor")
      #expect(doctor.output.contains("lock        free"), "\(doctor.output)")
      #expect(doctor.output.contains("was cut off"), "\(doctor.output)")
      #expect(!doctor.talk.contains("Everything is in place"), "\(doctor.talk)")
      let status = try #require(try tool.run("status --json").objects?.last)
      #expect(status["holder"] is NSNull)
      #expect((status["last_run"] as? [String: Any])?["state"] as? String == "failed")
      #expect(try tool.run("recover").code == 0)
      #expect(try tool.run("doctor").talk == "Everything is in place.\n")
    }
  }

  // CAN-2
  @Test func theSecondSignalLeavesAtOnce() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(Self.many)
      let held = try HeldTool(tool, "import --json @/in")
      held.waitForOutput()
      held.child.signalGroup(SIGINT)
      try held.waitForTalk("Ctrl-C again leaves now.")
      let start = ContinuousClock.now
      held.child.signalGroup(SIGINT)
      let ending = held.child.wait(patience: Patience(for: HeldTool.limit))
      #expect(ending == .signalled(SIGINT))
      #expect(ContinuousClock.now - start < .seconds(1))
      let recovered = try tool.run("recover --json")
      #expect(recovered.code == 0)
      #expect(try tool.run("check --deep").code == 0)
      #expect(try tool.fileCount("staging") == 0)
    }
  }

  // CAN-2
  @Test func aReaderThatReadsNothingCannotHoldTheSecondSignalBack() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let held = try HeldTool(
        tool, "import --json @/in", Holding(isFull: true, streams: ">\"$OUTPUT_PIPE\" 2>&1"))
      try waitForEntry(tool)
      let start = ContinuousClock.now
      // Signals that come together count as one, so they are sent until one is the second.
      while held.child.poll() == nil, ContinuousClock.now - start < HeldTool.limit {
        held.child.signalGroup(SIGINT)
        _ = held.child.wait(patience: Patience(for: .milliseconds(50)))
      }
      #expect(held.child.poll() == .signalled(SIGINT))
      #expect(ContinuousClock.now - start < .seconds(2))
    }
  }

  // CAN-6
  @Test func aSignalAfterTheLastCommitIsSuccessWithANote() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let held = try HeldTool(tool, "import --json @/in", Holding(isFull: true))
      try waitForEntry(tool)
      held.child.signalGroup(SIGINT)
      try held.waitForTalk("Too late to cancel")
      let result = try held.finish()
      #expect(result.ending == .exited(0))
      let last = try #require(result.objects?.last)
      #expect(last["state"] as? String == "succeeded")
      #expect(last["exit_code"] as? Int == 0)
      #expect(last["note"] as? String == "the cancellation came after the last commit")
    }
  }

  // CAN-2
  @Test func aHangupThatTheParentIgnoresIsIgnored() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let held = try HeldTool(
        tool, "import --json @/in", Holding(isFull: true, before: "trap '' HUP; "))
      try waitForEntry(tool)
      held.child.signalGroup(SIGHUP)
      let result = try held.finish()
      #expect(result.ending == .exited(0))
      #expect(result.objects?.last?["note"] == nil)
    }
  }

  // OBS-2
  @Test func aClosedPipeEndsTheOutputAndNotTheImport() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(Self.many)
      let result = try tool.shell(
        "settle import --json in | head -n 1 > first; exit ${PIPESTATUS[0]}")
      #expect(result.ending == .exited(0), "\(result.talk)")
      #expect(try tool.run("ls").output.split(separator: "\n").count == Self.many)
    }
  }

  // FIL-7
  @Test func outputThatCannotBeWrittenIsAFailure() throws {
    guard access("/dev/full", W_OK) == 0 else {
      print("skipped: there is no /dev/full here")
      return
    }
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      #expect(try tool.run("import -q @/in").code == 0)
      let result = try tool.shell("settle ls > /dev/full")
      #expect(result.ending == .exited(1))
      #expect(result.talk.contains("standard output"))
    }
  }

  // IMP-14
  @Test func aSecondWriterIsToldWhoHoldsTheLibrary() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(1)
      let held = try HeldTool(tool, "import --json @/in", Holding(isFull: true))
      try waitForEntry(tool)
      let second = try tool.run("import --json @/in")
      #expect(second.code == 11)
      let error = try #require(second.objects("error").first?["message"] as? String)
      #expect(error.contains("process \(held.child.processIdentifier)"), "\(error)")
      #expect(try tool.run("ls").code == 0, "readers go on")
      #expect(try held.finish().ending == .exited(0))
      #expect(try tool.run("import @/in").code == 0)
    }
  }

  // IMP-8, FIL-8
  @Test func aKilledImportIsRecoveredAndFinishedByTheNext() throws {
    try ToolRun.lend { tool in
      try tool.writeDocuments(Self.many)
      let held = try HeldTool(tool, "import --json @/in", Holding(isFull: true))
      // One group is recorded; the next ones are pending, as nobody reads what would be reported.
      try waitForEntry(tool)
      held.child.kill()
      let again = try tool.run("import --json @/in")
      #expect(again.code == 0, "\(again.talk)")
      let warning = try #require(again.objects("warning").first, "the repair is told")
      #expect(warning["code"] as? String == "interrupted")
      #expect(try tool.run("ls").output.split(separator: "\n").count == Self.many)
      #expect(try tool.run("check --deep --json").objects("finding").isEmpty)
      #expect(try tool.run("recover --json").objects("finding").isEmpty)
    }
  }

  // FIL-8, CAN-5
  @Test func theDemoHoldsWhatItClaimsAndCleansUp() throws {
    try ToolRun.lend { tool in
      let start = ContinuousClock.now
      let result = try tool.run("demo --json")
      #expect(result.code == 0, "\(result.output.suffix(2_000)) \(result.talk)")
      #expect(ContinuousClock.now - start < .seconds(20))
      let claims = result.objects("claim")
      #expect(claims.count > 10)
      #expect(claims.allSatisfy { $0["holds"] as? Bool == true })
      #expect(try tool.shell("ls -A").output == "", "nothing of it is left")
    }
  }

  // CAN-8
  @Test func anInterruptedDemoRemovesItsFolderAndItsChildren() throws {
    try ToolRun.lend { tool in
      let held = try HeldTool(tool, "demo --json")
      held.waitForOutput()
      held.child.signalGroup(SIGINT)
      try held.waitForTalk("Stopping the tour")
      let result = try held.finish()
      #expect(result.ending == .signalled(SIGINT))
      #expect(result.objects?.last?["exit_code"] as? Int == 130)
      #expect(try tool.shell("ls -A").output == "output-pipe\n", "nothing of it is left")
    }
  }

  // RUN-8
  @Test func aSignalBeforeTheRunStillEndsTheLinesOfAnImport() throws {
    guard access("/proc/self/fd", R_OK) == 0 else {
      print("skipped: there is no /proc here to see that the tool waits")
      return
    }
    try ToolRun.lend { tool in
      let result = try tool.shell(
        "mkfifo list; exec 3<>list; \"$SETTLE\" import --json --files-from list 3>&- & wait_for=$!; "
          + "until readlink /proc/$wait_for/exe | grep -q settle; do :; done; "
          + "until ls -l /proc/$wait_for/fd 2>/dev/null | grep -q list; do :; done; "
          + "kill -TERM $wait_for; wait $wait_for; echo $? > code")
      #expect(result.objects?.map { $0["type"] as? String } == ["error", "run_finished"])
      #expect(result.objects?.last?["exit_code"] as? Int == 143)
      #expect(try tool.shell("cat code").output == "143\n")
    }
  }

  /// Waits until the import of one document is recorded, by asking a reader.
  private func waitForEntry(_ tool: ToolRun) throws {
    let deadline = ContinuousClock.now + HeldTool.limit
    while ContinuousClock.now < deadline {
      if try tool.run("ls").output.contains(".pdf") { return }
    }
    Issue.record("the document was not recorded in time")
  }
}
