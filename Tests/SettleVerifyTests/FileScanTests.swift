import SettleTestSupport
import Testing

@testable import SettleVerify

@Suite struct FileScanTests {
  private func scan(_ file: [UInt8]) -> FileScan {
    FileScan(byteCount: UInt64(file.count)) { offset, count in
      Array(file.dropFirst(Int(offset)).prefix(count))
    }
  }

  private func facts(_ file: [UInt8]) throws -> DocumentFacts {
    try #require(scan(file).facts())
  }

  private func linearizedLength(_ start: String) -> UInt64? {
    FileScan.linearizedLength(in: Array(start.utf8))
  }

  // IMP-9
  @Test func theStatedLengthIsReadFromTheDictionaryOfLinearized() {
    #expect(linearizedLength("%PDF-1.4\n1 0 obj <</Linearized 1 /L 1234 /H [ 1 2 ]>>") == 1_234)
    #expect(linearizedLength("<< /Linearized 1\n/L\n0000000077>>") == 77)
    #expect(linearizedLength("<</L 5/Linearized 1>>") == 5)
    #expect(linearizedLength("<</Linearized 1/L 99999999999999999999999>>") == nil)
    #expect(linearizedLength("<</Linearized 1>> <</L 5>>") == nil)
    #expect(linearizedLength("<</L 5>>") == nil)
    #expect(linearizedLength("<</Linearized 1 /L") == nil)
    #expect(linearizedLength("") == nil)
  }

  // IMP-9
  @Test func aLinearizedFileStatesItsOwnLength() throws {
    let whole = Documents.linearized()
    #expect(try facts(whole).linearizedLength == UInt64(whole.count))
    #expect(try !facts(whole).isShorterThanStated)
    #expect(try facts(Documents.linearizedCut()).isShorterThanStated)
  }

  // IMP-9
  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000])
  func theEndMarkerIsFoundBeforeTrailingZeros(zeroCount: Int) {
    #expect(scan(Documents.trailingZeros(zeroCount)).findEndMarker() == true)
  }

  // IMP-9
  @Test func noEndMarkerIsFoundInACutFileOrBehindALongHole() {
    #expect(scan(Documents.cut(at: 0.5)).findEndMarker() == false)
    #expect(scan(Documents.trailingZeros(1_200_000)).findEndMarker() == false)
    let header = Array("%PDF-1.4\n".utf8)
    #expect(scan(header + Documents.zeros(3_000_000)).findEndMarker() == false)
  }

  // IMP-9
  @Test func anEndMarkerAcrossTwoWindowsIsFound() {
    let before = Array("%PDF-1.4\n".utf8) + Documents.noise(70_000, seed: 3)
    for zeroCount in (65_536 - 12)...(65_536 + 2) {
      let file = before + Array("\n%%EOF\n".utf8) + Documents.zeros(zeroCount)
      #expect(scan(file).findEndMarker() == true, "\(zeroCount) zeros")
    }
  }

  // IMP-10
  @Test func aFileThatCannotBeReadHasNoFacts() {
    let scan = FileScan(byteCount: 10) { _, _ in nil }
    #expect(scan.facts() == nil)
    #expect(scan.findEndMarker() == nil)
  }
}
