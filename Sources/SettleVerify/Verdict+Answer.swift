import CSettleSystem
import SettleCore

extension Verdict {
  /// The verdict that an answer of the helper amounts to.
  package init(_ answer: WireAnswer) {
    switch answer {
    case .facts(let facts): self.init(facts)
    case .unreadable(let number):
      self = .refused(Self.code(errorNumber: number), detail: "error \(number)")
    }
  }

  private static func code(errorNumber: Int32) -> SettleError.Code {
    switch errorNumber {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .notFound
    case EACCES, EPERM: .permissionDenied
    // A link, a folder, a socket or a device without a driver behind it.
    case ELOOP, EISDIR, ENXIO, ENODEV: .notARegularFile
    default: .ioError
    }
  }
}
