import SettleCore
import SettleFiles
import SettleProcess
import SettleTestSupport
import Testing

@testable import SettleVerify

/// Pools on helpers that misbehave.
@Suite struct VerifierPoolFaultTests {
  private let greeting = "echo 'settle-verify 1 fake 1'\n"
  private let document = BytePath("/any.pdf")

  private func code(of script: String) throws -> SettleError.Code? {
    let folder = DocumentFolder()
    let fake = pool(on: try folder.program(script)) {
      $0.wallTime = .milliseconds(500)
      $0.startTime = .milliseconds(500)
    }
    do {
      if case .refused(let code, _) = try fake.verify(document, isCancelled: { false }) {
        return code
      }
      return nil
    } catch {
      #expect(error.stage == .verification)
      return error.code
    }
  }

  // IMP-4
  @Test func aHelperThatNeverAnswersReachesTheWallLimit() throws {
    #expect(try code(of: greeting + "while read -r line; do :; done") == .tooComplex)
    #expect(try code(of: greeting + "while read -r line; do printf +; done") == .tooComplex)
  }

  // IMP-4
  @Test(arguments: [
    "echo rubbish", "echo +rubbish", "printf '+facts 1 1 - 1 opened:1:0 -\\nmore\\n'",
    "echo 'facts 1 1 - 1 opened:1:0 -'", "head -c 100000 /dev/zero | tr '\\0' a",
  ])
  func anAnswerOutOfTurnCountsAsACrash(answer: String) throws {
    #expect(try code(of: greeting + "while read -r line; do \(answer); done") == .tooComplex)
  }

  // IMP-4
  @Test func aCrashAfterTheDocumentWasBegunIsTheDocuments() throws {
    let script = greeting + "read -r line; printf +; kill -SEGV $$"
    #expect(try code(of: script) == .tooComplex)
  }

  // IMP-4, IMP-10: who kills a helper from outside does not condemn its document, unless twice.
  @Test(arguments: ["KILL", "TERM"]) func aHelperThatIsKilledFromOutsideIsTriedOnceMore(
    signal: String
  ) throws {
    let folder = DocumentFolder()
    let note = folder.adopt("note")
    let start = "echo 'settle-verify 1 fake 1'; read -r line; printf +; "
    let once =
      start + """
        if ! [ -e '\(note)' ]; then echo > '\(note)'; kill -\(signal) $$; fi
        echo 'facts 1 1 - 1 opened:4:0 -'; while read -r line; do :; done
        """
    let fake = pool(on: try folder.program(once))
    #expect(try fake.verify(document) { false } == .accepted(pageCount: 4, flags: []))
    let always = pool(on: try folder.program(start + "kill -\(signal) $$", as: "always"))
    guard case .refused(let code, let detail) = try always.verify(document, isCancelled: { false })
    else {
      Issue.record("a helper that always dies judged a document")
      return
    }
    #expect(code == .tooComplex)
    #expect(detail.contains("twice in a row") && detail.contains("memory"), "\(detail)")
  }

  // IMP-10
  @Test func aHelperThatEndsBeforeReadingTwiceInARowIsToolFailed() throws {
    #expect(try code(of: greeting + "exit 3") == .toolFailed)
  }

  // IMP-10
  @Test func aHelperThatEndsBeforeReadingOnceIsReplaced() throws {
    let folder = DocumentFolder()
    let note = folder.adopt("note")
    let answer = "+facts 1 1 - 1 opened:4:0 -"
    let script = """
      echo 'settle-verify 1 fake 1'
      if ! [ -e '\(note)' ]; then echo > '\(note)'; exit 3; fi
      while read -r line; do echo '\(answer)'; done
      """
    let fake = pool(on: try folder.program(script))
    #expect(try fake.verify(document) { false } == .accepted(pageCount: 4, flags: []))
    #expect(fake.engine == "fake 1")
  }

  // IMP-10
  @Test(arguments: [
    "echo hello", "echo 'settle-verify 2 qpdf 1'", "exit 1", "while :; do wait; done",
    "exec tail -f /dev/null", "head -c 100000 /dev/zero | tr '\\0' a",
  ])
  func aProgramThatDoesNotGreetIsToolFailed(script: String) throws {
    #expect(try code(of: script) == .toolFailed)
  }

  // IMP-10
  @Test func aMissingHelperIsToolMissing() {
    let missing = pool(on: BytePath("/nonexistent/settle-verify"))
    let error = #expect(throws: SettleError.self) { try missing.verify(document) { false } }
    #expect(error?.code == .toolMissing)
    #expect(error?.stage == .verification)
    #expect(throws: SettleError.self) { try missing.prepare() }
  }

  // IMP-10
  @Test func aHelperThatCannotBeExecutedIsToolMissing() throws {
    let folder = DocumentFolder()
    let broken = folder.write([0, 1, 2, 3], as: "broken", mode: 0o700)
    let error = #expect(throws: SettleError.self) {
      try pool(on: broken).verify(document) { false }
    }
    #expect(error?.code == .toolMissing)
  }

  // IMP-10
  @Test func theHelperIsFoundWhereTheUserSaysElseBesideUsElseInThePath() throws {
    let folder = DocumentFolder()
    let helper = try folder.program("exit 0", as: "settle-verify")
    let other = try folder.program("exit 0", as: "other")
    let here = folder.path.bytes
    let nowhere = Array("/nonexistent".utf8)
    #expect(try VerifierLocation(chosen: other.bytes, ownFolder: here).find() == other)
    #expect(try VerifierLocation(ownFolder: here).find() == helper)
    let path = nowhere + Array(":relative::".utf8) + here
    #expect(try VerifierLocation(ownFolder: nowhere, searchPath: path).find() == helper)
    #expect(throws: SettleError.self) {
      // A path that was set by hand is not quietly replaced by another.
      try VerifierLocation(chosen: nowhere, ownFolder: here, searchPath: here).find()
    }
    #expect(throws: SettleError.self) { try VerifierLocation(searchPath: nowhere).find() }
  }
}
