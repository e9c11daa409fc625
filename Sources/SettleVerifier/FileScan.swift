import CSettleSystem
import SettleVerify

/// The few bytes of a file that are looked at without a parser.
struct FileScan {
  private static let windowByteCount = 65_536
  /// Trailing zeros are passed over up to here; a longer run is a hole, not a careless writer.
  private static let longestZeroRun = 1 << 20

  let descriptor: Int32
  let byteCount: UInt64

  /// Signature, stated length and end marker; nil with errno when the file cannot be read.
  func facts() -> DocumentFacts? {
    guard let start = bytes(at: 0, count: signatureWindowByteCount) else { return nil }
    guard hasPDFSignature(in: start) else {
      return DocumentFacts(byteCount: byteCount, hasSignature: false, hasEndMarker: false)
    }
    guard let hasEndMarker = findEndMarker() else { return nil }
    return DocumentFacts(
      byteCount: byteCount, hasSignature: true,
      linearizedLength: Self.linearizedLength(in: start), hasEndMarker: hasEndMarker)
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

  private func findEndMarker() -> Bool? {
    var end = byteCount
    var window: [UInt8] = []
    repeat {
      let start = end - min(end, UInt64(Self.windowByteCount))
      guard let bytes = bytes(at: start, count: Int(end - start)) else { return nil }
      let content = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
      end = start + UInt64(content)
      window = Array(bytes[..<content])
    } while window.isEmpty && end > 0 && byteCount - end <= UInt64(Self.longestZeroRun)
    // The zeros may have ended in the middle of a window: look at a whole one before them.
    let start = end - min(end, UInt64(Self.windowByteCount))
    guard !window.isEmpty else { return false }
    guard let tail = bytes(at: start, count: Int(end - start)) else { return nil }
    return Self.lastIndex(of: "%%EOF", in: tail[...]) != nil
      || Self.lastIndex(of: "startxref", in: tail[...]) != nil
  }

  private func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset) + off_t(done))
      }
      if got < 0 && settle_errno() == EINTR { continue }
      guard got >= 0 else { return nil }
      if got == 0 { break }
      done += got
    }
    return Array(bytes[..<done])
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
