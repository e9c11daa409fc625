import CSettleSystem
import SettleCore
import SettleFiles

/// A temporary folder of the demo or the self test, which removes it with everything in it.
struct DemoFolder: Sendable {
  let path: BytePath

  /// Makes a new folder in another one, such as `TMPDIR`.
  init(below base: BytePath, named name: String = "settle-demo-") throws(SettleError) {
    var template = base.appending(Array((name + "XXXXXX").utf8)).bytes.map {
      CChar(bitPattern: $0)
    }
    template.append(0)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    guard made else {
      throw SettleError(
        .ioError, subject: base.bytes, cause: .init(call: "mkdtemp", number: settle_errno()))
    }
    path = BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// Makes a folder in it.
  func makeFolder(_ name: String) throws(SettleError) -> BytePath {
    let folder = path.appending(Array(name.utf8))
    guard folder.withCString({ mkdir($0, 0o700) }) == 0 else { throw failure("mkdir", folder) }
    return folder
  }

  /// Writes a file.
  func write(_ bytes: [UInt8], to file: BytePath) throws(SettleError) {
    let descriptor = file.withCString {
      settle_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    }
    guard descriptor >= 0 else { throw failure("open", file) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        CSettleSystem.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, settle_errno() == EINTR { continue }
      guard count > 0 else { throw failure("write", file) }
      rest = rest.dropFirst(count)
    }
  }

  /// Removes the folder and everything in it. Links are removed, never followed.
  func remove() { Self.remove(path) }

  /// How many files, not folders, are anywhere below a folder; 0 when there is no such folder.
  static func fileCount(below folder: BytePath) -> Int { files(below: folder).count }

  /// The files, not folders, anywhere below a folder; none when there is no such folder.
  static func files(below folder: BytePath) -> [BytePath] {
    names(in: folder).flatMap { name, isFolder in
      let path = folder.appending(name)
      return isFolder ? files(below: path) : [path]
    }
  }

  private static func remove(_ folder: BytePath) {
    for (name, isFolder) in names(in: folder) {
      let path = folder.appending(name)
      if isFolder { remove(path) } else { _ = path.withCString { unlink($0) } }
    }
    _ = folder.withCString { rmdir($0) }
  }

  private static func names(in folder: BytePath) -> [(name: [UInt8], isFolder: Bool)] {
    guard let stream = folder.withCString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [(name: [UInt8], isFolder: Bool)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      var status = stat()
      let found = folder.appending(name).withCString { lstat($0, &status) }
      names.append((name, found == 0 && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR)))
    }
    return names
  }

  private func failure(_ call: String, _ path: BytePath) -> SettleError {
    SettleError(.ioError, subject: path.bytes, cause: .init(call: call, number: settle_errno()))
  }
}
