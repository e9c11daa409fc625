import SettleCore
import SettleFiles

/// A disk as a crash may leave it, for the user's recovery to open.
public struct CrashImage: Sendable, CustomStringConvertible {
  /// Its number among the images of a sweep, from 1.
  public let number: Int
  /// The operations that led here, with the disk that each left.
  let steps: ArraySlice<CrashStep>
  let disk: MemoryDisk
  let choice: CrashChoice

  /// How many operations had been done.
  public var operationCount: Int { steps.count }

  /// The operations that led here, in prose, in order.
  public var operations: [String] { steps.map(\.prose) }

  /// The disk at the moment of the crash, with what was not durable.
  var before: MemoryDisk { steps.last?.disk ?? disk }

  /// True when nothing was lost: what the death of the process alone leaves.
  public var isKill: Bool { choice.losesNothing }

  /// Every file, by its path from the root of the disk.
  public var files: [BytePath: [UInt8]] {
    var files: [BytePath: [UInt8]] = [:]
    for (path, content) in disk.tree() { files[BytePath(path)] = content }
    return files
  }

  /// The bytes of a file; nil when there is none.
  public func contents(of path: BytePath) -> [UInt8]? {
    guard let inode = try? disk.find(path, followsLink: false, "contents"),
      let node = disk.inodes[inode], node.kind == .regular
    else { return nil }
    return node.content
  }

  /// True when a name is there.
  public func exists(_ path: BytePath) -> Bool {
    (try? disk.find(path, followsLink: false, "exists")) != nil
  }

  /// Paths whose names no sync of a folder had made durable when the crash came.
  public var uncertainPaths: [BytePath] {
    before.unsyncedNames.flatMap { change in
      [
        change.added.map { before.path($0.folder, $0.name) },
        change.removed.map { before.path($0.folder, $0.name) },
      ]
      .compactMap { $0 }.map(BytePath.init)
    }
  }

  /// A file system in memory that begins with this image.
  package func makeFiles() -> MemoryFileSystem {
    var state = MemoryFileSystem.State()
    state.disk = disk
    return MemoryFileSystem(state: state)
  }

  /// Writes the image into an empty folder of the real disk, for a recovery that needs one.
  ///
  /// **After a crash** the folder holds a part of the image. Throws when the disk fails.
  public func write(to folder: BytePath) throws {
    let files = PosixFileSystem()
    do throws(FileError) {
      for (path, content) in disk.tree() {
        let target = BytePath(folder.bytes + path)
        if let content {
          try files.writeFile(at: target, content)
        } else {
          _ = try files.makeFolder(at: target)
        }
      }
    } catch {
      throw SettleError(error, stage: .access, subject: folder.bytes)
    }
  }

  /// The operations, then what the crash took.
  public var description: String {
    let head = "image \(number), crash after operation \(operationCount):"
    let done = operations.enumerated().map { "  \($0.offset + 1). \($0.element)" }
    return ([head] + done + choice.prose(on: before).map { "  " + $0 }).joined(separator: "\n")
  }
}

extension FileSystem {
  /// Makes a file at a path with the given bytes.
  fileprivate func writeFile(at path: BytePath, _ bytes: [UInt8]) throws(FileError) {
    let last = path.lastComponent
    guard let name = FileName(last) else { throw FileError("openat", FileError.notFound) }
    let folder = try openFolder(at: BytePath(Array(path.bytes.dropLast(last.count))))
    defer { close(folder) }
    let file = try createFile(name, in: folder, mode: 0o600)
    defer { close(file) }
    try writeAll(file, bytes)
  }
}
