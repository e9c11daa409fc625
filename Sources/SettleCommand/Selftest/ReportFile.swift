import CSettleSystem
import SettleCore
import SettleFiles

/// The file that a report is written to: all of it or nothing, and nobody's file is replaced
/// unasked.
struct ReportFile: Sendable {
  let path: BytePath
  /// True when a file that is there may be replaced.
  var replaces = false

  /// True when something is there already. Throws when that is no file, which is never replaced,
  /// and when there is no folder that may be written to: better now than after the work.
  func exists() throws(SettleError) -> Bool {
    guard let parent = path.parent, access(parent) == 0 else {
      throw failure(FileError("access", path.parent == nil ? EISDIR : settle_errno()))
    }
    let status: FileStatus
    do throws(FileError) {
      status = try PosixFileSystem().status(at: path, followsLink: false)
    } catch {
      if error.number == ENOENT { return false }
      throw failure(error)
    }
    guard status.kind == .regular else {
      throw SettleError(.targetExists, subject: path.bytes, detail: "it is no file, or a link")
    }
    return true
  }

  /// Writes aside in the same folder, makes it durable and renames it.
  ///
  /// **After a crash** one file whose name begins with `.settle-report-` may be left.
  func write(_ text: String) throws(SettleError) {
    let files = PosixFileSystem()
    do throws(FileError) {
      guard let name = FileName(path.lastComponent), let parent = path.parent else {
        throw FileError("open", EISDIR)
      }
      let folder = try files.openFolder(at: parent)
      defer { files.close(folder) }
      let staging = FileName(own: ".settle-report-\(getpid())")
      let handle = try files.createFile(staging, in: folder, mode: 0o644)
      do throws(FileError) {
        defer { files.close(handle) }
        try files.writeAll(handle, Array(text.utf8))
        try files.sync(handle)
      } catch {
        try? files.remove(staging, in: folder)
        throw error
      }
      do throws(FileError) {
        try publish(staging, as: name, in: folder, files)
      } catch {
        try? files.remove(staging, in: folder)
        throw error
      }
      try files.syncFolder(folder)
    } catch { throw failure(error) }
  }

  private func access(_ folder: BytePath) -> Int32 {
    folder.withCString { CSettleSystem.access($0, W_OK | X_OK) }
  }

  private func publish(
    _ staging: FileName, as name: FileName, in folder: Handle, _ files: PosixFileSystem
  ) throws(FileError) {
    guard replaces else { return try files.publish(staging, in: folder, as: name, in: folder) }
    let result = staging.withCString { from in
      name.withCString { renameat(folder.number, from, folder.number, $0) }
    }
    if result != 0 { throw FileError("rename", settle_errno()) }
  }

  private func failure(_ error: FileError) -> SettleError {
    let cause = SettleError.Cause(call: error.call, number: error.number)
    if error.number == EEXIST {
      return SettleError(.targetExists, subject: path.bytes, cause: cause)
    }
    return SettleError(error, stage: nil, subject: path.bytes)
  }
}
