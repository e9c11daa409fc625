import SettleCore
import SettleFiles

/// An operation that changed a disk, in prose, and the disk right after it.
struct CrashStep: Sendable {
  /// What was done, such as `write 1500 bytes to "/staging/a"`.
  let prose: String
  let disk: MemoryDisk

  /// Calls of the file system seam after which the disk is another one.
  static let changingCalls: Set<String> = [
    "makeFolder", "syncFolder", "removeFolder", "createFile", "write", "clone", "sync", "publish",
    "remove",
  ]

  init(_ prose: String, _ disk: MemoryDisk) {
    self.prose = prose
    self.disk = disk
  }

  /// A call about a name below an open folder, about a path, or about an open file.
  init(_ call: String, about name: [UInt8], below handle: Handle?, on disk: MemoryDisk) {
    var path = name
    if let inode = handle.flatMap({ disk.handles[$0.number]?.inode }) {
      path = disk.path(of: inode)
      if !name.isEmpty { path += (path == [0x2F] ? [] : [0x2F]) + name }
    }
    self.init("\(call) \(quoted(path))", disk)
  }
}

extension MemoryDisk {
  /// A path of an inode, as programs see it; for one without a name, its number in brackets.
  func path(of inode: Int) -> [UInt8] {
    if inode == Self.root { return [0x2F] }
    var names: [[UInt8]] = []
    var child = inode
    var seen: Set<Int> = []
    while child != Self.root {
      guard seen.insert(child).inserted, let (parent, name) = parent(of: child) else {
        return Array("[file \(inode) without a name]".utf8)
      }
      names.append(name)
      child = parent
    }
    return names.reversed().reduce(into: []) { $0 += [0x2F] + $1 }
  }

  private func parent(of child: Int) -> (Int, [UInt8])? {
    for (folder, node) in inodes {
      if let name = node.names.first(where: { $0.value == child })?.key { return (folder, name) }
    }
    return nil
  }

  /// The path of a name in a folder.
  func path(_ folder: Int, _ name: [UInt8]) -> [UInt8] {
    let parent = path(of: folder)
    return parent == [0x2F] ? parent + name : parent + [0x2F] + name
  }

  /// Everything below the root by path, folders with nil; each path once, whatever mounts there are.
  func tree() -> [(path: [UInt8], content: [UInt8]?)] {
    var found: [(path: [UInt8], content: [UInt8]?)] = []
    var waiting: [(Int, [UInt8], Set<Int>)] = [(Self.root, [], [Self.root])]
    while let (folder, path, above) = waiting.popLast() {
      for (name, inode) in inodes[folder]!.names {
        let node = inodes[inode]!
        let full = path + [0x2F] + name
        switch node.kind {
        case .folder where !above.contains(inode):
          found.append((full, nil))
          waiting.append((inode, full, above.union([inode])))
        case .regular: found.append((full, node.content))
        default: continue
        }
      }
    }
    return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  /// A digest of all paths and contents: equal for equal images.
  func digest() -> [UInt8] {
    var bytes: [UInt8] = []
    for (path, content) in tree() {
      bytes += path + [0, content == nil ? 1 : 2]
      if let content { bytes += Array("\(content.count) ".utf8) + content }
    }
    return Digest.sha256(bytes)
  }
}
