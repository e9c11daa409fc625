import CSettleSystem
import SettleCore
import SettleFiles

/// What is there of an item's result.
public enum BatchResult: String, Sendable, Hashable {
  /// Nothing.
  case absent
  /// All of it.
  case whole
  /// Something that is not the result.
  case damaged
}

/// What is there after a batch: the result of each item, and what should be gone.
public struct BatchFiles: Sendable, Hashable {
  /// Results by the number of their item. One that is not listed is absent.
  public var results: [Int: BatchResult]
  /// Names of files that are no item's result.
  public var leftovers: [String]
  /// The files of the results, where they are files.
  public var paths: [Int: BytePath]
  /// The folder in which leftovers were looked for, where it is one.
  public var folder: BytePath?

  /// What was found; without paths when results are not files.
  public init(
    results: [Int: BatchResult] = [:], leftovers: [String] = [], paths: [Int: BytePath] = [:],
    folder: BytePath? = nil
  ) {
    self.results = results
    self.leftovers = leftovers
    self.paths = paths
    self.folder = folder
  }
}

extension BatchRequest {
  /// Looks into the request's folder: `name` is that of an item's result, all else is left over.
  ///
  /// An empty file is damaged. Throws when the folder cannot be read.
  /// **After a crash** nothing is changed: it only reads.
  public func look(_ name: (Int) -> String) throws -> BatchFiles {
    try look(name) { _, bytes in !bytes.isEmpty }
  }

  /// The same with a judge of its own: whether these bytes are the result of an item.
  ///
  /// **After a crash** nothing is changed: it only reads.
  public func look(
    _ name: (Int) -> String, isWhole: (Int, [UInt8]) -> Bool
  ) throws -> BatchFiles {
    var found = BatchFiles(folder: folder)
    var owners: [[UInt8]: Int] = [:]
    for item in items {
      let bytes = Array(name(item.number).utf8)
      owners[bytes] = item.number
      found.paths[item.number] = folder.appending(bytes)
      found.results[item.number] = .absent
    }
    do throws(FileError) {
      let files = PosixFileSystem()
      let handle = try files.openFolder(at: folder)
      defer { files.close(handle) }
      var names: [(name: FileName, kind: FileKind)] = []
      try files.list(handle) { name, kind in
        names.append((name, kind))
        return true
      }
      for (name, kind) in names {
        guard let owner = owners[name.bytes] else {
          found.leftovers.append(name.description)
          continue
        }
        let bytes = kind == .regular ? try files.readWhole(name, in: handle) : nil
        found.results[owner] = bytes.map { isWhole(owner, $0) } == true ? .whole : .damaged
      }
    } catch {
      throw SettleError(error, stage: .access, subject: folder.bytes)
    }
    found.leftovers.sort()
    return found
  }
}

extension PosixFileSystem {
  /// All bytes of a file.
  fileprivate func readWhole(
    _ name: FileName, in folder: Handle
  ) throws(FileError) -> [UInt8] {
    let file = try openFile(name, in: folder)
    defer { close(file) }
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { piece.deallocate() }
    while true {
      let count = try read(file, into: piece)
      if count == 0 { return bytes }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}
