import CSettleSystem
import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

// On Apple platforms a test bundle is no program that can be run by itself.
#if os(Linux)
  /// The glue for XCTest, seen from outside: tests that must fail run in a process of their own.
  @Suite(.timeLimit(.minutes(2))) struct XCTestGlueTests {
    /// Runs one test of `GlueFaults`, which this very program has, too.
    private func fault(_ name: String) async throws -> (code: Int32?, output: String) {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = settle_executable_path(&buffer, buffer.count)
      let program = buffer[..<max(0, count)].map(UInt8.init(bitPattern:))
      let test = Array("TestKitGuideTests.GlueFaults/\(name)".utf8)
      let result = try await WorkerThread.run { () throws(SettleError) -> CommandResult in
        var command = Command(program, [test])
        command.environment = environment(replacing: [(name: "SETTLE_GLUE_FAULTS", value: "1")])
        let limits = CommandLimits(duration: .seconds(60), capturedByteCount: 1 << 20)
        return try command.run(limits: limits)
      }
      let bytes = result.output.bytes + result.errors.bytes
      let output = String(decoding: bytes, as: UTF8.self)
      guard case .exited(let code) = result.ending else { return (nil, output) }
      return (code, output)
    }

    // TST-1, TST-7: a broken rule fails the test at the place of its kit, with the events.
    @Test(arguments: ["testABrokenRule", "testABrokenRuleOfAnAsynchronousTest"])
    func aBrokenRuleFailsTheTestAtItsPlace(_ name: String) async throws {
      let (code, output) = try await fault(name)
      #expect(code == 1, "\(output)")
      let line = try #require(output.split(separator: "\n").first { $0.contains("error:") })
      #expect(line.contains("TestKitGuideTests/GlueFaults.swift:"), "\(output)")
      #expect(line.contains("exactlyOneCompletion: nobody was told of the end"), "\(output)")
      #expect(output.contains("oneOutcome: it started and has no outcome"), "\(output)")
      #expect(output.contains("event 1: item 1: started"))
      #expect(output.contains("saw none of their events: leftoversGone"))
      #expect(output.contains("Executed 1 test, with 1 failure"), "\(output)")
    }

    // TST-1: an error is told once, and what else is wrong with it.
    @Test func anErrorIsToldAndJudgedToo() async throws {
      let (code, output) = try await fault("testAnErrorInTheMiddle")
      #expect(code == 1)
      #expect(output.contains("oneOutcome: it started and has no outcome"), "\(output)")
      #expect(output.contains("threw error"), "\(output)")
      #expect(output.contains("Executed 1 test, with 2 failures (1 unexpected)"), "\(output)")
    }

    // TST-1: a wait in vain is told once, naming who waits where.
    @Test func aWaitInVainIsToldOnce() async throws {
      let (code, output) = try await fault("testAWaitInVain")
      #expect(code == 1)
      #expect(output.contains("waited 0.01 seconds for arrival 1 at gate \"nowhere\", in vain"))
      #expect(output.contains("Executed 1 test, with 1 failure (1 unexpected)"), "\(output)")
    }

    // TST-1: a test that is skipped in the middle is skipped, not judged.
    @Test func aSkippedTestIsNotJudged() async throws {
      let (code, output) = try await fault("testThatIsSkippedInTheMiddle")
      #expect(code == 0)
      #expect(output.contains("Executed 1 test, with 1 test skipped and 0 failures"), "\(output)")
    }

    // TST-1: a test that hangs is ended with a report of who waits where.
    @Test func aTestThatHangsIsEnded() async throws {
      let (code, output) = try await fault("testThatHangs")
      #expect(code == 97, "\(output)")
      #expect(output.contains("has not ended within 0.05 seconds. Who waits where:"))
      #expect(output.contains("arrival 1 at gate \"nowhere\""), "\(output)")
    }
  }
#endif
