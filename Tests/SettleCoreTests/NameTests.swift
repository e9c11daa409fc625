import SettleCore
import SettleTestSupport
import Testing

@Suite struct NameTests {
  // FIL-6: no name can move the cursor, turn text around or look like another.
  @Test(arguments: [
    ("plain.pdf", "plain.pdf"), ("a\nb", "a\\nb"), ("a\u{1B}[2J", "a\\x1B[2J"),
    ("\u{202E}fdp.exe", "\\u{202E}fdp.exe"), ("a\\b", "a\\\\b"), ("a\"b", "a\\\"b"),
    ("é", "é"), ("zero\u{200B}width", "zero\\u{200B}width"), ("\u{85}", "\\u{85}"),
  ])
  func aNameIsShownSafely(name: String, expected: String) {
    #expect(shown(Array(name.utf8)) == expected)
  }

  // FIL-6: a scalar and the lone byte of the same number are two names.
  @Test(arguments: UInt8(0x80)...0x9F)
  func aControlAndItsLoneByteAreShownApart(byte: UInt8) {
    #expect(shown(Array(String(Unicode.Scalar(byte)).utf8)) != shown([byte]))
  }

  // FIL-6
  @Test func bytesThatAreNotUTF8AreShownAsHex() {
    #expect(shown([0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80]) == "a\\xFF\\xC3(\\xED\\xA0\\x80")
    #expect(!isUTF8([0xFF]))
  }

  // RUN-10
  @Test func idsSortByTimeAndReadBack() throws {
    var random = SeededGenerator(seed: 7)
    let early = SortableID(milliseconds: 1_000, using: &random)
    let late = SortableID(milliseconds: 1_001, using: &random)
    #expect(early < late)
    #expect(early.description < late.description)
    #expect(early.description.utf8.count == 26)
    #expect(SortableID(late.description) == late)
    #expect(late.milliseconds == 1_001)
    for wrong in ["", "abc", "8" + String(repeating: "0", count: 25), late.description + "0"] {
      #expect(SortableID(wrong) == nil)
    }
  }

  // RUN-10: two ids of one moment differ by 80 random bits.
  @Test func idsOfOneMomentDiffer() {
    var random = SystemRandomNumberGenerator()
    let ids = (0..<1_000).map { _ in SortableID(milliseconds: 5, using: &random) }
    #expect(Set(ids).count == 1_000)
  }
}
