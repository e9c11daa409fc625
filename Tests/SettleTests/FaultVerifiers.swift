import Settle
import SettleTestSupport
import SettleVerify
import Synchronization

/// Accepts every document without looking: what is under test is what happens around it.
struct BlindVerifier: DocumentVerifier {
  var engine: String { "blind 1" }

  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict {
    isCancelled() ? .cancelled : .accepted(pageCount: 1, flags: [])
  }

  func close() {}
}

/// Works on the first document until somebody cancels, and accepts all others.
final class StubbornVerifier: DocumentVerifier {
  /// Opened by the test once it has cancelled; the first verification waits for it.
  let gate = Gate()
  private let calls = Mutex(0)
  private let answers = Collector<Verdict>()

  var engine: String { "stubborn 1" }
  /// What the verification that waited answered.
  var answer: Verdict? { answers.all.first }

  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict {
    let isFirst = calls.withLock { count in
      count += 1
      return count == 1
    }
    guard isFirst else { return .accepted(pageCount: 1, flags: []) }
    gate.wait()
    let verdict: Verdict = isCancelled() ? .cancelled : .accepted(pageCount: 1, flags: [])
    answers.add(verdict)
    return verdict
  }

  func close() {}
}
