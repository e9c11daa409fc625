import CSettleSystem
import SettleVerify

/// Looks at one file: first at a few bytes, then, if they are a PDF's, with the parser.
func examine(path: [UInt8]) -> WireAnswer {
  guard !path.isEmpty, !path.contains(0) else { return unreadable(ENOENT) }
  let descriptor = (path.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer {
    settle_openat(AT_FDCWD, $0.baseAddress!, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
  }
  guard descriptor >= 0 else { return unreadable(settle_errno()) }
  defer { close(descriptor) }
  var information = stat()
  guard fstat(descriptor, &information) == 0 else {
    return unreadable(settle_errno())
  }
  guard information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
    return unreadable(EISDIR)
  }
  let scan = FileScan(byteCount: UInt64(information.st_size)) { offset, count in
    readPart(of: descriptor, at: offset, count: count)
  }
  guard var facts = scan.facts() else { return unreadable(settle_errno()) }
  guard facts.hasSignature else { return .facts(facts) }
  // The parser opens this name; without it every document would look damaged.
  guard access("/dev/fd/\(descriptor)", R_OK) == 0 else {
    return unreadable(settle_errno())
  }
  let plain = PDFParser.answer(descriptor: descriptor, isRecovering: false)
  facts.plain = plain
  switch plain {
  case .opened(let pageCount, _) where pageCount > 0: break
  case .passwordRequired, .outOfMemory: break
  case .opened, .failed:
    facts.recovered = PDFParser.answer(descriptor: descriptor, isRecovering: true)
  }
  return .facts(facts)
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

private func readPart(of descriptor: Int32, at offset: UInt64, count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  var done = 0
  while done < count {
    let got = bytes.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset) + off_t(done))
    }
    if got < 0 && settle_errno() == EINTR { continue }
    guard got >= 0 else { return nil }
    if got == 0 { break }
    done += got
  }
  return Array(bytes[..<done])
}
