/// Writes PDFs byte by byte, right or wrong as a test wants them.
package struct PDFWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8]
  /// Where each object starts, by number; the first is unused.
  package private(set) var offsets: [Int] = [0]

  /// A file that starts with its signature.
  package init(version: String = "1.4") { bytes = Array("%PDF-\(version)\n%\u{E9}\u{E8}\n".utf8) }

  /// The number that the next object gets.
  package var nextNumber: Int { offsets.count }

  /// Appends bytes that are no object.
  package mutating func raw(_ text: String) { bytes += Array(text.utf8) }

  /// Appends an object and returns its number.
  @discardableResult
  package mutating func object(_ body: String) -> Int {
    offsets.append(bytes.count)
    raw("\(offsets.count - 1) 0 obj\n\(body)\nendobj\n")
    return offsets.count - 1
  }

  /// Appends a stream object and returns its number.
  @discardableResult
  package mutating func stream(_ dictionary: String, _ content: [UInt8]) -> Int {
    offsets.append(bytes.count)
    raw("\(offsets.count - 1) 0 obj\n<<\(dictionary) /Length \(content.count)>>\nstream\n")
    bytes += content
    raw("\nendstream\nendobj\n")
    return offsets.count - 1
  }

  /// Appends the table, the trailer and the end marker.
  package mutating func finish(root: Int, trailer: String = "", startOffset: Int? = nil) {
    let start = bytes.count
    raw("xref\n0 \(offsets.count)\n0000000000 65535 f \n")
    for offset in offsets.dropFirst() { raw(Self.tableEntry(offset)) }
    raw("trailer\n<</Size \(offsets.count) /Root \(root) 0 R \(trailer)>>\n")
    raw("startxref\n\(startOffset ?? start)\n%%EOF\n")
  }

  /// One line of a table, 20 bytes.
  package static func tableEntry(_ offset: Int) -> String {
    digits(offset, count: 10) + " 00000 n \n"
  }

  /// A number with leading zeros.
  package static func digits(_ number: Int, count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
