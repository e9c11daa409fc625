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
    (EFBIG, .noSpace), (EMFILE, .tooManyOpenFiles), (ENFILE, .tooManyOpenFiles),
    (ENAMETOOLONG, .nameTooLong), (EROFS, .readOnlyVolume), (ESTALE, .volumeGone),
    (ENODEV, .volumeGone), (ENOTCONN, .volumeGone), (ETXTBSY, .fileInUse), (EBUSY, .fileInUse),
    (12_345, .ioError),
  ])
  func errorNumberBecomesACode(_ number: Int32, _ code: SettleError.Code) {
    let error = SettleError(FileError("openat", number), stage: .access, subject: [0xFF])
    #expect(error.code == code)
    #expect(error.stage == .access)
    #expect(error.subject == [0xFF])
    #expect(error.cause == SettleError.Cause(call: "openat", number: number))
  }

  // IMP-10: a device that goes away while a file is copied is not a wrong kind of source.
  @Test(arguments: [
    (ENXIO, SettleError.Code.volumeGone), (EISDIR, .ioError), (ELOOP, .ioError),
  ])
  func laterStagesReportTheDisk(_ number: Int32, _ code: SettleError.Code) {
    #expect(SettleError(FileError("read", number), stage: .copy, subject: []).code == code)
  }

  // FIL-7, IMP-10: each class of error has its own words and its own next step.
  @Test(arguments: [
    (
      EMFILE, "Too many files are open to import \"x\" (this process may have ",
      "Raise the limit with ulimit -n, or close other programs, and try again."
    ),
    (
      ENAMETOOLONG, "The path is too long: \"x\" [openat: error \(ENAMETOOLONG)].",
      "Import from a folder that is nearer to the file, or move the file up."
    ),
    (
      EROFS, "The library's file system is read-only, so there is no place for \"x\" ",
      "Mount it for writing, or choose another library with --library."
    ),
    (
      ESTALE, "The disk or server went away: \"x\" ",
      "Connect it again, run settle recover and import again."
    ),
    (
      ETXTBSY, "Another program uses the file: \"x\" ",
      "Wait for that program and import again."
    ),
    (
      EFBIG,
      "No space is left for \"x\" (the file system or ulimit -f allows no file of this size)",
      "Free space on the library's disk and import again; finished items are kept."
    ),
    (
      EDQUOT, "No space is left for \"x\" (the disk quota is used up)",
      "Free space on the library's disk and import again; finished items are kept."
    ),
  ])
  func eachClassHasItsWords(_ number: Int32, _ start: String, _ next: String) {
    let error = SettleError(FileError("openat", number), stage: .copy, subject: [0x78])
    #expect(error.message.hasPrefix(start), "\(error.message)")
    #expect(error.nextStep == next)
    #expect(!error.description.contains("Check the disk"))
    let call = SettleError(FileError("openat", number), stage: nil, subject: [0x78]).description
    #expect(!call.contains("import") && !call.contains("source"), "\(call)")
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
