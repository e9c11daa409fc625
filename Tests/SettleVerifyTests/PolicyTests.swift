import SettleCore
import Testing

@testable import SettleVerify

@Suite struct PolicyTests {
  private func facts(
    stated: UInt64? = nil, end: Bool = true, _ plain: DocumentFacts.ParserAnswer?,
    _ recovered: DocumentFacts.ParserAnswer? = nil
  ) -> DocumentFacts {
    var facts = DocumentFacts(
      byteCount: 1_000, hasSignature: true, linearizedLength: stated, hasEndMarker: end)
    facts.plain = plain
    facts.recovered = recovered
    return facts
  }

  private func code(_ facts: DocumentFacts) -> SettleError.Code? {
    if case .refused(let code, _) = Verdict(facts) { return code }
    return nil
  }

  // IMP-4
  @Test func withoutASignatureNothingElseCounts() {
    var unsigned = facts(.opened(pageCount: 3, isEncrypted: false))
    unsigned.hasSignature = false
    #expect(code(unsigned) == .notAPDF)
  }

  // IMP-4
  @Test func aFileThatOpensAsItIsIsAccepted() {
    #expect(
      Verdict(facts(.opened(pageCount: 3, isEncrypted: false)))
        == .accepted(pageCount: 3, flags: []))
    #expect(
      Verdict(facts(.opened(pageCount: 1, isEncrypted: true)))
        == .accepted(pageCount: 1, flags: [.encrypted]))
  }

  // IMP-4
  @Test func aRecoveredFileIsAcceptedAndFlagged() {
    let broken = DocumentFacts.ParserAnswer.failed(detail: "x")
    #expect(
      Verdict(facts(broken, .opened(pageCount: 2, isEncrypted: true)))
        == .accepted(pageCount: 2, flags: [.repaired, .encrypted]))
    #expect(
      Verdict(
        facts(.opened(pageCount: 0, isEncrypted: false), .opened(pageCount: 2, isEncrypted: false)))
        == .accepted(pageCount: 2, flags: [.repaired]))
  }

  // IMP-9
  @Test func aCutFileIsIncompleteEvenWhenPagesCouldBeSaved() {
    let broken = DocumentFacts.ParserAnswer.failed(detail: "x")
    let saved = DocumentFacts.ParserAnswer.opened(pageCount: 2, isEncrypted: false)
    #expect(code(facts(end: false, broken, saved)) == .incomplete)
    #expect(code(facts(end: false, broken, broken)) == .incomplete)
    #expect(code(facts(stated: 1_001, broken, saved)) == .incomplete)
    #expect(code(facts(stated: 1_001, .opened(pageCount: 0, isEncrypted: false))) == .incomplete)
    #expect(code(facts(stated: 1_000, broken, broken)) == .damaged)
  }

  // IMP-4
  @Test func passwordsPagesAndLimitsHaveTheirOwnCodes() {
    let broken = DocumentFacts.ParserAnswer.failed(detail: "x")
    let empty = DocumentFacts.ParserAnswer.opened(pageCount: 0, isEncrypted: false)
    #expect(code(facts(.passwordRequired)) == .passwordRequired)
    #expect(code(facts(broken, .passwordRequired)) == .passwordRequired)
    #expect(code(facts(empty, empty)) == .noPages)
    #expect(code(facts(empty, broken)) == .noPages)
    #expect(code(facts(broken, empty)) == .noPages)
    #expect(code(facts(.outOfMemory)) == .tooComplex)
    #expect(code(facts(end: false, broken, .outOfMemory)) == .tooComplex)
    #expect(Verdict(facts(broken, broken)) == .refused(.damaged, detail: "x"))
  }

  // IMP-10
  @Test func anUnreadableFileSaysWhy() {
    for reason in WireAnswer.Reason.allCases {
      let verdict = Verdict(.unreadable(reason, errorNumber: 5))
      let code = SettleError.Code(rawValue: reason.rawValue)
      #expect(verdict == .refused(code, detail: "error 5"))
    }
  }

  // IMP-4
  @Test(arguments: [(0, true), (3, true), (200, true), (1_023, true), (1_024, false)])
  func theSignatureStartsWithinTheFirst1024Bytes(offset: Int, isFound: Bool) {
    let file = [UInt8](repeating: 0x6A, count: offset) + Array("%PDF-1.7\n".utf8)
    #expect(hasPDFSignature(in: file) == isFound)
    #expect(hasPDFSignature(in: Array(file.prefix(signatureWindowByteCount))) == isFound)
  }

  // IMP-4
  @Test func aCutSignatureIsNone() {
    #expect(!hasPDFSignature(in: []))
    #expect(!hasPDFSignature(in: Array("%PDF".utf8)))
    #expect(!hasPDFSignature(in: Array("%PD%PD-".utf8)))
  }
}
