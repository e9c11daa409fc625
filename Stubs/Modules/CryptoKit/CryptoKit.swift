// The part of CryptoKit that Settle uses, for type-checking only.

/// CryptoKit's protocol of digests.
public protocol Digest: Hashable, Sequence, Sendable where Element == UInt8 {
  /// The number of bytes.
  static var byteCount: Int { get }
}

/// CryptoKit's digest of SHA-256.
public struct SHA256Digest: Digest {
  /// The number of bytes.
  public static var byteCount: Int { 32 }
  /// The bytes.
  public func makeIterator() -> Array<UInt8>.Iterator { Array<UInt8>().makeIterator() }
}

/// CryptoKit's SHA-256.
public struct SHA256: Sendable {
  /// Starts with no bytes.
  public init() {}
  /// Adds bytes.
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  /// Ends with the digest.
  public func finalize() -> SHA256Digest { SHA256Digest() }
}
