import SettleCore
import SettleFiles
import SettleVerify

/// One worker thread: copies and hashes sources, verifies copies. It owns a staging file from its
/// creation until it hands it over, and removes it when it cannot (FIL-3).
struct ImportWorker {
  let engine: ImportEngine
  private let buffer = CopyBuffer()

  init(_ engine: ImportEngine) { self.engine = engine }

  /// Works until the queue is closed.
  func run() {
    while let work = engine.work.take() { engine.inbox.send(answer(work)) }
    engine.inbox.send(.workerLeft)
  }

  private func answer(_ work: ImportWork) -> ImportMessage {
    switch work {
    case .copy(let ticket, let attempt):
      engine.probe.reach(Checkpoint("import.beforeStart", item: ticket.step))
      for case .began(let claim) in engine.control.apply(.claim(ticket.step)) {
        if attempt > 1 { ticket.progress.bytes.beginAttempt() }
        return told(ticket.step, attempt: attempt) { copy(ticket, claim) }
      }
      return .refused(step: ticket.step)
    case .compare(let document, let twins):
      return told(document.step) { compare(document, twins) }
    case .verify(let document): return told(document.step) { verify(document) }
    }
  }

  /// Tells the probe when a piece of an item's body is entered and when it has returned (RUN-4).
  private func told(
    _ step: Int, attempt: Int? = nil, _ body: () -> ImportMessage
  ) -> ImportMessage {
    let detail = attempt.map { String($0) } ?? ""
    engine.probe.event(ProbeEvent("item.began", item: step, detail: detail))
    defer { engine.probe.event(ProbeEvent("item.returned", item: step)) }
    return body()
  }

  // MARK: Comparing

  private func compare(_ document: StagedDocument, _ twins: [StoredTwin]) -> ImportMessage {
    do throws(WorkStop) {
      return .compared(document, try compare(twins))
    } catch { return .ended(document.claim, error.end) }
  }

  /// Reads the library's files until one is whole.
  private func compare(_ twins: [StoredTwin]) throws(WorkStop) -> [StoredTwin: TwinState] {
    var states: [StoredTwin: TwinState] = [:]
    for twin in twins {
      let found: TwinState
      do throws(FileError) {
        found = try state(of: twin.entry)
      } catch {
        // It is the library's file that cannot be looked at, not the source.
        let path = engine.library.folders.path.appending(twin.entry.path.utf8)
        throw .failed(SettleError(error, stage: .publication, subject: path.bytes))
      }
      if engine.isCancelled { throw .stopped }
      states[twin] = found
      if found == .whole { break }
    }
    return states
  }

  private func state(of entry: Entry) throws(FileError) -> TwinState {
    let folders = engine.library.folders
    guard let location = DocumentLocation(path: entry.path),
      let status = try folders.occupant(of: location)
    else { return .absent }
    guard status.kind == .regular, status.byteCount == entry.byteCount else { return .changed }
    let survey = Survey(folders: folders, ledger: engine.library.ledger)
    do throws(FileError) {
      let content = try survey.content(of: location) { engine.isCancelled }
      return content.digest == entry.sha256 ? .whole : .changed
    } catch {
      // A file that its owner may not read, or that the disk cannot, is of no use to anybody; it
      // goes to quarantine as a damaged one does, and the new copy takes its place.
      guard error.isAboutTheFile else { throw error }
      return .changed
    }
  }

  // MARK: Copying

  private func copy(_ ticket: ItemTicket, _ claim: StepClaim) -> ImportMessage {
    let source = engine.items[ticket.step]
    do throws(WorkStop) {
      let handle = try open(source)
      defer { engine.files.close(handle) }
      let stamp = try check(handle, source)
      try sniff(handle, source)
      engine.probe.reach(Checkpoint("import.beforeCopy", item: ticket.step))
      return .copied(try stage(ticket, claim, from: handle, stamp))
    } catch {
      return .ended(claim, error.end)
    }
  }

  private func open(_ source: ImportItem) throws(WorkStop) -> Handle {
    if engine.isCancelled { throw .stopped }
    if let problem = source.problem { throw .failed(problem) }
    guard source.isRegular else {
      if source.isNamed { throw .failed(source.error(.notARegularFile)) }
      throw .notADocument
    }
    return try attempt(.access, source) { () throws(FileError) in
      try engine.files.openSource(source.path, followsLink: source.isNamed)
    }
  }

  /// Refuses what cannot be a document, before anything is written.
  private func check(_ handle: Handle, _ source: ImportItem) throws(WorkStop) -> FileStatus {
    let status = try attempt(.access, source) { () throws(FileError) in
      try engine.files.status(of: handle)
    }
    guard status.kind == .regular else { throw .failed(source.error(.notARegularFile)) }
    guard status.byteCount > 0 else {
      if source.isDocumentByName { throw .failed(source.error(.emptySource)) }
      throw .notADocument
    }
    let free = try attempt(.access, source) { () throws(FileError) in
      try engine.files.freeByteCount(engine.library.folders.root)
    }
    guard free - Reserve.margin > status.byteCount else {
      var error = source.error(.noSpace)
      error.detail =
        "needed \(status.byteCount) bytes and \(Reserve.margin) to spare, free \(free)"
      throw .failed(error)
    }
    return status
  }

  /// Looks for the signature before anything is copied: a film is not copied to be refused.
  private func sniff(_ handle: Handle, _ source: ImportItem) throws(WorkStop) {
    let start = try attempt(.access, source) { () throws(FileError) -> [UInt8] in
      let start = try engine.files.readStart(of: handle, byteCount: signatureWindowByteCount)
      try engine.files.rewind(handle)
      return start
    }
    if hasPDFSignature(in: start) { return }
    if source.isDocumentByName {
      throw .failed(source.error(.notAPDF, stage: .verification))
    }
    throw .notADocument
  }

  private func stage(
    _ ticket: ItemTicket, _ claim: StepClaim, from source: Handle, _ stamp: FileStatus
  ) throws(WorkStop) -> StagedDocument {
    let item = engine.items[ticket.step]
    let target = try attempt(.copy, item) { () throws(FileError) in
      try engine.files.createFile(ticket.stagingName, in: engine.staging, mode: 0o600)
    }
    do throws(WorkStop) {
      let copied = try attempt(.copy, item) { () throws(FileError) in
        let copy = HashingCopy(engine.files, buffer: buffer)
        return try copy.copy(from: source, to: target) { count in
          ticket.progress.bytes.complete(Int64(count))
          return !engine.isCancelled
        }
      }
      guard case .copied(let byteCount, let digest) = copied else {
        throw copied == .stopped ? .stopped : .failed(item.error(.sourceChanged, stage: .copy))
      }
      try checkUnchanged(item, source, stamp, byteCount)
      return StagedDocument(
        ticket: ticket, claim: claim, handle: target, byteCount: byteCount, digest: digest)
    } catch {
      discard(target, ticket.stagingName)
      throw error
    }
  }

  /// The file that was opened and the file that is at the path must both be as they were.
  private func checkUnchanged(
    _ item: ImportItem, _ source: Handle, _ stamp: FileStatus, _ byteCount: Int64
  ) throws(WorkStop) {
    engine.probe.reach(Checkpoint("import.afterCopy", item: item.index))
    let (open, path): (FileStatus, FileStatus?) = try attempt(.copy, item) {
      () throws(FileError) in
      (try engine.files.status(of: source), try statusIfThere(item))
    }
    guard byteCount == stamp.byteCount, open.isSameContent(as: stamp),
      path?.isSameContent(as: stamp) == true
    else { throw .failed(item.error(.sourceChanged, stage: .copy)) }
  }

  private func statusIfThere(_ item: ImportItem) throws(FileError) -> FileStatus? {
    do throws(FileError) {
      return try engine.files.status(at: item.path, followsLink: item.isNamed)
    } catch {
      if error.isNotFound { return nil }
      throw error
    }
  }

  private func discard(_ handle: Handle, _ name: FileName) {
    engine.files.close(handle)
    // What cannot be removed now is removed with the run's folder, or by the next recovery.
    try? engine.files.remove(name, in: engine.staging)
  }

  // MARK: Verifying

  private func verify(_ document: StagedDocument) -> ImportMessage {
    engine.probe.reach(Checkpoint("import.beforeVerify", item: document.step))
    let item = engine.items[document.step]
    do throws(WorkStop) {
      return .verified(try judge(document, item))
    } catch {
      return .ended(document.claim, error.end)
    }
  }

  private func judge(
    _ document: StagedDocument, _ item: ImportItem
  ) throws(WorkStop) -> StagedDocument {
    let verdict: Verdict
    do throws(SettleError) {
      verdict = try engine.library.verifier.verify(
        engine.stagingPath(document.ticket.stagingName)
      ) { engine.isCancelled }
    } catch {
      var failure = error
      failure.stage = .verification
      throw .failed(failure)
    }
    switch verdict {
    case .cancelled: throw .stopped
    case .refused(let code, let detail):
      throw .failed(refusal(code, detail, item))
    case .accepted(let pageCount, let flags):
      var verified = document
      verified.pageCount = pageCount
      verified.flags = flags
      guard let handle = document.handle else {
        preconditionFailure("a copy is open until it is synced")
      }
      try attempt(.copy, item) { () throws(FileError) in
        try engine.files.setMode(handle, 0o400)
      }
      engine.files.startWriteback(handle)
      return verified
    }
  }

  /// What a verifier could not read is our copy, never the source.
  private func refusal(
    _ code: SettleError.Code, _ detail: String, _ item: ImportItem
  ) -> SettleError {
    let isAboutTheCopy = [.notFound, .permissionDenied, .notARegularFile].contains(code)
    var error = item.error(isAboutTheCopy ? .ioError : code, stage: .verification)
    error.detail = isAboutTheCopy ? "its copy in the library cannot be read: \(detail)" : detail
    return error
  }

  // MARK: Errors

  private func attempt<Value>(
    _ stage: SettleError.Stage, _ item: ImportItem, _ body: () throws(FileError) -> Value
  ) throws(WorkStop) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw .failed(SettleError(error, stage: stage, subject: item.path.bytes))
    }
  }
}

/// Why a body stops before its end.
private enum WorkStop: Error {
  case failed(SettleError)
  case notADocument
  case stopped

  var end: WorkEnd {
    switch self {
    case .failed(let error): .failed(error)
    case .notADocument: .notADocument
    case .stopped: .stopped
    }
  }
}
