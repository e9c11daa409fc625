import SettleCore
import Testing

@Suite struct ErrorWordingTests {
  // IMP-10, FIL-7: what failed, on what, what is left, what to do.
  @Test func anErrorNamesWhatWhereWhatIsLeftAndWhatToDo() {
    var error = SettleError(.noSpace, stage: .copy, subject: Array("a\nb.pdf".utf8))
    error.detail = "needed 5 bytes, free 3"
    error.cause = .init(call: "write", number: 28)
    #expect(
      error.description == """
        No space is left for "a\\nb.pdf" (needed 5 bytes, free 3) [write: error 28]. \
        The source is untouched and no entry was made. \
        Free space on the library's disk and import again; finished items are kept.
        """)
    #expect(error.isRetryable)
  }

  // IMP-10, FIL-7: outside an import there is no source to speak of and nothing to import again.
  @Test(arguments: [
    SettleError.Code.notFound, .permissionDenied, .notARegularFile, .noSpace, .ioError,
    .cancelled, .timeout, .toolFailed, .toolMissing,
  ])
  func anErrorOutsideAnImportSpeaksOfNoSource(code: SettleError.Code) {
    let text = SettleError(code, subject: Array("x".utf8)).description.lowercased()
    #expect(!text.contains("source") && !text.contains("entry was made"), "\(text)")
    #expect(!text.contains("import"), "\(text)")
  }

  // IMP-10
  @Test func aCallThatFailsSaysWhatIsLeftAndWhatToDo() {
    var error = SettleError(.ioError, subject: Array("/l/documents".utf8))
    error.cause = .init(call: "read", number: 5)
    #expect(
      error.description == """
        The disk reported an error for "/l/documents" [read: error 5]. \
        Every available document is intact. Check the disk, then run settle check --deep.
        """)
    #expect(
      SettleError(.cancelled).description == """
        Cancelled: this command. What was finished stays, nothing is half done. Run it again.
        """)
  }

  // IMP-10: a subject cannot smuggle text into a sentence.
  @Test func aPercentSignInANameIsPrintedAsItIs() {
    let error = SettleError(.notFound, subject: Array("50%.pdf".utf8))
    #expect(error.message == "There is no file at \"50%.pdf\".")
  }

  // IMP-9
  @Test(arguments: [
    SettleError.Code.emptySource, .sourceChanged, .notDownloaded, .permissionDenied, .incomplete,
  ])
  func sourcesThatAreNotReadyAreRetryable(code: SettleError.Code) {
    #expect(SettleError(code).isRetryable)
  }

  // IMP-10: an unknown code of a newer version still says what to do.
  @Test func anUnknownCodeIsNamed() {
    let error = SettleError(.init(rawValue: "fromTheFuture"), subject: Array("x".utf8))
    #expect(error.message == "Failed with \"fromTheFuture\": \"x\".")
  }
}
