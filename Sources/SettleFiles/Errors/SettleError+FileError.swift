import CSettleSystem
import SettleCore

extension SettleError {
  /// A failed file operation in the words for users; the call and its error number are kept.
  package init(_ error: FileError, stage: Stage?, subject: [UInt8]) {
    self.init(
      Self.code(of: error.number, stage: stage), stage: stage, subject: subject,
      detail: Self.detail(of: error.number),
      cause: Cause(call: error.call, number: error.number))
  }

  private static func code(of number: Int32, stage: Stage?) -> Code {
    switch number {
    case ENOENT: .notFound
    // A source below a file is not there; a folder of a library that is no folder is in the way.
    case ENOTDIR: stage == .access ? .notFound : .notARegularFile
    case EACCES, EPERM: .permissionDenied
    // When a source is opened, these say what it is (a socket is ENXIO on Linux, EOPNOTSUPP on
    // Apple platforms); later, they say that a device went away.
    case ENXIO, EOPNOTSUPP, EISDIR, ELOOP:
      stage == .access || stage == nil
        ? .notARegularFile : number == ENXIO ? .volumeGone : .ioError
    case ENOSPC, EDQUOT, EFBIG: .noSpace
    case EMFILE, ENFILE: .tooManyOpenFiles
    case ENAMETOOLONG: .nameTooLong
    case EROFS: .readOnlyVolume
    case ESTALE, ENODEV, ENOTCONN, EHOSTDOWN, ETIMEDOUT: .volumeGone
    case ETXTBSY, EBUSY, EDEADLK: .fileInUse
    default: .ioError
    }
  }

  /// What the code alone does not tell.
  private static func detail(of number: Int32) -> String {
    switch number {
    case ENOTDIR: "a folder is needed"
    case EDQUOT: "the disk quota is used up"
    case EFBIG: "the file system or ulimit -f allows no file of this size"
    case ELOOP: "a link, or links that lead in a circle"
    case EMFILE: "this process may have \(OpenFiles.limit) files open"
    case ENFILE: "the whole system has no more to give"
    default: ""
    }
  }
}
