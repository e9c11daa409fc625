import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct WatchdogTests {
  // TST-1: work that ends in time is left alone, and so is its error.
  @Test func workThatEndsIsLeftAlone() async throws {
    let kit = TestKit()
    let value = try await Watchdog.watching(kit, .init("quick")) { 42 }
    #expect(value == 42)
    await #expect(throws: CancellationError.self) {
      try await Watchdog.watching(kit, .init("failing")) { throw CancellationError() }
    }
  }

  // TST-1: a hung test is ended, with the table printed and its report written.
  @Test func aHungTestIsEndedWithItsReport() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(Watchdog.exitCode),
      observing: [\.standardErrorContent]
    ) {
      // The report's place is said before, because an exit test cannot be given values.
      setenv("SETTLE_REPORT", "/tmp/settle-watchdog-\(getpid()).jsonl", 1)
      let kit = TestKit()
      kit.trace.record(.started, item: "3")
      var options = Watchdog.Options("hung")
      options.limit = .milliseconds(200)
      options.report = BytePath(String(cString: getenv("SETTLE_REPORT")))
      try await Watchdog.watching(kit, options) {
        try await kit.gate("never-opened").pass(item: 3)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("settle: \"hung\" has not ended within 0.2 seconds. Who waits where:"))
    #expect(text.contains("  held at gate \"never-opened\": item 3, arrival 1 of generation 1"))
    #expect(text.contains("  event 1: item 3: started"))
    let mark = "settle: the report is at "
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(mark) })
    let path = BytePath(line.dropFirst(mark.count))
    defer { _ = path.withCString { unlink($0) } }
    let events = try TraceReader.events(try readFile(path))
    #expect(events.map(\.kind) == [.started, .note, .note])
    #expect(events[1].name == "hung" && events[2].name == "parked")
    #expect(!RuleSet.settle.judge(events).isClean)
  }

  private func readFile(_ path: BytePath) throws -> [UInt8] {
    let files = PosixFileSystem()
    let handle = try files.openSource(path, followsLink: false)
    defer { files.close(handle) }
    return try files.readStart(of: handle, byteCount: 65_536)
  }
}
