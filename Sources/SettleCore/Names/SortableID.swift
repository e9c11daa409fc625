/// 26 ASCII characters that sort by time and cannot be guessed (RUN-10).
///
/// 48 bits of milliseconds since 1970, then 80 random bits, in the base 32 of Crockford
/// (the layout that is publicly known as ULID). Lower case, so that a case-insensitive disk keeps
/// them apart.
public struct SortableID: Sendable, Hashable, Comparable, CustomStringConvertible {
  private let value: UInt128

  /// Makes an id for a moment. Core reads no clock, so the caller gives the time.
  public init(milliseconds: UInt64, using random: inout some RandomNumberGenerator) {
    let high = UInt16(truncatingIfNeeded: random.next())
    let low = random.next()
    value =
      UInt128(milliseconds & 0xFFFF_FFFF_FFFF) << 80 | UInt128(high) << 64 | UInt128(low)
  }

  /// Reads an id; nil unless the text has exactly the shape of one.
  public init?(_ text: some StringProtocol) { self.init(bytes: text.utf8) }

  /// Reads an id from a file's name or another place that has bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 26, let first = bytes.first, first <= UInt8(ascii: "7") else {
      return nil
    }
    var value: UInt128 = 0
    for digit in bytes {
      guard let index = Self.alphabet.firstIndex(of: digit) else { return nil }
      value = value << 5 | UInt128(index)
    }
    self.value = value
  }

  /// The 26 characters.
  public var description: String {
    var digits = [UInt8](repeating: 0, count: 26)
    var rest = value
    for index in stride(from: 25, through: 0, by: -1) {
      digits[index] = Self.alphabet[Int(rest & 31)]
      rest >>= 5
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Milliseconds since 1970 at which it was made.
  public var milliseconds: UInt64 { UInt64(value >> 80) }

  /// Earlier ids sort first.
  public static func < (left: SortableID, right: SortableID) -> Bool { left.value < right.value }

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

/// The identity of one run (RUN-10).
public typealias RunID = SortableID

/// The identity of one entry of a library (IMP-5).
public typealias EntryID = SortableID
