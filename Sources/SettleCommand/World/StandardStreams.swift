import CSettleSystem

/// The three descriptors that every program starts with.
enum StandardStreams {
  /// Opens those that are closed, on nothing. Otherwise the first file that is opened, such as the
  /// ledger, would become standard output and be written into.
  static func openAll() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where settle_fcntl(descriptor, F_GETFD, 0) == -1 {
      // The lowest free number is taken, which is this one.
      _ = settle_openat(AT_FDCWD, "/dev/null", O_RDWR, 0)
    }
  }

  /// False when this process may open next to nothing. Swift's own threads need some files and end
  /// the process without a word when they get none.
  static var canOpenFiles: Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<8 {
      let descriptor = settle_openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0)
      if descriptor < 0 { return settle_errno() != EMFILE && settle_errno() != ENFILE }
      opened.append(descriptor)
    }
    return true
  }
}

/// The arguments of this process as bytes, without its name. A name that is not UTF-8 stays whole.
func commandLineBytes() -> [[UInt8]] {
  // Written before main runs and never after it.
  let arguments = CommandLine.unsafeArgv
  return (1..<max(1, Int(CommandLine.argc))).compactMap { index in
    arguments[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }
}
