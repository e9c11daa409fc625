import CSettleSystem
import SettleCore
import SettleFiles

// For a recorder of system calls, which knows files by their inodes and has done each call already.
extension CrashDisk {
  /// The inode at a path, a link itself rather than what it leads to.
  package func inode(at path: [UInt8]) -> Int? {
    files.state.withLock { try? $0.disk.find(BytePath(path), followsLink: false, "find") }
  }

  /// A path of an inode.
  package func path(of inode: Int) -> [UInt8] {
    files.state.withLock { $0.disk.path(of: inode) }
  }

  /// A file was opened: it is made when it was not there, and emptied when that was asked.
  package func recordOpen(_ path: [UInt8], truncates: Bool) throws(FileError) -> Int {
    if let inode = inode(at: path) {
      let isEmpty = files.state.withLock { $0.disk.inodes[inode]!.content.isEmpty }
      if truncates, !isEmpty { recordChange(.resize(byteCount: 0), of: inode) }
      return inode
    }
    return try record("create \(quoted(path))") { (disk) throws(FileError) in
      let (parent, name) = try disk.findParent(BytePath(path), "open")
      let made = disk.makeInode(.regular, mode: 0o600)
      disk.change(add: (parent, name, made))
      return made
    }
  }

  /// Bytes were written to a place in a file.
  package func recordWrite(_ bytes: [UInt8], to inode: Int, at offset: Int) {
    recordChange(.write(offset: offset, bytes: bytes), of: inode)
  }

  /// A file was made shorter or longer.
  package func recordResize(of inode: Int, to byteCount: Int) {
    recordChange(.resize(byteCount: byteCount), of: inode)
  }

  private func recordChange(_ change: ContentChange, of inode: Int) {
    files.state.withLock { state in
      let name = quoted(state.disk.path(of: inode))
      let prose =
        switch change {
        case .write(let offset, let bytes): "write \(bytes.count) bytes to \(name) at \(offset)"
        case .resize(let count): "resize \(name) to \(count)"
        }
      state.disk.change(change, of: inode)
      state.history?.append(CrashStep(prose, state.disk))
    }
  }

  /// A file's content, or a folder's names, were made durable.
  package func recordSync(of inode: Int) {
    files.state.withLock { state in
      let name = quoted(state.disk.path(of: inode))
      let isFolder = state.disk.inodes[inode]!.kind == .folder
      if isFolder {
        state.disk.syncNames(of: inode)
      } else {
        state.disk.syncContent(of: inode)
      }
      state.history?.append(CrashStep("sync \(isFolder ? "folder " : "")\(name)", state.disk))
    }
  }

  /// Names of files and folders, with the content of files: for a comparison with the real disk.
  package var tree: [BytePath: [UInt8]?] {
    files.state.withLock { state in
      var tree: [BytePath: [UInt8]?] = [:]
      for (path, content) in state.disk.tree() { tree[BytePath(path)] = .some(content) }
      return tree
    }
  }
}
