// Apple platforms have CryptoKit, see SHA256Hasher+Darwin.swift.
#if !canImport(CryptoKit)
  import CCrypto

  /// Computes one SHA-256 from pieces.
  package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    /// Starts with no bytes.
    package init() {
      guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
      else { preconditionFailure("libcrypto cannot compute SHA-256") }
      self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
      precondition(result == 1, "libcrypto cannot compute SHA-256")
    }

    /// Ends with the 32 bytes.
    package consuming func finish() -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: 32)
      let result = EVP_DigestFinal_ex(context, &digest, nil)
      precondition(result == 1, "libcrypto cannot compute SHA-256")
      return digest
    }
  }
#endif
