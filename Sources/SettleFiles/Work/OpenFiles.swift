import CSettleSystem

/// How many files this process may have open: 256 for many programs on macOS, 1,024 on most Linux.
package enum OpenFiles {
  /// The limit that holds now.
  package static var limit: Int {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    return limit < 0 ? Int.max : limit
  }

  /// How many more files this process may open now. Descriptors beyond the first 4,096 count as
  /// free: who may open that many is not short of them.
  package static var freeCount: Int {
    let limit = limit
    let used = (0..<Int32(min(limit, 4_096))).count { settle_fcntl($0, F_GETFD, 0) >= 0 }
    return limit - used
  }
}
