/// Documents of every kind that an import may meet, as bytes that depend on the parameters only.
package enum Documents {
  /// A sound PDF; a different seed gives different bytes of the same size.
  ///
  /// Complexity: linear in the size, a few microseconds for a small one.
  package static func plain(
    pageCount: Int = 1, byteCount: Int = 2_000, seed: UInt64 = 1
  ) -> [UInt8] {
    var pdf = PDFWriter()
    let root = addPages(pageCount, padding: byteCount, seed: seed, to: &pdf)
    pdf.finish(root: root)
    return pdf.bytes
  }

  /// Catalog, page tree and pages; the first page's content is noise. Returns the catalog.
  static func addPages(
    _ count: Int, padding: Int, seed: UInt64, to pdf: inout PDFWriter
  ) -> Int {
    let root = pdf.object("<</Type /Catalog /Pages 2 0 R>>")
    let kids = (0..<count).map { "\($0 + 4) 0 R" }.joined(separator: " ")
    pdf.object("<</Type /Pages /Count \(count) /Kids [\(kids)]>>")
    pdf.stream("", noise(max(16, padding - 500 - count * 110), seed: seed))
    for _ in 0..<count {
      pdf.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 3 0 R>>")
    }
    return root
  }

  /// Bytes that look random and depend on the seed only.
  package static func noise(_ byteCount: Int, seed: UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      var state = seed
      var word: UInt64 = 0
      for index in 0..<byteCount {
        if index & 7 == 0 {
          // splitmix64
          state &+= 0x9E37_79B9_7F4A_7C15
          word = state
          word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
          word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
          word ^= word >> 31
        }
        buffer[index] = UInt8(truncatingIfNeeded: word)
        word >>= 8
      }
      count = byteCount
    }
  }

  /// A sound PDF behind so many other bytes. None of them is a percent sign.
  package static func leadingJunk(_ byteCount: Int, seed: UInt64 = 1) -> [UInt8] {
    [UInt8](repeating: UInt8(ascii: "j"), count: byteCount) + plain(seed: seed)
  }

  /// A complete PDF whose last pointer leads nowhere.
  package static func wrongStart(seed: UInt64 = 1) -> [UInt8] {
    var pdf = PDFWriter()
    let root = addPages(1, padding: 2_000, seed: seed, to: &pdf)
    pdf.finish(root: root, startOffset: 17)
    return pdf.bytes
  }

  /// A complete PDF and then only zeros.
  package static func trailingZeros(_ byteCount: Int = 65_536, seed: UInt64 = 1) -> [UInt8] {
    plain(seed: seed) + [UInt8](repeating: 0, count: byteCount)
  }

  /// The first part of a PDF, as a broken download leaves it.
  package static func cut(at fraction: Double, byteCount: Int = 4_000, seed: UInt64 = 1) -> [UInt8]
  {
    let whole = plain(pageCount: 2, byteCount: byteCount, seed: seed)
    return Array(whole[..<Int(Double(whole.count) * fraction)])
  }

  /// A PDF whose table and trailer are overwritten while its end marker is kept.
  package static func overwrittenTable(seed: UInt64 = 1) -> [UInt8] {
    var pdf = PDFWriter()
    let root = addPages(1, padding: 2_000, seed: seed, to: &pdf)
    let tableStart = pdf.bytes.count
    pdf.finish(root: root)
    var bytes = pdf.bytes
    let endMarker = Array("startxref\n\(tableStart)\n%%EOF\n".utf8)
    for index in tableStart..<(bytes.count - endMarker.count) { bytes[index] = 0x78 }
    return bytes
  }

  /// A PDF whose page tree is empty.
  package static func noKids() -> [UInt8] {
    var pdf = PDFWriter()
    let root = pdf.object("<</Type /Catalog /Pages 2 0 R>>")
    pdf.object("<</Type /Pages /Count 0 /Kids []>>")
    pdf.finish(root: root)
    return pdf.bytes
  }

  /// A PDF without a page tree.
  package static func noPages() -> [UInt8] {
    var pdf = PDFWriter()
    let root = pdf.object("<</Type /Catalog>>")
    pdf.finish(root: root)
    return pdf.bytes
  }

  /// One page, but the tree says 999,999.
  package static func lyingCount() -> [UInt8] {
    var pdf = PDFWriter()
    let root = pdf.object("<</Type /Catalog /Pages 2 0 R>>")
    pdf.object("<</Type /Pages /Count 999999 /Kids [3 0 R]>>")
    pdf.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>>")
    pdf.finish(root: root)
    return pdf.bytes
  }

  /// A web page, as a login portal serves it under any name.
  package static let html = Array(
    "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please</body></html>\n".utf8)

  /// Nothing but zeros, as a failed synchronisation leaves it.
  package static func zeros(_ byteCount: Int = 8_192) -> [UInt8] {
    [UInt8](repeating: 0, count: byteCount)
  }
}
