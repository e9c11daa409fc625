import CSettleSystem
import SettleVerify

/// Looks at one file after the other: first at a few bytes, then, if they are a PDF's, with the
/// parser.
struct Examiner {
  /// Files up to this size are read at once; the parser would read them in small pieces, each a
  /// system call or two.
  private static let bufferByteCount = 4 << 20

  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: bufferByteCount, alignment: 4_096)

  /// What there is to say about a file.
  func examine(path: [UInt8]) -> WireAnswer {
    guard !path.isEmpty, !path.contains(0) else { return unreadable(ENOENT) }
    let descriptor = (path.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer {
      settle_openat(AT_FDCWD, $0.baseAddress!, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
    }
    guard descriptor >= 0 else { return unreadable(settle_errno()) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return unreadable(settle_errno()) }
    guard information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
      return unreadable(EISDIR)
    }
    if information.st_size <= off_t(Self.bufferByteCount) {
      let count = read(descriptor, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
      guard count >= 0 else { return unreadable(settle_errno()) }
      return examine(.memory(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
    }
    // The parser opens this name; without it every document would look damaged.
    guard access("/dev/fd/\(descriptor)", R_OK) == 0 else { return unreadable(settle_errno()) }
    return examine(.file(descriptor: descriptor, byteCount: UInt64(information.st_size)))
  }

  private func examine(_ source: PDFParser.Source) -> WireAnswer {
    let scan = FileScan(byteCount: source.byteCount) { offset, count in
      part(of: source, at: offset, count: count)
    }
    guard var facts = scan.facts() else { return unreadable(settle_errno()) }
    guard facts.hasSignature else { return .facts(facts) }
    let plain = PDFParser.answer(source, isRecovering: false)
    facts.plain = plain
    switch plain {
    case .opened(let pageCount, _) where pageCount > 0: break
    case .passwordRequired, .outOfMemory: break
    case .opened, .failed:
      guard let hasEndMarker = scan.findEndMarker() else { return unreadable(settle_errno()) }
      facts.hasEndMarker = hasEndMarker
      facts.recovered = PDFParser.answer(source, isRecovering: true)
    }
    return .facts(facts)
  }

  private func part(of source: PDFParser.Source, at offset: UInt64, count: Int) -> [UInt8]? {
    switch source {
    case .memory(let bytes):
      return Array(bytes.dropFirst(Int(offset)).prefix(count))
    case .file(let descriptor, _):
      var bytes = [UInt8](repeating: 0, count: count)
      let got = bytes.withUnsafeMutableBytes { read(descriptor, at: offset, into: $0) }
      return got < 0 ? nil : Array(bytes[..<got])
    }
  }

  /// Fills the buffer as far as the file goes: the count, or -1 with errno.
  private func read(
    _ descriptor: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    var done = 0
    while done < buffer.count {
      let got = pread(
        descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
      if got < 0 && settle_errno() == EINTR { continue }
      if got < 0 { return -1 }
      if got == 0 { break }
      done += got
    }
    return done
  }
}

private func unreadable(_ number: Int32) -> WireAnswer {
  let reason: WireAnswer.Reason =
    switch number {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .notFound
    case EACCES, EPERM: .permissionDenied
    // A link, a folder, a socket or a device without a driver behind it.
    case ELOOP, EISDIR, ENXIO, ENODEV: .notARegularFile
    default: .ioError
    }
  return .unreadable(reason, errorNumber: number)
}
