extension Documents {
  /// A PDF laid out for the web: its length is stated at the start, and its first table comes
  /// before its pages.
  package static func linearized(byteCount: Int = 6_000, seed: UInt64 = 1) -> [UInt8] {
    // All numbers in the front part have a fixed width, so a first pass learns the places.
    let draft = LinearizedLayout().bytes(byteCount: byteCount, seed: seed)
    return draft.layout.bytes(byteCount: byteCount, seed: seed).bytes
  }

  /// The first part of such a PDF.
  package static func linearizedCut(at fraction: Double = 2.0 / 3, seed: UInt64 = 1) -> [UInt8] {
    let whole = linearized(seed: seed)
    return Array(whole[..<Int(Double(whole.count) * fraction)])
  }
}

/// The places that the front part of a linearized file names.
private struct LinearizedLayout {
  var length = 0
  var mainTable = 0
  var offsets = [Int](repeating: 0, count: 6)

  func bytes(byteCount: Int, seed: UInt64) -> (bytes: [UInt8], layout: LinearizedLayout) {
    var found = LinearizedLayout()
    var text = Array("%PDF-1.4\n".utf8)
    func number(_ value: Int) -> String { PDFWriter.digits(value, count: 10) }
    func add(_ index: Int, _ body: String) {
      found.offsets[index] = text.count
      text += Array("\(index) 0 obj\n\(body)\nendobj\n".utf8)
    }
    add(
      3,
      "<</Linearized 1 /L \(number(length)) /H [ 0 0 ] /O 5 /E 0 /N 1 /T \(number(mainTable))>>")
    let firstTable = text.count
    var front = "xref\n3 3\n"
    for index in 3...5 { front += PDFWriter.tableEntry(offsets[index]) }
    front += "trailer\n<</Size 6 /Root 4 0 R /Prev \(number(mainTable))>>\nstartxref\n0\n%%EOF\n"
    text += Array(front.utf8)
    add(4, "<</Type /Catalog /Pages 1 0 R>>")
    add(5, "<</Type /Page /Parent 1 0 R /MediaBox [0 0 200 200] /Contents 2 0 R>>")
    let content = Documents.noise(max(16, byteCount - 900), seed: seed)
    found.offsets[2] = text.count
    text += Array("2 0 obj\n<</Length \(content.count)>>\nstream\n".utf8) + content
    text += Array("\nendstream\nendobj\n".utf8)
    add(1, "<</Type /Pages /Count 1 /Kids [5 0 R]>>")
    found.mainTable = text.count
    var end = "xref\n0 3\n0000000000 65535 f \n"
    for index in 1...2 { end += PDFWriter.tableEntry(offsets[index]) }
    end += "trailer\n<</Size 3>>\nstartxref\n\(firstTable)\n%%EOF\n"
    text += Array(end.utf8)
    found.length = text.count
    return (text, found)
  }
}
