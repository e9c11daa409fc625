/// Writes small PDFs for the demo: plain text on a page, nothing else.
enum DemoDocument {
  /// A right PDF with one page that shows a title; `padding` bytes make it larger.
  static func pdf(title: String, padding: Int = 0) -> [UInt8] {
    var file = Writer()
    let text = "BT /F1 24 Tf 72 720 Td (\(title)) Tj ET"
    file.object("<< /Type /Catalog /Pages 2 0 R >>")
    file.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
    file.object(
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        + "/Resources << /Font << /F1 5 0 R >> >> >>")
    file.object("<< /Length \(text.utf8.count) >>\nstream\n\(text)\nendstream")
    file.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    // A comment takes any bytes and changes nothing for a reader.
    if padding > 0 { file.comment(byteCount: padding) }
    return file.finished()
  }

  /// A download that broke off: the first half of a right PDF.
  static func cutOff() -> [UInt8] {
    let whole = pdf(title: "cut off")
    return Array(whole.prefix(whole.count / 2))
  }

  /// A web page that was saved under the name of a PDF.
  static let webPage = Array("<html><body>404 Not Found</body></html>\n".utf8)

  private struct Writer {
    private var bytes = Array("%PDF-1.4\n".utf8)
    private var offsets: [Int] = []

    mutating func object(_ body: String) {
      offsets.append(bytes.count)
      bytes += Array("\(offsets.count) 0 obj\n\(body)\nendobj\n".utf8)
    }

    mutating func comment(byteCount: Int) {
      bytes += [UInt8(ascii: "%")]
      bytes += [UInt8](repeating: UInt8(ascii: "-"), count: byteCount)
      bytes += [UInt8(ascii: "\n")]
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
