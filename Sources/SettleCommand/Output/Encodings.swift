/// Base 64 with padding, for names that are not UTF-8.
enum Base64 {
  /// The bytes as text.
  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var value: UInt32 = 0
      for index in 0..<3 { value = value << 8 | UInt32(byte(group, index)) }
      for index in 0..<4 {
        let digit = alphabet[Int(value >> UInt32(18 - 6 * index) & 63)]
        text.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func byte(_ group: ArraySlice<UInt8>, _ index: Int) -> UInt8 {
    index < group.count ? group[group.startIndex + index] : 0
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
