extension Documents {
  /// A PDF with the oldest standard encryption (40 bits). An empty user password opens without
  /// asking, although the owner set one.
  package static func encrypted(
    userPassword: String = "", ownerPassword: String = "owner", seed: UInt64 = 1
  ) -> [UInt8] {
    var pdf = PDFWriter()
    // Names and numbers are never encrypted, and the noise may be anything.
    let root = addPages(1, padding: 2_000, seed: seed, to: &pdf)
    let identifier = noise(16, seed: seed ^ 0x5E771E)
    let permissions: Int32 = -4
    let ownerKey = Array(md5(padded(ownerPassword))[..<5])
    let ownerEntry = rc4(padded(userPassword), key: ownerKey)
    let permissionBytes = (0..<4).map { UInt8(truncatingIfNeeded: permissions >> (8 * $0)) }
    let key = md5(padded(userPassword) + ownerEntry + permissionBytes + identifier)
    let userEntry = rc4(passwordPadding, key: Array(key[..<5]))
    let handler = pdf.object(
      "<</Filter /Standard /V 1 /R 2 /Length 40 /P \(permissions) "
        + "/O \(hexString(ownerEntry)) /U \(hexString(userEntry))>>")
    let name = hexString(identifier)
    pdf.finish(root: root, trailer: "/Encrypt \(handler) 0 R /ID [\(name) \(name)]")
    return pdf.bytes
  }

  private static let passwordPadding: [UInt8] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
  ]

  private static func padded(_ password: String) -> [UInt8] {
    Array((Array(password.utf8) + passwordPadding).prefix(32))
  }

  private static func hexString(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return "<" + bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined() + ">"
  }

  /// The stream cipher RC4.
  static func rc4(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
    var box = (0...255).map { UInt8($0) }
    var second: UInt8 = 0
    for first in 0...255 {
      second = second &+ box[first] &+ key[first % key.count]
      box.swapAt(first, Int(second))
    }
    var first: UInt8 = 0
    second = 0
    return text.map { byte in
      first &+= 1
      second = second &+ box[Int(first)]
      box.swapAt(Int(first), Int(second))
      return byte ^ box[Int(box[Int(first)] &+ box[Int(second)])]
    }
  }

  /// The digest MD5.
  package static func md5(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bitCount = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (8 * $0)) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mixBlock(padded[start..<(start + 64)], into: &state)
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
  }

  private static func mixBlock(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let bytes = Array(block)
    let words = (0..<16).map { index -> UInt32 in
      var word: UInt32 = 0
      for byte in bytes[(index * 4)..<(index * 4 + 4)].reversed() {
        word = word << 8 | UInt32(byte)
      }
      return word
    }
    let shifts: [[UInt32]] = [
      [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
    ]
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      var mixed: UInt32
      let source: Int
      switch step / 16 {
      case 0: (mixed, source) = ((b & c) | (~b & d), step)
      case 1: (mixed, source) = ((d & b) | (~d & c), (5 * step + 1) % 16)
      case 2: (mixed, source) = (b ^ c ^ d, (3 * step + 5) % 16)
      default: (mixed, source) = (c ^ (b | ~d), (7 * step) % 16)
      }
      mixed = mixed &+ a &+ sineTable[step] &+ words[source]
      let shift = shifts[step / 16][step % 4]
      (a, d, c, b) = (d, c, b, b &+ (mixed << shift | mixed >> (32 - shift)))
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
  }

  private static let sineTable: [UInt32] = [
    0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
    0xFD46_9501, 0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193,
    0xA679_438E, 0x49B4_0821, 0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D,
    0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8, 0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED,
    0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A, 0xFFFA_3942, 0x8771_F681, 0x6D9D_6122,
    0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70, 0x289B_7EC6, 0xEAA1_27FA,
    0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665, 0xF429_2244,
    0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
    0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
    0xEB86_D391,
  ]
}
