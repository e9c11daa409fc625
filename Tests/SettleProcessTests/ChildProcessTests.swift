import CSettleSystem
import SettleCore
import SettleTestSupport
import Testing

@testable import SettleProcess

@Suite struct ChildProcessTests {
  private func start(_ script: String) throws -> ChildProcess {
    var command = Command(Array("/bin/sh".utf8), ["-c", script].map { Array($0.utf8) })
    command.input = .pipe
    return try ChildProcess(command)
  }

  private let patience = Patience(for: .seconds(20))

  // CAN-8
  @Test func aConversationGoesBothWays() throws {
    let child = try start("while read -r line; do echo \"got $line\"; done")
    for word in ["one", "two"] {
      #expect(child.write(Array("\(word)\n".utf8), patience: patience) == .written)
      #expect(child.read(upTo: 100, patience: patience) == .bytes(Array("got \(word)\n".utf8)))
    }
    child.closeInput()
    #expect(child.read(upTo: 100, patience: patience) == .end)
    #expect(child.wait(patience: patience) == .exited(0))
  }

  // CAN-8
  @Test func writingToADeadChildIsAnAnswerAndNoSignal() throws {
    let child = try start("exit 3")
    #expect(child.wait(patience: patience) == .exited(3))
    #expect(child.write([1, 2, 3], patience: patience) == .closed)
  }

  // CAN-8
  @Test func theChildLeadsAGroupOfItsOwn() throws {
    let child = try start("read -r line")
    #expect(getpgid(child.processIdentifier) == child.processIdentifier)
    #expect(getpgid(child.processIdentifier) != getpgid(0))
  }

  // CAN-8
  @Test func killingTwiceGivesTheSameAnswerAndLeavesNoZombie() throws {
    let child = try start("read -r line")
    #expect(child.kill() == .signalled(SIGKILL))
    #expect(child.kill() == .signalled(SIGKILL))
    #expect(child.poll() == .signalled(SIGKILL))
    #expect(ProcessCensus.state(of: child.processIdentifier) == nil)
  }

  // CAN-8
  @Test func droppingTheLastReferenceEndsAndCollectsTheChild() throws {
    var child: ChildProcess? = try start("exec tail -f /dev/null")
    let process = try #require(child?.processIdentifier)
    child = nil
    #expect(kill(process, 0) != 0)
    #expect(ProcessCensus.state(of: process) == nil)
  }

  // CAN-8
  @Test func signalsAndDescriptorsOfThisProcessAreNotPassedOn() throws {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTERM)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    // Deliberately without close-on-exec, as careless code would open it.
    let careless = dup(STDERR_FILENO)
    defer { close(careless) }
    let script = "ls /proc/self/fd | wc -l; kill -TERM $$; echo survived"
    let child = try start(script)
    // 0, 1, 2 and the folder that ls itself reads.
    #expect(child.read(upTo: 100, patience: patience) == .bytes(Array("4\n".utf8)))
    #expect(child.wait(patience: patience) == .signalled(SIGTERM))
  }

  // RUN-1
  @Test func aChildThatOtherCodeCollectedIsLostAndNobodyElseIsSignalled() throws {
    let child = try start("exit 0")
    #expect(waitpid(child.processIdentifier, nil, 0) == child.processIdentifier)
    child.signalGroup(SIGTERM)
    #expect(child.poll() == .lost)
    #expect(child.kill() == .lost)
  }

  // CAN-9
  @Test func aReadEndsAtItsDeadlineAndByCancellation() throws {
    let child = try start("read -r line")
    #expect(child.read(upTo: 1, patience: Patience(for: .milliseconds(30))) == .timedOut)
    let cancelled = Patience(isCancelled: { true })
    #expect(child.read(upTo: 1, patience: cancelled) == .cancelled)
    #expect(child.wait(patience: Patience(for: .milliseconds(30))) == nil)
  }

  // CAN-8
  @Test func terminatingAsksFirst() throws {
    let child = try start("trap 'exit 5' TERM; echo ready; while :; do wait; done")
    #expect(child.read(upTo: 100, patience: patience) == .bytes(Array("ready\n".utf8)))
    #expect(child.terminate(grace: .seconds(20)) == .exited(5))
  }

  // CAN-8
  @Test(.enabled(if: ProcessCensus.descriptors() != nil, "needs /proc"))
  func nothingIsLeftOpenAfterwards() async {
    // A process of its own: parallel tests open descriptors too.
    await #expect(processExitsWith: .success) {
      let before = ProcessCensus.descriptors()
      for _ in 0..<20 {
        let command = Command(Array("/bin/cat".utf8))
        _ = try command.run(input: [1, 2, 3])
        _ = try? Command(Array("/nonexistent".utf8)).run(input: [1])
      }
      ProcessCensus.requireNothingOpen(since: before)
      precondition(waitpid(-1, nil, WNOHANG) == -1, "a child was left")
    }
  }
}
