import SettleCore

extension Verdict {
  /// The verdict that an answer of the helper amounts to.
  package init(_ answer: WireAnswer) {
    switch answer {
    case .facts(let facts): self.init(facts)
    case .unreadable(let reason, let number):
      self = .refused(reason.code, detail: "error \(number)")
    }
  }
}

extension WireAnswer.Reason {
  /// The reason code of the contract.
  var code: SettleError.Code {
    switch self {
    case .notFound: .notFound
    case .permissionDenied: .permissionDenied
    case .notARegularFile: .notARegularFile
    case .ioError: .ioError
    }
  }
}
