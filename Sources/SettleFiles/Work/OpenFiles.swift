import CSettleSystem

/// How many files this process may have open: 256 for many programs on macOS, 1,024 on most Linux.
package enum OpenFiles {
  /// The limit that holds now.
  package static var limit: Int {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    return limit < 0 ? Int.max : limit
  }
}
