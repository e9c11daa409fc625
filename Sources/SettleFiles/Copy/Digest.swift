/// Helpers around the 32 bytes of a SHA-256.
package enum Digest {
  /// The SHA-256 of bytes in memory.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var hasher = SHA256Hasher()
    bytes.withUnsafeBytes { hasher.update($0) }
    return hasher.finish()
  }

  /// Bytes as lower-case hexadecimal text.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
