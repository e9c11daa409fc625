import Synchronization
import Testing

@testable import SettleTerminal

/// What a writer wrote, one element a call.
final class Written: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

@Suite struct TerminalWriterTests {
  // OBS-2
  @Test func itErasesItsOwnLinesOnly() {
    let written = Written()
    let writer = TerminalWriter { written.add($0) }
    writer.draw(["one", "two"], columns: 80)
    writer.draw(["three"], columns: 80)
    writer.clear(columns: 80)
    writer.clear(columns: 80)
    #expect(
      written.all == [
        "one\ntwo",
        "\r\u{1B}[2K\u{1B}[1A\r\u{1B}[2Kthree",
        "\r\u{1B}[2K",
      ])
  }

  // OBS-2
  @Test func messagesGoAboveTheFrame() {
    let written = Written()
    let writer = TerminalWriter { written.add($0) }
    writer.message("before", columns: 80)
    writer.draw(["bar"], columns: 80)
    writer.message("hello", columns: 80)
    #expect(written.all == ["before\n", "bar", "\r\u{1B}[2Khello\nbar"])
  }

  // OBS-2
  @Test func aTerminalThatBecameNarrowerIsErasedWhole() {
    let written = Written()
    let writer = TerminalWriter { written.add($0) }
    writer.draw(["0123456789"], columns: 80)
    writer.draw(["x"], columns: 4)
    let clear = "\r\u{1B}[2K"
    let up = "\u{1B}[1A"
    #expect(written.all.last == clear + up + clear + up + clear + "x")
  }

  // PRG-12
  @Test func theSameFrameIsNotDrawnTwice() {
    let written = Written()
    let writer = TerminalWriter { written.add($0) }
    writer.draw(["bar"], columns: 80)
    writer.draw(["bar"], columns: 80)
    #expect(written.all.count == 1)
  }
}
