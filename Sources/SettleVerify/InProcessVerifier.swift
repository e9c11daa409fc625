// Apple platforms: iOS starts no helper processes, so there the system's own parser judges.
#if canImport(CoreGraphics)
  import CoreGraphics
  import SettleCore
  import SettleFiles

  /// Judges documents with the system's parser, in this process.
  ///
  /// A call into the parser cannot be interrupted: a cancellation is seen before and after it,
  /// the answer in between is awaited and discarded (CAN-8).
  package struct InProcessVerifier: DocumentVerifier {
    /// The usual stack of a second thread is too small for a deep page tree.
    private static let stackByteCount = 8 << 20

    /// The system's parser states no version of its own.
    package var engine: String { "CGPDFDocument" }

    /// A verifier without any state.
    package init() {}

    /// Judges a document; see ``DocumentVerifier/verify(_:isCancelled:)``.
    package func verify(
      _ path: BytePath, isCancelled: () -> Bool
    ) throws(SettleError) -> Verdict {
      if isCancelled() { return .cancelled }
      let answers = Mailbox<WireAnswer>()
      try WorkerThread.start(stackByteCount: Self.stackByteCount) {
        answers.send(examine(path))
        answers.close()
      }
      guard let answer = answers.take() else {
        throw SettleError(.toolFailed, stage: .verification, subject: path.bytes)
      }
      return isCancelled() ? .cancelled : Verdict(answer)
    }

    /// There is no process to end.
    package func close() {}
  }

  private func examine(_ path: BytePath) -> WireAnswer {
    let descriptor = path.withCString { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { return unreadable(errno) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return unreadable(errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { return unreadable(EISDIR) }
    let scan = FileScan(byteCount: UInt64(information.st_size)) { offset, count in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = pread(descriptor, &bytes, count, off_t(offset))
      return got < 0 ? nil : Array(bytes[..<got])
    }
    guard var facts = scan.facts() else { return unreadable(errno) }
    guard facts.hasSignature else { return .facts(facts) }
    let answer = parserAnswer(path)
    facts.plain = answer
    if case .failed = answer {
      guard let hasEndMarker = scan.findEndMarker() else { return unreadable(errno) }
      facts.hasEndMarker = hasEndMarker
    }
    return .facts(facts)
  }

  /// The system's parser repairs on its own and does not say so.
  private func parserAnswer(_ path: BytePath) -> DocumentFacts.ParserAnswer {
    guard let provider = path.withCString({ CGDataProvider(filename: $0) }),
      let document = CGPDFDocument(provider)
    else { return .failed(detail: "the system's parser cannot open it") }
    if !document.isUnlocked && !document.unlockWithPassword("") { return .passwordRequired }
    return .opened(pageCount: document.numberOfPages, isEncrypted: document.isEncrypted)
  }

  private func unreadable(_ number: Int32) -> WireAnswer {
    switch number {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .unreadable(.notFound, errorNumber: number)
    case EACCES, EPERM: .unreadable(.permissionDenied, errorNumber: number)
    case ELOOP, EISDIR, ENXIO: .unreadable(.notARegularFile, errorNumber: number)
    default: .unreadable(.ioError, errorNumber: number)
    }
  }
#endif
