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
