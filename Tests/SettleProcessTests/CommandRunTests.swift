import CSettleSystem
import SettleCore
import SettleTestSupport
import Synchronization
import Testing

@testable import SettleProcess

@Suite struct CommandRunTests {
  private func shell(_ script: String, _ arguments: [[UInt8]] = []) -> Command {
    Command(
      Array("/bin/sh".utf8), [Array("-c".utf8), Array(script.utf8), Array("sh".utf8)] + arguments)
  }

  // PIP-2
  @Test func anExitCodeAndBothOutputsAreReported() throws {
    let result = try shell("echo out; echo err >&2; exit 7").run()
    #expect(result.ending == .exited(7))
    #expect(result.output.bytes == Array("out\n".utf8))
    #expect(result.errors.bytes == Array("err\n".utf8))
  }

  // PIP-2
  @Test func aSignalIsReportedByItsNumber() throws {
    #expect(try shell("kill -SEGV $$").run().ending == .signalled(SIGSEGV))
  }

  // FIL-6
  @Test func argumentsAreAnyBytes() throws {
    let bytes = (1...255).map { UInt8($0) }
    #expect(try shell("printf %s \"$1\"", [bytes]).run().output.bytes == bytes)
  }

  // PIP-2
  @Test func outputPastTheLimitIsDroppedAndCounted() throws {
    let result = try shell("head -c 300000 /dev/zero").run(
      limits: CommandLimits(capturedByteCount: 1_000))
    #expect(result.ending == .exited(0))
    #expect(result.output.bytes.count == 1_000)
    #expect(result.output.droppedByteCount == 299_000)
  }

  // PIP-2
  @Test func inputAndOutputLargerThanAnyBufferDoNotBlockEachOther() throws {
    let input = Documents.noise(1_000_000, seed: 5)
    let command = Command(Array("/bin/cat".utf8))
    let result = try command.run(
      input: input, limits: CommandLimits(capturedByteCount: 2_000_000))
    #expect(result.ending == .exited(0))
    #expect(result.output.bytes == input)
  }

  // PIP-2
  @Test func aChildThatReadsNothingRaisesNoSignalHere() throws {
    let result = try shell("exec true").run(input: Documents.noise(1_000_000, seed: 6))
    #expect(result.ending == .exited(0))
  }

  // RUN-9, CAN-8
  @Test func aTimeLimitIsATimeoutWhateverTheSignalWas() throws {
    let result = try shell("exec tail -f /dev/null").run(
      limits: CommandLimits(duration: .milliseconds(100)))
    #expect(result.ending == .timedOut)
  }

  // CAN-8
  @Test func aChildThatIgnoresTheRequestToEndIsKilledAfterTheGrace() throws {
    let result = try shell("trap '' TERM; echo ready; while :; do read -r x < /dev/zero; done").run(
      limits: CommandLimits(duration: .milliseconds(300), grace: .milliseconds(100)))
    #expect(result.ending == .timedOut)
    #expect(result.output.bytes == Array("ready\n".utf8))
  }

  // CAN-8
  @Test func aChildGetsTimeToFinishAfterTheRequestToEnd() throws {
    let script = "trap 'echo finished; exit 0' TERM; echo ready; while :; do wait; done"
    let asked = Mutex(0)
    let result = try shell(script).run(limits: CommandLimits(duration: .seconds(20))) {
      asked.withLock { count in
        count += 1
        return count > 10
      }
    }
    #expect(result.ending == .cancelled)
    #expect(String(decoding: result.output.bytes, as: UTF8.self).contains("finished"))
  }

  // CAN-8, CAN-9
  @Test func cancellingIsSeenWithin100Milliseconds() throws {
    var fastest = Duration.seconds(60)
    // A loaded machine may be slow once; five times in a row is our fault.
    for _ in 0..<5 {
      let asked = Mutex((count: 0, since: ContinuousClock.now))
      let result = try shell("exec tail -f /dev/null").run {
        asked.withLock { state in
          state.count += 1
          if state.count == 3 { state.since = .now }
          return state.count >= 3
        }
      }
      #expect(result.ending == .cancelled)
      fastest = min(fastest, ContinuousClock.now - asked.withLock { $0.since })
    }
    #expect(fastest < .milliseconds(100))
  }

  // PIP-2, CAN-8
  @Test(.enabled(if: ProcessCensus.descriptors() != nil, "needs /proc"))
  func grandchildrenDoNotOutliveTheCommand() throws {
    // Without the redirection tail would notice the closed pipe and leave by itself.
    let result = try shell("tail -f /dev/null >/dev/null 2>&1 & echo $!; exit 0").run()
    #expect(result.ending == .exited(0))
    let text = String(decoding: result.output.bytes.dropLast(), as: UTF8.self)
    let grandchild = try #require(pid_t(text))
    let hasEnded = endsSoon(grandchild)
    #expect(hasEnded, "process \(grandchild) still ran")
    if !hasEnded { kill(grandchild, SIGKILL) }
  }

  // PIP-2
  @Test func aStrangerThatKeepsThePipeOpenDoesNotHoldTheCall() throws {
    let folder = DocumentFolder()
    let note = folder.adopt("pid")
    let script =
      "setsid sh -c 'echo $$ > \"$1\"; exec tail -f /dev/null' sh \"$1\" & "
      + "while ! [ -s \"$1\" ]; do :; done"
    let result = try shell(script, [note.bytes]).run()
    #expect(result.ending == .exited(0))
    let number = try Command(Array("/bin/cat".utf8), [note.bytes]).run().output.bytes.dropLast()
    kill(try #require(pid_t(String(decoding: number, as: UTF8.self))), SIGKILL)
  }

  // PIP-2
  @Test func aMissingProgramIsToolMissing() {
    let command = Command(Array("/nonexistent/tool".utf8))
    let error = #expect(throws: SettleError.self) { try command.run() }
    #expect(error?.code == .toolMissing)
    #expect(error?.subject == Array("/nonexistent/tool".utf8))
  }

  /// Waits for a process that is not ours to be gone or dead.
  private func endsSoon(_ process: pid_t) -> Bool {
    let limit = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < limit {
      let state = ProcessCensus.state(of: process)
      if state == nil || state == "Z" || state == "X" { return true }
      sched_yield()
    }
    return false
  }
}
