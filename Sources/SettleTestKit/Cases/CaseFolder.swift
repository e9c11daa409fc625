import CSettleSystem
import SettleCore
import SettleFiles

/// A new folder of one case, which goes with everything in it.
struct CaseFolder: Sendable {
  let path: BytePath

  /// Makes a folder below `TMPDIR` or /tmp that nobody else has.
  init() throws(SettleError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/settle-case-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SettleError(
        .ioError, subject: Array(base.utf8), cause: .init(call: "mkdtemp", number: settle_errno()))
    }
    path = BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// Removes the folder and all below it, links not followed. Throws when something stays.
  func remove() throws(SettleError) {
    do throws(FileError) {
      let files = PosixFileSystem()
      let folder = try files.openFolder(at: path)
      defer { files.close(folder) }
      try empty(folder, files)
    } catch {
      throw SettleError(error, stage: .access, subject: path.bytes)
    }
    guard path.withCString({ rmdir($0) }) == 0 else {
      throw SettleError(
        .ioError, subject: path.bytes, cause: .init(call: "rmdir", number: settle_errno()))
    }
  }

  private func empty(_ folder: Handle, _ files: PosixFileSystem) throws(FileError) {
    var names: [(FileName, FileKind)] = []
    try files.list(folder) { name, kind in
      names.append((name, kind))
      return true
    }
    for (name, kind) in names {
      guard kind == .folder else {
        try files.remove(name, in: folder)
        continue
      }
      let inner = try files.openFolder(name, in: folder)
      defer { files.close(inner) }
      try empty(inner, files)
      try files.removeFolder(name, in: folder)
    }
  }
}
