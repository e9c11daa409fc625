/// A change of a file's content that no sync has made durable.
enum ContentChange: Sendable, Hashable {
  case write(offset: Int, bytes: [UInt8])
  case resize(byteCount: Int)

  /// Bytes that it writes.
  var byteCount: Int {
    if case .write(_, let bytes) = self { bytes.count } else { 0 }
  }

  /// Does it. What lies between the old end and a later write reads as zeros.
  func apply(to content: inout [UInt8]) {
    switch self {
    case .resize(let count):
      if count < content.count { content.removeLast(content.count - count) }
      Self.fill(&content, upTo: count)
    case .write(let offset, let bytes):
      guard !bytes.isEmpty else { return }
      Self.fill(&content, upTo: offset)
      let end = min(content.count, offset + bytes.count)
      content.replaceSubrange(offset..<end, with: bytes)
    }
  }

  private static func fill(_ content: inout [UInt8], upTo count: Int) {
    guard count > content.count else { return }
    content += repeatElement(0, count: count - content.count)
  }
}

/// What becomes of content that was written and not synced. What was synced before stays.
package enum ContentFate: String, Sendable, Hashable, CaseIterable {
  /// All of it reached the disk.
  case kept
  /// Nothing of it did: what was synced before is left.
  case dropped
  /// The first half of its bytes did.
  case truncated
  /// Only the last change did: a disk writes in any order.
  case reordered
  /// The size did, the bytes are others.
  case garbled

  /// What the disk has of a file after a power loss.
  func survivor(of durable: [UInt8], _ changes: [ContentChange]) -> [UInt8] {
    var content = durable
    for change in surviving(changes) { change.apply(to: &content) }
    return content
  }

  private func surviving(_ changes: [ContentChange]) -> [ContentChange] {
    switch self {
    case .kept: return changes
    case .dropped: return []
    case .reordered: return changes.suffix(1)
    case .truncated: return Self.firstHalf(of: changes)
    case .garbled:
      return changes.map { change in
        guard case .write(let offset, let bytes) = change else { return change }
        // Other bytes in the first sector, zeros after it: both are what disks were seen to leave.
        let rest = [UInt8](repeating: 0, count: max(0, bytes.count - 512))
        return .write(offset: offset, bytes: bytes.prefix(512).map { ~$0 } + rest)
      }
    }
  }

  private static func firstHalf(of changes: [ContentChange]) -> [ContentChange] {
    var left = changes.reduce(0) { $0 + $1.byteCount } / 2
    var half: [ContentChange] = []
    for change in changes {
      guard case .write(let offset, let bytes) = change, bytes.count > left else {
        half.append(change)
        left -= change.byteCount
        continue
      }
      half.append(.write(offset: offset, bytes: Array(bytes.prefix(left))))
      break
    }
    return half
  }
}

extension MemoryDisk {
  /// Changes a file's content as programs see it.
  mutating func change(_ change: ContentChange, of inode: Int) {
    let before = inodes[inode]!.content.count
    let now = tick()
    change.apply(to: &inodes[inode]!.content)
    inodes[inode]!.modified = now
    inodes[inode]!.unsynced.append(change)
    usedByteCount += Int64(inodes[inode]!.content.count - before)
  }

  /// Makes a file's content durable.
  mutating func syncContent(of inode: Int) {
    inodes[inode]!.durableContent = inodes[inode]!.content
    inodes[inode]!.unsynced = []
  }

  /// Files with content that no sync has made durable, in the order of creation.
  var unsyncedFiles: [Int] { inodes.filter(\.value.isUnsynced).keys.sorted() }

  /// Becomes the disk that a power loss leaves, as the next start finds it.
  ///
  /// - Parameters:
  ///   - keepsName: Whether the n-th unsynced change of names survives. Any subset may: file systems
  ///     write them in any order. A rename survives whole or not at all.
  ///   - content: What becomes of the n-th file with unsynced content, in the order of creation.
  mutating func losePower(keepsName: (Int) -> Bool, content: (Int) -> ContentFate) {
    for (index, change) in unsyncedNames.enumerated() where keepsName(index) {
      makeDurable(change)
    }
    for (index, inode) in unsyncedFiles.enumerated() {
      let node = inodes[inode]!
      inodes[inode]!.durableContent = content(index).survivor(
        of: node.durableContent, node.unsynced)
    }
    restart()
  }

  /// What is durable becomes what programs see; nothing is open, nothing is locked.
  private mutating func restart() {
    handles = [:]
    locks = [:]
    unsyncedNames = []
    for inode in inodes.keys {
      inodes[inode]!.nameCount = 0
      inodes[inode]!.handleCount = 0
      inodes[inode]!.unsynced = []
      if inodes[inode]!.kind == .regular {
        inodes[inode]!.content = inodes[inode]!.durableContent
      }
      inodes[inode]!.names = inodes[inode]!.durableNames
    }
    var reached: Set<Int> = []
    var waiting = [Self.root]
    while let inode = waiting.popLast() {
      inodes[inode]!.nameCount += 1
      if reached.insert(inode).inserted { waiting += inodes[inode]!.names.values }
    }
    inodes = inodes.filter { reached.contains($0.key) }
    usedByteCount = inodes.values.reduce(0) {
      $0 + ($1.kind == .regular ? Int64($1.content.count) : 0)
    }
  }

  /// Everything so far is durable.
  mutating func syncAll() {
    for change in unsyncedNames { makeDurable(change) }
    unsyncedNames = []
    for inode in inodes.keys { syncContent(of: inode) }
  }
}
