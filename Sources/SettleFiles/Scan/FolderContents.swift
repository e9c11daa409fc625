import CSettleSystem

/// The names in one folder, in the order of their bytes, and what each is.
struct FolderContents {
  /// One name and its status; links not followed.
  struct Child {
    var name: [UInt8]
    var status: Result<FileStatus, FileError>
  }

  let path: BytePath
  private(set) var junkCount = 0
  private var names = PathTable()
  private var statuses: [Result<FileStatus, FileError>] = []
  private var order: [UInt32] = []
  private var position = 0

  /// Nothing read yet.
  init(path: BytePath) { self.path = path }

  /// The next name; nil after the last.
  mutating func next() -> Child? {
    guard position < order.count else { return nil }
    defer { position += 1 }
    let index = Int(order[position])
    return Child(name: Array(names.bytes(at: index)), status: statuses[index])
  }

  /// Reads an open folder; false when stopped. What was read before an error stays.
  mutating func read(
    _ folder: Handle, _ fileSystem: any FileSystem, _ goesOn: () -> Bool
  ) throws(FileError) -> Bool {
    var isStopped = false
    let listing: Result<Void, FileError> = list(folder, fileSystem) { _ in
      isStopped = !goesOn()
      return !isStopped
    }
    if isStopped { return false }
    for index in 0..<names.count {
      guard goesOn() else { return false }
      statuses.append(status(at: index, in: folder, fileSystem))
    }
    order = (0..<UInt32(names.count)).sorted {
      names.bytes(at: Int($0)).lexicographicallyPrecedes(names.bytes(at: Int($1)))
    }
    try listing.get()
    return true
  }

  private mutating func list(
    _ folder: Handle, _ fileSystem: any FileSystem, _ goesOn: (FileName) -> Bool
  ) -> Result<Void, FileError> {
    do throws(FileError) {
      try fileSystem.list(folder) { name, kind in
        if Self.isJunk(name, kind) {
          junkCount += 1
        } else {
          names.append(name.bytes)
        }
        return goesOn(name)
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  private func status(
    at index: Int, in folder: Handle, _ fileSystem: any FileSystem
  ) -> Result<FileStatus, FileError> {
    guard let name = FileName(Array(names.bytes(at: index))) else {
      return .failure(FileError("fstatat", EINVAL))
    }
    do throws(FileError) {
      return .success(try fileSystem.status(name, in: folder))
    } catch {
      return .failure(error)
    }
  }

  /// True for what systems leave behind in folders and no user ever made.
  private static func isJunk(_ name: FileName, _ kind: FileKind) -> Bool {
    kind == .folder ? junkFolders.contains(name.bytes) : junkFiles.contains(name.bytes)
  }

  private static let junkFiles: Set<[UInt8]> = [
    Array(".DS_Store".utf8), Array("Thumbs.db".utf8), Array("desktop.ini".utf8),
  ]
  private static let junkFolders: Set<[UInt8]> = [Array("@eaDir".utf8)]
}
