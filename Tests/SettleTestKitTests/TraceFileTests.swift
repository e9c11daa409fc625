import SettleCore
import SettleTestKit
import SettleTestSupport
import Testing

@Suite struct TraceFileTests {
  // TST-2: what was written is read back, field by field.
  @Test func aTraceSurvivesItsFile() throws {
    let trace = Trace(run: "a \"run\"\n\u{2028}")
    for event in Traces.whole { trace.record(event) }
    trace.record(.note, item: "ü\u{0}\u{1F600}", name: "x\\y", detail: "\t")
    let read = try TraceReader.events(Array(trace.lines().utf8))
    #expect(read == trace.events)
    #expect(trace.lines().split(separator: "\n").count == trace.events.count + 1)
  }

  // TST-2: what other programs write: spaces, numbers as items, escapes, members we do not know.
  @Test func tracesOfOtherProgramsAreRead() throws {
    let text = """
      {"version": 1.0, "trace": "settle", "tool": {"name": "pytest"}}\r

      { "kind" : "effect", "item" : 7, "attempt" : 2e0, "name":"wr\\u0069te \\ud83d\\ude00\\/" }\r
      {"kind":"progress","fraction":2.5e-1,"items":3,"name":null,"time":"12:00"}
      {"kind":"started","item":"b","needs":[7,"a"]}
      {"trace":"settle","version":1}
      {"kind":"outcome","name":"failed","counts":{"failed":1}}
      """
    let events = try TraceReader.events(Array(text.utf8))
    #expect(events.count == 4)
    #expect(events[0].item == "7" && events[0].attempt == 2)
    #expect(events[0].name == "write \u{1F600}/")
    #expect(events[1].fraction == 0.25 && events[1].items == 3)
    #expect(events[2].needs == ["7", "a"])
    #expect(events[3].counts?.failed == 1)
  }

  static let header = TraceWriter.header + "\n"

  // TST-2: what is no trace is refused where it stops being one.
  @Test(arguments: [
    ("", 1, 1, "the file is empty"),
    (header, 2, 1, "the trace has no events"),
    ("{\"kind\":\"note\"}", 1, 1, "the first line must be"),
    ("{\"trace\":\"settle\",\"version\":2}", 1, 29, "version 1"),
    (header + "{\"kind\":\"efect\"}", 2, 9, "there is no kind"),
    (header + "{\"name\":\"x\"}", 2, 1, "needs a kind"),
    (header + "{\"kind\":\"outcome\",\"name\":\"done\"}", 2, 26, "succeeded, failed"),
    (header + "{\"kind\":\"note\",\"attempt\":-1}", 2, 26, "whole number"),
    (header + "{\"kind\":\"note\",\"attempt\":1.5}", 2, 26, "whole number"),
    (header + "{\"kind\":\"note\",\"item\":true}", 2, 23, "whole number"),
    (header + "{\"kind\":\"note\",\"kind\":\"note\"}", 2, 16, "second time"),
    (header + "{\"kind\":\"note\"} x", 2, 17, "something follows"),
    (header + "{\"kind\":\"no", 2, 12, "inside a text"),
    (header + "{\"kind\":\"\\q\"}", 2, 11, "no such escape"),
    (header + "{\"kind\":\"\\ud800\"}", 2, 16, "half a character"),
    (header + "[1]", 2, 1, "must be an object"),
    (header + "{\"kind\":01}", 2, 9, "no JSON value"),
    (header + "{\"kind\":\"note\",}", 2, 16, "name in quotes"),
    (header + "{\"a\":" + String(repeating: "[", count: 40), 2, 37, "too deeply"),
    ("hello", 1, 1, "no JSON value"),
  ])
  func whatIsNoTraceIsRefused(_ text: String, _ line: Int, _ column: Int, _ part: String) {
    let error = #expect(throws: TraceError.self) { try TraceReader.events(Array(text.utf8)) }
    #expect(error?.line == line && error?.column == column, "\(error.map(\.description) ?? "")")
    #expect(error?.message.contains(part) == true, "\(error.map(\.description) ?? "")")
  }

  // TST-2: bytes that are no text are refused like anything else, at their text.
  @Test func bytesThatAreNoTextAreRefused() {
    let bytes = Array(Self.header.utf8) + Array("{\"kind\":\"".utf8) + [0xFF] + Array("\"}".utf8)
    let error = #expect(throws: TraceError.self) { try TraceReader.events(bytes) }
    #expect(error == TraceError(line: 2, column: 9, message: "the text is not UTF-8"))
  }

  // TST-2: any damage to a file ends in an error or in events, never in a trap.
  @Test func damagedFilesNeverTrap() {
    var random = SeededGenerator(seed: 7)
    let trace = Trace()
    for event in Traces.whole { trace.record(event) }
    let bytes = Array(trace.lines().utf8)
    var refused = 0
    for _ in 0..<2_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      do throws(TraceError) {
        _ = RuleSet.settle.judge(try TraceReader.events(damaged))
      } catch { refused += 1 }
    }
    #expect(refused > 200, "seed 7")
  }

  // TST-2: names of events as code tells them through the probe.
  @Test func theProbeTranslatesNames() {
    let trace = Trace(run: "r")
    let probe = TraceProbe(trace)
    probe.event(ProbeEvent("effect.write#2", item: 3, detail: "3.pdf"))
    probe.event(ProbeEvent("outcome.cancelled", item: 3))
    probe.event(ProbeEvent("progress.copy", detail: "0.5"))
    probe.event(ProbeEvent("outcome.wonderful"))
    probe.event(ProbeEvent("something.else"))
    let events = trace.events
    #expect(events.map(\.kind) == [.effect, .outcome, .progress, .note, .note])
    #expect(events[0].item == "3" && events[0].attempt == 2 && events[0].name == "write")
    #expect(events[2].fraction == 0.5 && events[2].item == nil && events[2].run == "r")
    #expect(events[3].name == "outcome.wonderful")
  }
}
