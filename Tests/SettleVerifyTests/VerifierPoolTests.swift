import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Synchronization
import Testing

@testable import SettleVerify

@Suite struct VerifierPoolTests {
  private let accepted = Verdict.accepted(pageCount: 1, flags: [])

  // IMP-5
  @Test func theEngineIsKnownOnceAProcessHasStarted() throws {
    let pool = try testPool()
    #expect(pool.engine == "")
    try pool.prepare()
    #expect(pool.engine.hasPrefix("qpdf "), "\(pool.engine)")
    #expect(pool.idleProcesses.count == 1)
  }

  // IMP-4
  @Test func oneProcessServesManyFilesAndIsThenReplaced() throws {
    let folder = DocumentFolder()
    let path = folder.write(Documents.plain(), as: "a.pdf")
    let pool = try testPool { $0.filesPerProcess = 3 }
    var seen: Set<pid_t> = []
    for _ in 0..<7 {
      #expect(try pool.verify(path) { false } == accepted)
      seen.formUnion(pool.idleProcesses)
    }
    #expect(seen.count == 3)
    #expect(pool.idleProcesses.count == 1)
  }

  // IMP-4
  @Test func aProcessThatWasKilledBetweenRequestsIsReplaced() throws {
    let folder = DocumentFolder()
    let path = folder.write(Documents.plain(), as: "a.pdf")
    let pool = try testPool()
    try pool.prepare()
    let first = try #require(pool.idleProcesses.first)
    kill(first, SIGKILL)
    #expect(try pool.verify(path) { false } == accepted)
    #expect(pool.idleProcesses.first != first)
  }

  // IMP-4, CAN-8
  @Test func aProcessThatStallsIsKilledAtTheWallLimit() throws {
    let folder = DocumentFolder()
    let path = folder.write(Documents.plain(), as: "a.pdf")
    let pool = try testPool { $0.wallTime = .seconds(1) }
    try pool.prepare()
    let stalled = try #require(pool.idleProcesses.first)
    kill(stalled, SIGSTOP)
    #expect(Expected(try pool.verify(path) { false }) == .refused(.tooComplex))
    #expect(ProcessCensus.state(of: stalled) == nil)
    #expect(try pool.verify(path) { false } == accepted)
  }

  // CAN-8, CAN-9
  @Test func cancellingIsSeenWithin100MillisecondsAndKillsTheProcess() throws {
    let folder = DocumentFolder()
    let path = folder.write(Documents.plain(), as: "a.pdf")
    let pool = try testPool()
    var fastest = Duration.seconds(60)
    // A loaded machine may be slow once; five times in a row is our fault.
    for _ in 0..<5 {
      try pool.prepare()
      let process = try #require(pool.idleProcesses.first)
      kill(process, SIGSTOP)
      let asked = Mutex((count: 0, since: ContinuousClock.now))
      let verdict = try pool.verify(path) {
        asked.withLock { state in
          state.count += 1
          if state.count == 3 { state.since = .now }
          return state.count >= 3
        }
      }
      fastest = min(fastest, ContinuousClock.now - asked.withLock { $0.since })
      #expect(verdict == .cancelled)
      #expect(ProcessCensus.state(of: process) == nil)
    }
    #expect(fastest < .milliseconds(100))
    #expect(try pool.verify(path) { false } == accepted)
  }

  // CAN-9
  @Test func aCallerThatWaitsForAProcessCanBeCancelled() throws {
    let turnstile = Turnstile(places: 1)
    #expect(turnstile.enter { false })
    let asked = Mutex(0)
    let entered = turnstile.enter {
      asked.withLock { count in
        count += 1
        return count > 2
      }
    }
    #expect(!entered)
    turnstile.leave()
    #expect(turnstile.enter { true })
  }

  // IMP-4, RUN-11
  @Test func manyCallersShareTwoProcesses() async throws {
    let folder = DocumentFolder()
    let paths = (0..<40).map { index in
      folder.write(Documents.plain(pageCount: 1 + index % 4, seed: UInt64(index)), as: "\(index)")
    }
    let pool = try testPool()
    let verdicts = try await withThrowingTaskGroup(of: (Int, Verdict).self) { group in
      for (index, path) in paths.enumerated() {
        group.addTask { (index, try pool.verify(path) { false }) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in 0..<40 {
      #expect(verdicts[index] == .accepted(pageCount: 1 + index % 4, flags: []))
    }
    #expect((1...2).contains(pool.idleProcesses.count))
  }

  // CAN-8
  @Test func closingEndsTheProcessesAndVerifyingStartsNewOnes() throws {
    let folder = DocumentFolder()
    let path = folder.write(Documents.plain(), as: "a.pdf")
    let pool = try testPool()
    try pool.prepare()
    let old = try #require(pool.idleProcesses.first)
    pool.close()
    pool.close()
    #expect(pool.idleProcesses.isEmpty)
    #expect(ProcessCensus.state(of: old) == nil)
    #expect(try pool.verify(path) { false } == accepted)
  }

  // CAN-8
  @Test func nothingIsLeftOpenAfterClosing() async {
    // A process of its own: parallel tests open descriptors too.
    await #expect(processExitsWith: .success) {
      let folder = DocumentFolder()
      let path = folder.write(Documents.plain(), as: "a.pdf")
      let pool = try testPool()
      let before = ProcessCensus.descriptors()
      for _ in 0..<3 {
        _ = try pool.verify(path) { false }
        _ = try pool.verify(path) { true }
        pool.close()
      }
      ProcessCensus.requireNothingOpen(since: before)
      precondition(waitpid(-1, nil, WNOHANG) == -1, "a process was left")
    }
  }
}

@Suite struct VerifierHelperTests {
  private let patience = Patience(for: .seconds(30))

  private func start() throws -> ChildProcess {
    var command = Command(try #require(BuiltProducts.verifier, "settle-verify is not built").bytes)
    command.input = .pipe
    let child = try ChildProcess(command)
    guard case .bytes(let greeting) = child.read(upTo: 100, patience: patience) else {
      throw SettleError(.toolFailed)
    }
    #expect(greeting.starts(with: Array("settle-verify 1 qpdf ".utf8)))
    return child
  }

  // IMP-4
  @Test(.enabled(if: ProcessCensus.descriptors() != nil, "needs /proc"))
  func theHelperLimitsItselfBeforeItGreets() throws {
    let child = try start()
    let file = Array("/proc/\(child.processIdentifier)/limits".utf8)
    let result = try Command(Array("/bin/cat".utf8), [file]).run()
    let lines = String(decoding: result.output.bytes, as: UTF8.self).split(separator: "\n")
    func soft(_ name: String) -> Int? {
      let line = lines.first { $0.hasPrefix(name) }
      return line.flatMap { Int($0.dropFirst(26).split(separator: " ").first ?? "") }
    }
    #expect(soft("Max core file size") == 0)
    #expect(soft("Max file size") == 0)
    #expect(soft("Max open files") == 16)
    #expect(try #require(soft("Max address space")) >= 1 << 30)
    #expect(child.write(Wire.request(path: Array("/none".utf8)), patience: patience) == .written)
    #expect(child.read(upTo: 1, patience: patience) == .bytes([Wire.begun]))
    _ = child.read(upTo: 100, patience: patience)
    let second = try Command(Array("/bin/cat".utf8), [file]).run()
    #expect(String(decoding: second.output.bytes, as: UTF8.self).contains("Max cpu time"))
    let cpu = String(decoding: second.output.bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Max cpu time") }?.dropFirst(26).split(separator: " ").first
    #expect((10...12).contains(Int(cpu ?? "") ?? 0), "\(cpu ?? "no limit")")
  }

  // CAN-8
  @Test func theHelperEndsWhenItsInputCloses() throws {
    let child = try start()
    child.closeInput()
    #expect(child.wait(patience: patience) == .exited(0))
  }

  // CAN-8
  @Test func theHelperEndsInTheMiddleOfADocumentWhenItsParentIsGone() throws {
    let folder = DocumentFolder()
    let bomb = folder.write(Documents.objectStreamBomb(), as: "a.pdf")
    let child = try start()
    #expect(child.write(Wire.request(path: bomb.bytes), patience: patience) == .written)
    #expect(child.read(upTo: 1, patience: patience) == .bytes([Wire.begun]))
    child.closeInput()
    #expect(child.read(upTo: 100, patience: patience) == .end, "it went on to answer")
    #expect(child.wait(patience: patience) == .exited(0))
  }

  // IMP-5
  @Test func theHelperSaysItsVersion() throws {
    let program = try #require(BuiltProducts.verifier, "settle-verify is not built")
    let result = try Command(program.bytes, [Array("--version".utf8)]).run()
    #expect(result.ending == .exited(0))
    #expect(Wire.engine(inGreeting: result.output.bytes.dropLast()) != nil)
  }
}
