import CSettleSystem
import SettleCore
import SettleFiles
import Testing

@Suite struct FileErrorTests {
  // FIL-7, IMP-9, IMP-10: each error number has its name, and the cause is kept.
  @Test(arguments: [
    (ENOENT, SettleError.Code.notFound), (ENOTDIR, .notFound), (EACCES, .permissionDenied),
    (EPERM, .permissionDenied), (ENXIO, .notARegularFile), (EISDIR, .notARegularFile),
    (ELOOP, .notARegularFile), (EOPNOTSUPP, .notARegularFile), (ENOSPC, .noSpace),
    (EDQUOT, .noSpace), (EIO, .ioError),
    (EROFS, .ioError), (ESTALE, .ioError), (12_345, .ioError),
  ])
  func errorNumberBecomesACode(_ number: Int32, _ code: SettleError.Code) {
    let error = SettleError(FileError("openat", number), stage: .access, subject: [0xFF])
    #expect(error.code == code)
    #expect(error.stage == .access)
    #expect(error.subject == [0xFF])
    #expect(error.cause == SettleError.Cause(call: "openat", number: number))
  }

  // IMP-10: a device that goes away while a file is copied is not a wrong kind of source.
  @Test(arguments: [ENXIO, EISDIR, ELOOP])
  func laterStagesReportTheDisk(_ number: Int32) {
    #expect(SettleError(FileError("read", number), stage: .copy, subject: []).code == .ioError)
  }

  // IMP-3: elsewhere than on Apple platforms the source is lent as it is, errors included.
  @Test func sourceIsLentToTheBody() throws {
    #expect(try SourceAccess.withSource("/a") { (path) throws(SettleError) in path } == "/a")
    let error = #expect(throws: SettleError.self) {
      try SourceAccess.withSource("/a") { (_) throws(SettleError) in throw SettleError(.timeout) }
    }
    #expect(error?.code == .timeout)
  }
}
