/// The few bytes of a file that are looked at without a parser.
package struct FileScan {
  private static let windowByteCount = 65_536
  /// Trailing zeros are passed over up to here; a longer run is a hole, not a careless writer.
  private static let longestZeroRun = 1 << 20

  private let byteCount: UInt64
  private let bytes: (_ offset: UInt64, _ count: Int) -> [UInt8]?

  /// A scan of a file of this size. `bytes` reads a part, shorter at the end of the file, nil
  /// when it cannot.
  package init(byteCount: UInt64, bytes: @escaping (_ offset: UInt64, _ count: Int) -> [UInt8]?) {
    self.byteCount = byteCount
    self.bytes = bytes
  }

  /// Signature and stated length, the end marker taken for granted; nil when the file cannot be
  /// read.
  package func facts() -> DocumentFacts? {
    guard let start = bytes(0, signatureWindowByteCount) else { return nil }
    guard hasPDFSignature(in: start) else {
      return DocumentFacts(byteCount: byteCount, hasSignature: false, hasEndMarker: true)
    }
    return DocumentFacts(
      byteCount: byteCount, hasSignature: true,
      linearizedLength: Self.linearizedLength(in: start), hasEndMarker: true)
  }

  /// The number after `/L` in the dictionary of `/Linearized`.
  static func linearizedLength(in start: [UInt8]) -> UInt64? {
    let window = start.prefix(1_024)
    guard let name = firstIndex(of: "/Linearized", in: window) else { return nil }
    let dictionaryEnd = firstIndex(of: ">>", in: window[name...]) ?? window.endIndex
    let dictionaryStart = lastIndex(of: "<<", in: window[..<name]) ?? name
    var rest = window[dictionaryStart..<dictionaryEnd]
    while let key = firstIndex(of: "/L", in: rest) {
      rest = rest[(key + 2)...]
      let value = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      let digits = value.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      if !digits.isEmpty { return UInt64(String(decoding: digits, as: UTF8.self)) }
    }
    return nil
  }

  /// Looks for `%%EOF` or `startxref` near the end, trailing zeros aside; nil when the file
  /// cannot be read. Only a file that does not open needs it.
  package func findEndMarker() -> Bool? {
    var end = byteCount
    while end > 0, byteCount - end <= UInt64(Self.longestZeroRun) {
      let start = end - min(end, UInt64(Self.windowByteCount))
      guard let window = bytes(start, Int(end - start)) else { return nil }
      let contentCount = window.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
      // A whole window that ends with content, or with the file's first bytes in it, decides.
      if contentCount == window.count || (contentCount > 0 && start == 0) {
        return Self.lastIndex(of: "%%EOF", in: window[...]) != nil
          || Self.lastIndex(of: "startxref", in: window[...]) != nil
      }
      end = start + UInt64(contentCount)
    }
    return false
  }

  private static func firstIndex(of text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes.count >= pattern.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - pattern.count)).first {
      bytes[$0] == pattern[0] && bytes[$0..<($0 + pattern.count)].elementsEqual(pattern)
    }
  }

  private static func lastIndex(of text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes.count >= pattern.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - pattern.count)).last {
      bytes[$0] == pattern[0] && bytes[$0..<($0 + pattern.count)].elementsEqual(pattern)
    }
  }
}
