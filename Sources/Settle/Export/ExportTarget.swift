import SettleCore
import SettleFiles

/// The folder that an export writes to: made when it is missing, never inside the library.
struct ExportTarget {
  let folders: LibraryFolders
  let path: BytePath

  private var files: any FileSystem { folders.files }

  /// Opens the folder, and removes what an earlier export to it left when it was killed.
  ///
  /// - Throws: `targetInLibrary` before anything is written, `permissionDenied`, `noSpace`,
  ///   `ioError`.
  func open() throws(SettleError) -> Handle {
    do throws(FileError) {
      if try isInLibrary() { throw FileError("mkdirat", Self.inLibrary) }
      try LibraryOpening.makeFolders(to: path, files)
      let handle = try files.openFolder(at: path)
      ExportLeftovers(files: files, folder: handle).remove()
      return handle
    } catch {
      if error.number == Self.inLibrary {
        throw SettleError(.targetInLibrary, subject: path.bytes)
      }
      throw SettleError(error, stage: nil, subject: path.bytes)
    }
  }

  /// No error number of a system.
  private static let inLibrary: Int32 = -1

  /// Compares the nearest folder that is there, and each one above it, with the library's own: by
  /// what they are and not by name, since links and mounts give a folder several names.
  private func isInLibrary() throws(FileError) -> Bool {
    let library = try files.status(of: folders.root)
    var place = try nearestFolder()
    var last: FileStatus?
    while true {
      let handle = try files.openFolder(at: place)
      defer { files.close(handle) }
      let status = try files.status(of: handle)
      if status.device == library.device, status.inode == library.inode { return true }
      // The folder above the root is the root.
      if let last, last.device == status.device, last.inode == status.inode { return false }
      last = status
      place = place.appending("..".utf8)
    }
  }

  private func nearestFolder() throws(FileError) -> BytePath {
    var place = path
    while true {
      do throws(FileError) {
        files.close(try files.openFolder(at: place))
        return place
      } catch {
        guard error.isNotFound, let parent = place.parent, parent != place else { throw error }
        place = parent
      }
    }
  }
}

/// Copies that an export was making when it was killed: hidden files with a name of ours that
/// nobody has locked. Each export locks the copy in its hand.
struct ExportLeftovers {
  private static let prefix = ".settle-"

  let files: any FileSystem
  let folder: Handle

  /// The hidden name of a copy that is being made.
  static func name(_ id: SortableID) -> FileName { FileName(own: prefix + id.description) }

  /// Removes what is surely left over. Best effort: what cannot be judged or removed stays.
  func remove() {
    var names: [FileName] = []
    try? files.list(folder) { name, kind in
      if kind == .regular, Self.isOurs(name) { names.append(name) }
      return true
    }
    for name in names {
      guard let file = try? files.openFile(name, in: folder) else { continue }
      defer { files.close(file) }
      if (try? files.lock(file)) == true, isStill(file, name) {
        try? files.remove(name, in: folder)
      }
    }
  }

  /// Locks a copy that was just made. False when another export has just taken it for a leftover.
  /// On a disk without locks none is ever taken for one.
  func claim(_ file: Handle, _ name: FileName) -> Bool {
    do throws(FileError) {
      return try files.lock(file) && isStill(file, name)
    } catch {
      return true
    }
  }

  private static func isOurs(_ name: FileName) -> Bool {
    let start = Array(prefix.utf8)
    return name.bytes.starts(with: start)
      && SortableID(bytes: name.bytes.dropFirst(start.count)) != nil
  }

  private func isStill(_ file: Handle, _ name: FileName) -> Bool {
    guard let open = try? files.status(of: file), let named = try? files.status(name, in: folder)
    else { return false }
    return open.device == named.device && open.inode == named.inode
  }
}
