import SettleFiles

extension FileSystem {
  /// Makes a file with the given bytes below a folder.
  package func makeFile(
    _ name: FileName, in folder: Handle, holding bytes: [UInt8]
  ) throws(FileError) {
    let file = try createFile(name, in: folder, mode: 0o600)
    defer { close(file) }
    try writeAll(bytes, to: file)
  }

  /// Makes a file with the given bytes at a path below an existing folder.
  package func makeFile(at path: BytePath, holding bytes: [UInt8]) throws(FileError) {
    let name = path.lastComponent
    let folder = try openFolder(at: BytePath(Array(path.bytes.dropLast(name.count))))
    defer { close(folder) }
    guard let name = FileName(name) else { throw FileError("makeFile", 22) }
    try makeFile(name, in: folder, holding: bytes)
  }

  /// Writes all bytes, in as many calls as it takes.
  package func writeAll(_ bytes: [UInt8], to file: Handle) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try write(rest, to: file))
    }
  }

  /// Writes bytes with one call; may write less than asked.
  package func write(_ bytes: some Sequence<UInt8>, to file: Handle) throws(FileError) -> Int {
    let copy = Array(bytes)
    let result: Result<Int, FileError> = copy.withUnsafeBytes { buffer in
      do throws(FileError) {
        return .success(try write(file, buffer))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// All bytes from an open file's position on.
  package func contents(of file: Handle) throws(FileError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try read(file, into: buffer)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// All bytes of a file at a path.
  package func contents(at path: BytePath) throws(FileError) -> [UInt8] {
    let file = try openSource(path, followsLink: false)
    defer { close(file) }
    return try contents(of: file)
  }

  /// The names in a folder, sorted by their bytes.
  package func names(in folder: Handle) throws(FileError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try list(folder) { name, _ in
      names.append(name.bytes)
      return true
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
