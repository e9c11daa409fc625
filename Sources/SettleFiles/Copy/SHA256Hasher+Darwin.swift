// Only Apple platforms have CryptoKit.
#if canImport(CryptoKit)
  import CryptoKit

  /// Computes one SHA-256 from pieces.
  package struct SHA256Hasher: ~Copyable {
    private var hasher = SHA256()

    /// Starts with no bytes.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      hasher.update(bufferPointer: bytes)
    }

    /// Ends with the 32 bytes.
    package consuming func finish() -> [UInt8] { Array(hasher.finalize()) }
  }
#endif
