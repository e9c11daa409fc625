import CSettleSystem

/// Copies and hashes in pieces small enough that a cancellation is seen at once (CAN-1, CAN-9).
///
/// The end of a file is where reading returns nothing, never where its stated size says. What is
/// hashed is what was written.
package struct HashingCopy {
  /// How copying ended without an error.
  package enum Result: Sendable, Hashable {
    /// Every byte was copied and hashed.
    case copied(byteCount: Int64, digest: [UInt8])
    /// `onPiece` answered false.
    case stopped
    /// The source has more bytes than allowed: a pseudo file without an end.
    case limitExceeded
  }

  /// Sizes, with the values for everyday use.
  package struct Options: Sendable, Hashable {
    /// Bytes per piece.
    package var pieceByteCount = 1 << 20
    /// Bytes allowed in one file.
    package var limitByteCount: Int64 = 1 << 40
    /// Larger sources are cloned where the file system can.
    package var cloneAboveByteCount: Int64 = 1 << 20

    /// The values for everyday use.
    package init() {}
  }

  private let fileSystem: any FileSystem
  private let buffer: CopyBuffer
  private let options: Options

  /// A copier with a worker's buffer.
  package init(
    _ fileSystem: any FileSystem, buffer: CopyBuffer, options: Options = Options()
  ) {
    precondition(options.pieceByteCount > 0, "a piece has at least one byte")
    self.fileSystem = fileSystem
    self.buffer = buffer
    self.options = options
  }

  /// Copies an open source, from its position, into a new and empty target.
  ///
  /// **After cancellation** and **after a crash** the target holds a part; its owner removes it.
  /// - Parameter onPiece: Called with 0 before anything is read, then with each piece's byte count
  ///   before the next is read. Answer false to stop.
  package func copy(
    from source: Handle, to target: Handle, onPiece: (Int) -> Bool
  ) throws(FileError) -> Result {
    guard onPiece(0) else { return .stopped }
    let stated = try fileSystem.status(of: source)
    if stated.byteCount > options.cloneAboveByteCount, fileSystem.clone(source, to: target) {
      return try pieces(of: target, copiedTo: nil, onPiece: onPiece)
    }
    return try pieces(of: source, copiedTo: target, onPiece: onPiece)
  }

  /// Hashes an open file from its position.
  package func hash(_ file: Handle, onPiece: (Int) -> Bool) throws(FileError) -> Result {
    guard onPiece(0) else { return .stopped }
    return try pieces(of: file, copiedTo: nil, onPiece: onPiece)
  }

  private func pieces(
    of source: Handle, copiedTo target: Handle?, onPiece: (Int) -> Bool
  ) throws(FileError) -> Result {
    let memory = buffer.piece(byteCount: options.pieceByteCount)
    var hasher = SHA256Hasher()
    var total: Int64 = 0
    while true {
      let count = try fileSystem.read(source, into: memory)
      if count == 0 { break }
      total += Int64(count)
      if total > options.limitByteCount { return .limitExceeded }
      let piece = UnsafeRawBufferPointer(rebasing: memory[..<count])
      if let target { try write(piece, to: target) }
      hasher.update(piece)
      guard onPiece(count) else { return .stopped }
    }
    return .copied(byteCount: total, digest: hasher.finish())
  }

  private func write(_ piece: UnsafeRawBufferPointer, to target: Handle) throws(FileError) {
    var rest = piece
    while !rest.isEmpty {
      let count = try fileSystem.write(target, rest)
      // No file system writes nothing without an error; going on would never end.
      guard count > 0 else { throw FileError("write", EIO) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
