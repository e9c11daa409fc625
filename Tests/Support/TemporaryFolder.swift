import CSettleSystem
import SettleFiles

/// Lends a fresh folder and removes it, and all below it, whatever happens.
package func withTemporaryFolder<Result>(
  _ body: (BytePath) throws -> Result
) throws -> Result {
  let folder = try makeTemporaryFolder()
  defer { removeTree(folder) }
  return try body(folder)
}

/// Lends a fresh folder to asynchronous work and removes it, and all below it.
package func withTemporaryFolder<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (BytePath) async throws -> Result
) async throws -> Result {
  let folder = try makeTemporaryFolder()
  defer { removeTree(folder) }
  return try await body(folder)
}

/// Makes a folder that nobody else has.
private func makeTemporaryFolder() throws(FileError) -> BytePath {
  let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array("\(base)/settle-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw FileError("mkdtemp", settle_errno()) }
  return BytePath(template.dropLast().map { UInt8(bitPattern: $0) })
}

/// Removes a folder and all below it, links not followed. Prints what stays.
package func removeTree(_ path: BytePath) {
  let files = PosixFileSystem()
  do throws(FileError) {
    let folder = try files.openFolder(at: path)
    defer { files.close(folder) }
    try removeContents(of: folder, files)
  } catch {
    print("cannot empty \(path): \(error)")
  }
  if path.withCString({ rmdir($0) }) != 0 {
    print("cannot remove \(path): error \(settle_errno())")
  }
}

private func removeContents(of folder: Handle, _ files: PosixFileSystem) throws(FileError) {
  // A test may have taken the right to remove names.
  try files.setMode(folder, 0o700)
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
    _ = name.withCString { fchmodat(folder.number, $0, 0o700, 0) }
    let inner = try files.openFolder(name, in: folder)
    defer { files.close(inner) }
    try removeContents(of: inner, files)
    try files.removeFolder(name, in: folder)
  }
}

/// Takes the rights of root from this process, for tests of missing rights in a child process.
package func giveUpRoot() throws(FileError) {
  let nobody: uid_t = 65534
  guard geteuid() == 0 else { return }
  if setuid(nobody) != 0 { throw FileError("setuid", settle_errno()) }
}
