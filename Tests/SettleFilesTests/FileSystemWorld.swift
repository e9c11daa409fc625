import CSettleSystem
import SettleFiles
import SettleTestKit
import SettleTestSupport

/// Each implementation of the seam; the conformance suite runs over all of them.
enum FileSystemKind: String, CaseIterable, Sendable {
  case posix, memory
  /// Both again below a plan of faults without any, which must change nothing.
  case faultyPosix, faultyMemory

  /// The file system that the tests call.
  func wrap(_ files: any FileSystem) -> any FileSystem {
    switch self {
    case .posix, .memory: files
    case .faultyPosix, .faultyMemory: FaultyFileSystem(base: files, plan: FaultPlan())
    }
  }
}

/// A file system with an empty folder, and what the seam itself cannot make.
struct FileSystemWorld {
  let files: any FileSystem
  let path: BytePath
  let root: Handle
  let makeLink: (BytePath, [UInt8]) throws -> Void
  let makePipe: (BytePath) throws -> Void

  /// A path below the folder.
  func path(_ text: String) -> BytePath { path.appending(Array(text.utf8)) }
}

/// Lends a world of one kind. Nothing may be left open in it.
func withWorld(_ kind: FileSystemKind, _ body: (FileSystemWorld) throws -> Void) throws {
  switch kind {
  case .posix, .faultyPosix:
    try withTemporaryFolder { folder in
      let files = kind.wrap(PosixFileSystem())
      let root = try files.openFolder(at: folder)
      defer { files.close(root) }
      try body(
        FileSystemWorld(
          files: files, path: folder, root: root,
          makeLink: { path, target in
            let result = path.withCString { link in
              BytePath(target).withCString { symlink($0, link) }
            }
            if result != 0 { throw FileError("symlink", settle_errno()) }
          },
          makePipe: { path in
            let result = path.withCString { mkfifo($0, 0o600) }
            if result != 0 { throw FileError("mkfifo", settle_errno()) }
          }))
    }
  case .memory, .faultyMemory:
    let files = MemoryFileSystem()
    _ = try files.makeFolder(at: "/home")
    let root = try files.openFolder(at: "/home")
    try body(
      FileSystemWorld(
        files: kind.wrap(files), path: "/home", root: root,
        makeLink: { try files.makeLink(at: $0, to: $1) },
        makePipe: { try files.makeSpecial(.pipe, at: $0) }))
    files.close(root)
    if files.openHandleCount != 0 { throw FileError("handles left open", EBUSY) }
  }
}

/// The error number that a call fails with.
func number(_ body: () throws -> Void) -> Int32? {
  do {
    try body()
    return nil
  } catch {
    return (error as? FileError)?.number ?? -1
  }
}
