/// 26 ASCII characters that sort by time and cannot be guessed (RUN-10).
///
/// 48 bits of milliseconds since 1970, then 80 random bits, in the base 32 of Crockford
/// (the layout that is publicly known as ULID). Lower case, so that a case-insensitive disk keeps
/// them apart.
public struct SortableID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The 26 characters.
  public let description: String

  /// Makes an id for a moment. Core reads no clock, so the caller gives the time.
  public init(milliseconds: UInt64, using random: inout some RandomNumberGenerator) {
    let high = UInt16(truncatingIfNeeded: random.next())
    let low = random.next()
    var value = UInt128(milliseconds & 0xFFFF_FFFF_FFFF) << 80
    value |= UInt128(high) << 64
    value |= UInt128(low)
    var digits = [UInt8](repeating: 0, count: 26)
    for index in stride(from: 25, through: 0, by: -1) {
      digits[index] = Self.alphabet[Int(value & 31)]
      value >>= 5
    }
    description = String(decoding: digits, as: UTF8.self)
  }

  /// Reads an id; nil unless the text has exactly the shape of one.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 26, digits[0] <= UInt8(ascii: "7"),
      digits.allSatisfy({ Self.alphabet.contains($0) })
    else { return nil }
    description = String(decoding: digits, as: UTF8.self)
  }

  /// Earlier ids sort first.
  public static func < (left: SortableID, right: SortableID) -> Bool {
    left.description < right.description
  }

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

/// The identity of one run (RUN-10).
public typealias RunID = SortableID

/// The identity of one entry of a library (IMP-5).
public typealias EntryID = SortableID
