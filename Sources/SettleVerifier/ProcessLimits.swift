import CSettleSystem

/// The limits that this process sets on itself before it reads a hostile byte.
///
/// CPU time is limited per file: the soft limit moves on before each one, the hard limit stays.
enum ProcessLimits {
  /// A legal file of 100,000 pages needs 258 MB.
  static let addressSpaceByteCount: UInt64 = 1 << 30
  static let cpuSecondsPerFile: UInt64 = 10
  static let descriptorCount: UInt64 = 16
  /// A page tree nested deeper than this holds ends the process, and that is the verdict.
  static let stackByteCount: UInt64 = 8 << 20

  /// Sets all limits that last; the name of the one that failed, if any.
  static func set() -> String? {
    let space = addressSpaceByteCount + mappedByteCount()
    // Apple platforms refuse or ignore a limit on address space; there the parent's wall limit
    // stands alone.
    #if os(Linux)
      if settle_set_limit(settle_limit_address_space(), space, space) != 0 {
        return "address space"
      }
    #endif
    if settle_set_limit(settle_limit_file_size(), 0, 0) != 0 { return "file size" }
    if settle_set_limit(settle_limit_core(), 0, 0) != 0 { return "core" }
    if settle_set_soft_limit(settle_limit_stack(), stackByteCount) != 0 { return "stack" }
    if settle_set_limit(settle_limit_descriptors(), descriptorCount, descriptorCount) != 0 {
      return "descriptors"
    }
    if settle_no_new_privileges() != 0 { return "privileges" }
    return nil
  }

  /// Gives the next file its CPU time.
  static func renewCPU() -> Bool {
    let used = settle_cpu_milliseconds()
    guard used >= 0 else { return false }
    let seconds = UInt64(used + 999) / 1_000 + cpuSecondsPerFile
    return settle_set_soft_limit(settle_limit_cpu(), seconds) == 0
  }

  /// What the program itself has mapped at its start. A sanitizer maps far more than the limit,
  /// and the limit is meant for documents; 0 where the system does not say.
  private static func mappedByteCount() -> UInt64 {
    let descriptor = settle_openat(AT_FDCWD, "/proc/self/statm", O_RDONLY, 0)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return 0 }
    let digits = bytes[..<count].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return (UInt64(String(decoding: digits, as: UTF8.self)) ?? 0) * UInt64(getpagesize())
  }
}
