import SettleTestSupport
import Testing

@testable import SettleVerify

@Suite struct WireTests {
  // FIL-6
  @Test func aPathOfAnyBytesTravelsAsPrintableASCII() {
    let path = (0...255).map { UInt8($0) }
    let request = Wire.request(path: path)
    #expect(request.last == Wire.newline)
    #expect(request.dropLast().allSatisfy(Wire.isPrintable))
    #expect(Wire.path(inRequest: Array(request.dropLast())) == path)
  }

  // FIL-6
  @Test func aDamagedRequestIsNoPath() {
    for line in ["", "verify", "verify 0", "verify 0g", "verify 0A", "read 00"] {
      #expect(Wire.path(inRequest: Array(line.utf8)) == nil, "\(line)")
    }
  }

  // IMP-5
  @Test func theGreetingNamesTheEngine() {
    #expect(Wire.greeting(engine: "qpdf 11.3.0") == "settle-verify 1 qpdf 11.3.0")
    #expect(Wire.engine(inGreeting: Array("settle-verify 1 qpdf 11.3.0".utf8)) == "qpdf 11.3.0")
    for line in ["settle-verify 2 qpdf 1", "settle-verify 1 ", "hello", "settle-verify 1 \u{1B}["] {
      #expect(Wire.engine(inGreeting: Array(line.utf8)) == nil, "\(line)")
    }
  }

  // IMP-4
  @Test func everyAnswerReadsBackAsItself() {
    let parsers: [DocumentFacts.ParserAnswer?] = [
      nil, .passwordRequired, .outOfMemory, .opened(pageCount: 7, isEncrypted: true),
      .opened(pageCount: 0, isEncrypted: false), .failed(detail: ""),
      .failed(detail: "a b:\n\u{1B}ü"),
    ]
    for plain in parsers {
      for recovered in parsers {
        for stated in [nil, 0, UInt64.max] {
          var facts = DocumentFacts(
            byteCount: .max, hasSignature: true, linearizedLength: stated, hasEndMarker: false)
          facts.plain = plain
          facts.recovered = recovered
          let answer = WireAnswer.facts(facts)
          #expect(WireAnswer(line: Array(answer.line.utf8)) == answer)
        }
      }
    }
    let unreadable = WireAnswer.unreadable(.permissionDenied, errorNumber: 13)
    #expect(WireAnswer(line: Array(unreadable.line.utf8)) == unreadable)
  }

  // IMP-4
  @Test func theLongestAnswerFitsTheLimit() {
    let words = String(repeating: "\u{1B}", count: 100_000)
    var facts = DocumentFacts(
      byteCount: .max, hasSignature: true, linearizedLength: .max, hasEndMarker: true)
    facts.plain = .failed(detail: words)
    facts.recovered = .failed(detail: words)
    #expect(WireAnswer.facts(facts).line.utf8.count <= Wire.longestAnswer)
  }

  // IMP-4
  @Test func rubbishIsNoAnswer() {
    let lines = [
      "", " ", "facts", "facts 1 1 - 1 - - -", "facts 1 2 - 1 - -", "facts -1 1 - 1 - -",
      "facts 1 1 - 1 opened:-1:0 -", "facts 1 1 - 1 opened:1 -", "facts 1 1 - 1 opened:1:0:0 -",
      "facts 1 1 - 1 failed:zz -", "facts 1 1 - 1 failed:0 -", "facts 1 1 x 1 - -",
      "facts 99999999999999999999 1 - 1 - -", "unreadable", "unreadable 3", "unreadable x 3",
      "accepted 3",
      "facts 1 1 - 1 password\t-",
    ]
    for line in lines { #expect(WireAnswer(line: Array(line.utf8)) == nil, "\(line)") }
    var seed: UInt64 = 1
    while seed < 500 {
      let noise = Documents.noise(60, seed: seed)
      #expect(WireAnswer(line: Array("facts ".utf8) + noise) == nil, "seed \(seed)")
      seed += 1
    }
  }
}
