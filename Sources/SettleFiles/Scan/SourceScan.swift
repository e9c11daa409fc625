import CSettleSystem
import SettleCore

/// Finds the inputs of a batch before it is frozen (RUN-6).
///
/// A folder is walked in the order of its names' bytes, so that the result does not depend on the
/// disk. Links in a folder are reported and never followed; a path named by hand may be one.
/// Nothing is left out silently: what cannot be read is an item that failed, what is passed over is
/// counted. Depth costs memory, never stack.
package struct SourceScan {
  private let fileSystem: any FileSystem
  private let goesOn: () -> Bool
  private let closed: Set<FolderIdentity>

  /// - Parameters:
  ///   - closed: Folders that are yielded as folders and never entered, whatever path leads there.
  ///   - goesOn: Asked while a large folder is read, which yields nothing; false stops.
  package init(
    _ fileSystem: any FileSystem, closed: [FileStatus] = [],
    goesOn: @escaping () -> Bool = { true }
  ) {
    self.fileSystem = fileSystem
    self.goesOn = goesOn
    self.closed = Set(closed.map(FolderIdentity.init))
  }

  /// Yields every item below a path that a user named; the body returns false to stop.
  package func walk(_ path: BytePath, _ body: (ScannedItem) -> Bool) -> ScanSummary {
    var walk = Walk(fileSystem: fileSystem, closed: closed, goesOn: goesOn)
    walk.summary.isComplete = walk.start(at: path, body) && walk.finish(body)
    return walk.summary
  }
}

/// The state of one walk.
private struct Walk {
  let fileSystem: any FileSystem
  let closed: Set<FolderIdentity>
  let goesOn: () -> Bool
  var summary = ScanSummary()
  private var stack: [FolderContents] = []
  private var visited: Set<FolderIdentity> = []

  init(
    fileSystem: any FileSystem, closed: Set<FolderIdentity>, goesOn: @escaping () -> Bool
  ) {
    self.fileSystem = fileSystem
    self.closed = closed
    self.goesOn = goesOn
  }

  /// Looks at the path itself. False when stopped.
  mutating func start(at path: BytePath, _ body: (ScannedItem) -> Bool) -> Bool {
    guard goesOn() else { return false }
    do throws(FileError) {
      let status = try fileSystem.status(at: path, followsLink: true)
      if status.kind == .folder { return enter(path, as: status, .named, body) }
      return body(
        ScannedItem(
          path: path, origin: .named, content: .file(status.kind, byteCount: status.byteCount)))
    } catch {
      return body(failure(error, path, .named))
    }
  }

  /// Takes one name after the other until no folder is left. False when stopped.
  mutating func finish(_ body: (ScannedItem) -> Bool) -> Bool {
    while !stack.isEmpty {
      let top = stack.count - 1
      guard let child = stack[top].next() else {
        stack.removeLast()
        continue
      }
      let path = stack[top].path.appending(child.name)
      guard goesOn(), visit(child, at: path, body) else { return false }
    }
    return true
  }

  private mutating func visit(
    _ child: FolderContents.Child, at path: BytePath, _ body: (ScannedItem) -> Bool
  ) -> Bool {
    // No call could open it; its neighbours go on.
    guard path.bytes.count < Int(PATH_MAX) else {
      return body(failure(FileError("openat", ENAMETOOLONG), path, .found))
    }
    switch child.status {
    case .failure(let error): return body(failure(error, path, .found))
    case .success(let status) where status.kind == .folder:
      return enter(path, as: status, .found, body)
    case .success(let status):
      return body(
        ScannedItem(
          path: path, origin: .found, content: .file(status.kind, byteCount: status.byteCount)))
    }
  }

  /// Reads a folder and puts it on the stack. False when stopped.
  private mutating func enter(
    _ path: BytePath, as expected: FileStatus, _ origin: ScannedItem.Origin,
    _ body: (ScannedItem) -> Bool
  ) -> Bool {
    if closed.contains(FolderIdentity(expected)) {
      return body(
        ScannedItem(path: path, origin: origin, content: .file(.folder, byteCount: 0)))
    }
    guard visited.insert(FolderIdentity(expected)).inserted else {
      summary.repeatedFolderCount += 1
      return true
    }
    var contents = FolderContents(path: path)
    do throws(FileError) {
      let folder = try fileSystem.openFolder(at: path)
      defer { fileSystem.close(folder) }
      // The name may lead elsewhere by now, such as through a link that took the folder's place.
      let found = FolderIdentity(try fileSystem.status(of: folder))
      guard found == FolderIdentity(expected) else {
        let error = SettleError(.sourceChanged, stage: .access, subject: path.bytes)
        return body(ScannedItem(path: path, origin: origin, content: .failed(error)))
      }
      guard try contents.read(folder, fileSystem, goesOn) else { return false }
    } catch {
      guard body(failure(error, path, origin)) else { return false }
    }
    summary.junkCount += contents.junkCount
    stack.append(contents)
    return true
  }

  private func failure(
    _ error: FileError, _ path: BytePath, _ origin: ScannedItem.Origin
  ) -> ScannedItem {
    let failed = SettleError(error, stage: .access, subject: path.bytes)
    return ScannedItem(path: path, origin: origin, content: .failed(failed))
  }
}

/// Which folder it is, whatever its path.
private struct FolderIdentity: Hashable {
  let device: UInt64
  let inode: UInt64

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
  }
}
