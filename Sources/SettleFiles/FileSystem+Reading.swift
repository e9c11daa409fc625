import CSettleSystem

extension FileSystem {
  /// The first bytes of an open file, from its position; fewer when it ends earlier.
  package func readStart(of handle: Handle, byteCount: Int) throws(FileError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    defer { memory.deallocate() }
    var filled = 0
    while filled < byteCount {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
      let count = try read(handle, into: rest)
      if count == 0 { break }
      filled += count
    }
    return Array(memory[..<filled])
  }

  /// Writes everything, however little each call takes.
  package func writeAll(_ handle: Handle, _ bytes: [UInt8]) throws(FileError) {
    var position = 0
    while position < bytes.count {
      let rest = bytes[position...]
      var written: Result<Int, FileError> = .success(0)
      rest.withUnsafeBytes { memory in
        do throws(FileError) {
          written = .success(try write(handle, memory))
        } catch { written = .failure(error) }
      }
      let count = try written.get()
      // No file system writes nothing without an error; going on would never end.
      guard count > 0 else { throw FileError("write", EIO) }
      position += count
    }
  }
}
