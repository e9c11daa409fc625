import Testing

@testable import SettleTerminal

@Suite struct LayoutTests {
  // OBS-2
  @Test(arguments: [
    ("abc", 3), ("", 0), ("e\u{301}", 1), ("日本", 4), ("ﾊﾝ", 2), ("한글", 4), ("👩‍👩‍👧", 2),
    ("❤️", 2), ("🇩🇪", 2), ("é", 1), ("\u{200B}", 0), ("ａ", 2),
  ])
  func widthsFollowTheTerminal(text: String, width: Int) {
    #expect(ColumnWidth.of(text) == width)
  }

  // OBS-2
  @Test func cuttingNeverSplitsAGraphemeAndNeverExceedsTheWidth() {
    #expect(ColumnWidth.fitted("日本語の書類", columns: 8) == "日本...")
    #expect(ColumnWidth.fitted("日本語", columns: 6) == "日本語")
    #expect(ColumnWidth.fitted("abcdef", columns: 2) == "..")
    #expect(ColumnWidth.fitted("abcdef", columns: 0) == "")
    #expect(ColumnWidth.padded("日本", columns: 6) == "日本  ")
    #expect(ColumnWidth.padded("日本語の書類", columns: 8) == "日本... ")
  }

  // PRG-9
  @Test func bytesUseDecimalUnitsAndRoundDown() {
    #expect(Quantity.bytes(-1) == "0 B")
    #expect(Quantity.bytes(999) == "999 B")
    #expect(Quantity.bytes(1_000) == "1.0 kB")
    #expect(Quantity.bytes(1_299) == "1.2 kB")
    #expect(Quantity.bytes(9_999) == "9.9 kB")
    #expect(Quantity.bytes(10_000) == "10 kB")
    #expect(Quantity.bytes(999_999) == "999 kB")
    #expect(Quantity.bytes(264_000_000) == "264 MB")
    #expect(Quantity.bytes(.max) == "9.2 EB")
  }

  // PRG-14
  @Test func ratesAndDurationsAreShort() {
    #expect(Quantity.rate(85_400_000) == "85 MB/s")
    #expect(Quantity.rate(.nan) == nil)
    #expect(Quantity.rate(.infinity) == nil)
    #expect(Quantity.rate(-1) == nil)
    #expect(Quantity.duration(.milliseconds(5_900)) == "0:05")
    #expect(Quantity.duration(.seconds(754)) == "12:34")
    #expect(Quantity.duration(.seconds(3_723)) == "1:02:03")
    #expect(Quantity.duration(.seconds(-3)) == "0:00")
  }

  // OBS-2
  @Test func countsHaveSeparators() {
    #expect(Quantity.count(0) == "0")
    #expect(Quantity.count(999) == "999")
    #expect(Quantity.count(1_204) == "1,204")
    #expect(Quantity.count(-1_234_567) == "-1,234,567")
    #expect(Quantity.count(1, "file", "files") == "1 file")
  }
}
