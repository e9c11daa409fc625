import SettleFiles
import Testing

@testable import SettleCommand

@Suite struct JSONTests {
  // OBS-2
  @Test func linesAreOneLineAndEscaped() {
    let value = JSON.object([
      ("text", .text("a\"b\\c\n\r\t\u{0}\u{1B}\u{7F}\u{2028}é😀")), ("none", .null),
      ("yes", .bool(true)), ("n", .int(-5)), ("x", .number(0.25)), ("bad", .number(.nan)),
      ("huge", .number(.infinity)), ("list", .list([.int(1), .text("")])),
      ("object", .object([])),
    ])
    #expect(
      value.line
        == #"{"text":"a\"b\\c\n\r\t\u0000\u001b\u007f\u2028é😀","none":null,"yes":true,"n":-5,"#
        + #""x":0.25,"bad":null,"huge":null,"list":[1,""],"object":{}}"#)
  }

  // FIL-6
  @Test func namesThatAreNoTextCarryTheirBytes() {
    #expect(JSON.object(JSON.name("name", bytes("ä\n"))).line == #"{"name":"ä\n"}"#)
    #expect(
      JSON.object(JSON.name("name", [0x61, 0xFF])).line
        == #"{"name":"a\\xFF","name_bytes":"Yf8="}"#)
  }

  // FIL-6
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func base64IsThatOfTheStandard(text: String, encoded: String) {
    #expect(Base64.encoded(bytes(text)) == encoded)
  }

  // IMP-5
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_042, "2024-02-29T23:59:59.042Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (1_796_003_297_000, "2026-11-30T01:48:17.000Z"),
    (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
  ])
  func timesFollowTheCalendar(milliseconds: Int64, text: String) {
    #expect(CivilTime.iso8601(milliseconds: milliseconds) == text)
  }
}
