extension Documents {
  /// A page tree so deep that a recursive parser runs out of stack.
  package static func deepTree(_ depth: Int = 30_000) -> [UInt8] {
    var pdf = PDFWriter()
    let root = pdf.object("<</Type /Catalog /Pages 2 0 R>>")
    for level in 0..<depth {
      let parent = level == 0 ? "" : "/Parent \(level + 1) 0 R "
      pdf.object("<</Type /Pages \(parent)/Count 1 /Kids [\(level + 3) 0 R]>>")
    }
    pdf.object("<</Type /Page /Parent \(depth + 1) 0 R /MediaBox [0 0 200 200]>>")
    pdf.finish(root: root)
    return pdf.bytes
  }

  /// A small file whose object stream inflates to more than the given size.
  package static func objectStreamBomb(inflatedByteCount: Int = 1_200_000_000) -> [UInt8] {
    let objects = [
      "<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>",
      "<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200]>>",
    ]
    var header = ""
    var offset = 0
    for (index, object) in objects.enumerated() {
      header += "\(index + 1) \(offset) "
      offset += object.utf8.count + 1
    }
    var deflate = FixedDeflate()
    deflate.literals(header + objects.joined(separator: " "))
    deflate.literals(" ")
    deflate.repeatLast(atLeast: inflatedByteCount)

    var pdf = PDFWriter(version: "1.5")
    let streamOffset = pdf.bytes.count
    pdf.raw("4 0 obj\n<</Type /ObjStm /N 3 /First \(header.utf8.count) /Filter /FlateDecode ")
    let packed = deflate.finish()
    pdf.raw("/Length \(packed.count)>>\nstream\n")
    var bytes = pdf.bytes + packed
    bytes += Array("\nendstream\nendobj\n".utf8)
    bytes += tableStream(at: bytes.count, streamOffset: streamOffset)
    return bytes
  }

  /// The table of the bomb: objects 1 to 3 are in stream 4, the table itself is object 5.
  private static func tableStream(at tableOffset: Int, streamOffset: Int) -> [UInt8] {
    var rows: [UInt8] = [0, 0, 0, 0, 0, 0]
    for index in 0..<3 { rows += [2, 0, 0, 0, 4, UInt8(index)] }
    for offset in [streamOffset, tableOffset] {
      rows += [1] + (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - 8 * $0)) } + [0]
    }
    var bytes = Array("5 0 obj\n<</Type /XRef /Size 6 /Root 1 0 R /W [1 4 1] ".utf8)
    bytes += Array("/Length \(rows.count)>>\nstream\n".utf8) + rows
    bytes += Array("\nendstream\nendobj\nstartxref\n\(tableOffset)\n%%EOF\n".utf8)
    return bytes
  }
}

/// Writes a zlib stream with the fixed code: literals, and long runs of the last byte.
package struct FixedDeflate {
  private var bytes: [UInt8] = [0x78, 0x01]
  private var pending: UInt64 = 0
  private var pendingCount = 0
  private var checksum: (low: UInt64, high: UInt64) = (1, 0)
  private var last: UInt8 = 0

  /// A stream with one, final block.
  package init() {
    put(1, count: 1)
    put(1, count: 2)
  }

  /// Appends ASCII text as it is.
  package mutating func literals(_ text: String) {
    for byte in text.utf8 {
      precondition(byte < 144, "the short code holds 0 to 143 only")
      putReversed(0x30 + UInt64(byte), count: 8)
      add(byte)
    }
  }

  /// Repeats the last byte, in steps of 258. Each step is 13 bits, so eight of them are 13 bytes
  /// that repeat.
  package mutating func repeatLast(atLeast count: Int) {
    let steps = (count + 257) / 258
    let rounds = (steps + 7) / 8
    for _ in 0..<16 { putStep() }
    let pattern = Array(bytes.suffix(13))
    for _ in 0..<rounds { bytes += pattern }
    addRun((rounds * 8 + 16) * 258)
  }

  /// Ends the stream.
  package mutating func finish() -> [UInt8] {
    put(0, count: 7)
    if pendingCount > 0 { put(0, count: 8 - pendingCount) }
    let sum = UInt32(checksum.high << 16 | checksum.low)
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
  }

  private mutating func putStep() {
    putReversed(0xC5, count: 8)
    putReversed(0, count: 5)
  }

  private mutating func put(_ value: UInt64, count: Int) {
    pending |= value << UInt64(pendingCount)
    pendingCount += count
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  /// Codes go in with their highest bit first.
  private mutating func putReversed(_ value: UInt64, count: Int) {
    for bit in (0..<count).reversed() { put(value >> UInt64(bit) & 1, count: 1) }
  }

  private mutating func add(_ byte: UInt8) {
    last = byte
    checksum.low = (checksum.low + UInt64(byte)) % 65_521
    checksum.high = (checksum.high + checksum.low) % 65_521
  }

  private mutating func addRun(_ count: Int) {
    let total = UInt64(count)
    let value = UInt64(last)
    let triangle = (total % 2 == 0 ? total / 2 * (total + 1) : (total + 1) / 2 * total) % 65_521
    checksum.high = (checksum.high + total % 65_521 * checksum.low + value * triangle) % 65_521
    checksum.low = (checksum.low + total % 65_521 * value) % 65_521
  }
}
