/// What the helper found out about one file, before anybody judges it.
package struct DocumentFacts: Sendable, Hashable {
  /// What a parser said.
  package enum ParserAnswer: Sendable, Hashable {
    /// It opened the file and found so many pages, perhaps none.
    case opened(pageCount: Int, isEncrypted: Bool)
    /// It needs a password that is not empty.
    case passwordRequired
    /// It reached the memory limit.
    case outOfMemory
    /// It could not open the file; a detail in the parser's words.
    case failed(detail: String)
  }

  /// The size of the file.
  package var byteCount: UInt64
  /// The signature starts in the first 1,024 bytes.
  package var hasSignature: Bool
  /// The whole file's length as a linearized file states it.
  package var linearizedLength: UInt64?
  /// `%%EOF` or `startxref` is near the end, trailing zeros aside. True for a file that opens:
  /// then nobody looks.
  package var hasEndMarker: Bool
  /// The parser's answer without recovery; nil without a signature.
  package var plain: ParserAnswer?
  /// The parser's answer with recovery; nil when it was not needed.
  package var recovered: ParserAnswer?

  /// Facts about a file that no parser has seen yet.
  package init(
    byteCount: UInt64, hasSignature: Bool, linearizedLength: UInt64? = nil, hasEndMarker: Bool
  ) {
    self.byteCount = byteCount
    self.hasSignature = hasSignature
    self.linearizedLength = linearizedLength
    self.hasEndMarker = hasEndMarker
  }

  /// The file states a length that it does not have.
  package var isShorterThanStated: Bool { (linearizedLength ?? 0) > byteCount }
}

/// How many bytes ``hasPDFSignature(in:)`` wants to see.
package let signatureWindowByteCount = 1_024 + pdfSignature.count - 1

private let pdfSignature = Array("%PDF-".utf8)

/// True when `%PDF-` starts within the first 1,024 bytes.
///
/// Give it the first ``signatureWindowByteCount`` bytes of the file, or all of a shorter one;
/// further bytes are ignored.
package func hasPDFSignature(in start: [UInt8]) -> Bool {
  let window = start.prefix(signatureWindowByteCount)
  guard window.count >= pdfSignature.count else { return false }
  return (0...(window.count - pdfSignature.count)).contains { offset in
    window[offset] == pdfSignature[0]
      && window[offset..<(offset + pdfSignature.count)].elementsEqual(pdfSignature)
  }
}
