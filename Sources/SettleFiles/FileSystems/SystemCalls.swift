import CSettleSystem

// The calls whose names a file system's own methods would hide, each repeated while a signal
// interrupts it. The error number is taken before anything else can change it.

/// Repeats a call while a signal interrupts it.
func uninterrupted<Value: SignedInteger>(
  _ call: String, _ body: () -> Value
) -> Result<Value, FileError> {
  while true {
    let value = body()
    if value >= 0 { return .success(value) }
    let number = settle_errno()
    if number != EINTR { return .failure(FileError(call, number)) }
  }
}

/// read(2).
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer)
  -> Result<Int, FileError>
{
  uninterrupted("read") { read(descriptor, buffer.baseAddress, buffer.count) }
}

/// write(2).
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Result<Int, FileError> {
  uninterrupted("write") { write(descriptor, bytes.baseAddress, bytes.count) }
}

/// close(2), never repeated: the descriptor is gone also when a signal interrupts the call.
func systemClose(_ descriptor: Int32) { close(descriptor) }

/// flock(2), without waiting; false when somebody else has a lock that excludes this one.
func systemLock(_ descriptor: Int32, _ kind: Int32) throws(FileError) -> Bool {
  switch uninterrupted("flock", { flock(descriptor, kind | LOCK_NB) }) {
  case .success: return true
  case .failure(let error) where error.number == EWOULDBLOCK: return false
  case .failure(let error): throw error
  }
}

extension FileStatus {
  /// The status in the words of the seam.
  init(_ information: stat) {
    // The two platforms name the time of the last change differently.
    #if canImport(Darwin)
      let modified = information.st_mtimespec
    #else
      let modified = information.st_mtim
    #endif
    self.init(
      kind: FileKind(mode: UInt32(information.st_mode)),
      device: UInt64(truncatingIfNeeded: information.st_dev), inode: UInt64(information.st_ino))
    byteCount = Int64(information.st_size)
    modifiedSeconds = Int64(modified.tv_sec)
    modifiedNanoseconds = Int64(modified.tv_nsec)
    mode = UInt32(information.st_mode) & 0o7777
  }
}

extension FileKind {
  /// The kind in a mode of stat(2).
  init(mode: UInt32) {
    switch mode & 0o170000 {
    case 0o100000: self = .regular
    case 0o040000: self = .folder
    case 0o120000: self = .link
    case 0o010000: self = .pipe
    case 0o140000: self = .socket
    case 0o020000, 0o060000: self = .device
    default: self = .unknown
    }
  }

  /// The kind in a directory entry; nil when the file system does not say.
  init?(directoryType: UInt8) {
    // A directory type is the file type of the mode, moved right by twelve bits.
    self.init(mode: UInt32(directoryType) << 12)
    if self == .unknown { return nil }
  }
}
