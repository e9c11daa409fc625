import SettleCore
import SettleFiles

/// What a parser found out about a document (IMP-4).
public enum Verdict: Sendable, Hashable {
  /// Something remarkable about a document that is fine otherwise.
  public enum Flag: String, Sendable, Hashable, CaseIterable {
    /// The parser had to rebuild the file's tables; the stored original is as it was.
    case repaired
    /// Encrypted, opens without a password.
    case encrypted
  }

  /// It opens and has this many pages (1 at least).
  case accepted(pageCount: Int, flags: Set<Flag>)
  /// It cannot be kept: a reason code of the contract and a detail from the engine.
  case refused(SettleError.Code, detail: String)
  /// The caller's cancellation ended the verification.
  case cancelled
}

/// Opens documents where their bytes can do no harm.
public protocol DocumentVerifier: Sendable {
  /// Engine and version, such as `qpdf 11.3.0`, recorded with each entry (IMP-5).
  var engine: String { get }

  /// Judges the document at a path. Blocks; call it from a worker thread.
  ///
  /// Never throws on account of a document: a crash or a limit is `refused(.tooComplex)`. It
  /// throws `toolMissing` or `toolFailed` when the verifier itself cannot work.
  /// `isCancelled` is asked at least every 50 ms; the answer then comes at once.
  func verify(_ path: BytePath, isCancelled: () -> Bool) throws(SettleError) -> Verdict

  /// Ends all helper processes. Verifying afterwards starts new ones.
  func close()
}
