import CSettleSystem

extension FileError {
  /// Nothing has this name.
  package var isNotFound: Bool { number == ENOENT }
  /// Something has this name already.
  package var isExisting: Bool { number == EEXIST }
  /// The file itself cannot be read; another file could be.
  package var isAboutTheFile: Bool { [EACCES, EPERM, EIO].contains(number) }
  /// The error number for "somebody else is using it".
  package static var busy: Int32 { EBUSY }
  /// The error number for "nothing has this name".
  package static var notFound: Int32 { ENOENT }
  /// The error number for "on another file system".
  package static var crossDevice: Int32 { EXDEV }
}
