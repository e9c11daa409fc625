/// Small, sound PDFs that the program makes itself: for the demo, for `doctor`, for benchmarks.
package enum SampleDocument {
  /// A right PDF with one page that shows a title.
  ///
  /// - Parameters:
  ///   - title: Shown on the page; ASCII letters, digits and spaces.
  ///   - padding: Bytes that make it larger without changing what a reader sees.
  ///   - seed: Another seed gives other padding: documents of one size with different content.
  package static func pdf(title: String, padding: Int = 0, seed: UInt64 = 0) -> [UInt8] {
    var file = Writer()
    let text = "BT /F1 24 Tf 72 720 Td (\(title)) Tj ET"
    file.object("<< /Type /Catalog /Pages 2 0 R >>")
    file.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
    file.object(
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        + "/Resources << /Font << /F1 5 0 R >> >> >>")
    file.object("<< /Length \(text.utf8.count) >>\nstream\n\(text)\nendstream")
    file.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    if padding > 0 { file.padding(padding, seed: seed) }
    return file.finished()
  }

  private struct Writer {
    private var bytes = Array("%PDF-1.4\n".utf8)
    private var offsets: [Int] = []

    mutating func object(_ body: String) {
      offsets.append(bytes.count)
      bytes += Array("\(offsets.count) 0 obj\n\(body)\nendobj\n".utf8)
    }

    /// A stream that no page uses: any bytes, as in a picture.
    mutating func padding(_ byteCount: Int, seed: UInt64) {
      offsets.append(bytes.count)
      bytes += Array("\(offsets.count) 0 obj\n<< /Length \(byteCount) >>\nstream\n".utf8)
      var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
      var left = byteCount
      while left > 0 {
        // xorshift64: quick, and no two documents of a benchmark share a block.
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        withUnsafeBytes(of: state) { bytes += $0.prefix(left) }
        left -= 8
      }
      bytes += Array("\nendstream\nendobj\n".utf8)
    }

    mutating func finished() -> [UInt8] {
      let start = bytes.count
      var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
      for offset in offsets {
        let digits = String(offset)
        table += String(repeating: "0", count: 10 - digits.utf8.count) + digits + " 00000 n \n"
      }
      table += "trailer\n<< /Size \(offsets.count + 1) /Root 1 0 R >>\n"
      table += "startxref\n\(start)\n%%EOF\n"
      return bytes + Array(table.utf8)
    }
  }
}
