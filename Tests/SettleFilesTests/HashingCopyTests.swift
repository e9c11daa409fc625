import CSettleSystem
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

@Suite struct HashingCopyTests {
  private let source = FileName(own: "source")
  private let target = FileName(own: "target")

  /// Copies bytes in a world and returns the result and what the target holds.
  private func copy(
    _ bytes: [UInt8], in world: FileSystemWorld, options: HashingCopy.Options = .init(),
    onPiece: (Int) -> Bool = { _ in true }
  ) throws -> (HashingCopy.Result, [UInt8]) {
    let files = world.files
    try files.makeFile(source, in: world.root, holding: bytes)
    let from = try files.openFile(source, in: world.root)
    defer { files.close(from) }
    let to = try files.createFile(target, in: world.root, mode: 0o600)
    defer { files.close(to) }
    let copier = HashingCopy(files, buffer: CopyBuffer(), options: options)
    let result = try copier.copy(from: from, to: to, onPiece: onPiece)
    return (result, try files.contents(at: world.path("target")))
  }

  private func options(piece: Int) -> HashingCopy.Options {
    var options = HashingCopy.Options()
    options.pieceByteCount = piece
    return options
  }

  // FIL-2: the copy is the source, and the digest is that of what was written.
  @Test(arguments: FileSystemKind.allCases, [0, 1, 15, 16, 17, 48, 5000])
  func copyHoldsTheSourceAndItsDigest(_ kind: FileSystemKind, _ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try withWorld(kind) { world in
      let (result, copied) = try copy(bytes, in: world, options: options(piece: 16))
      #expect(result == .copied(byteCount: Int64(count), digest: Digest.sha256(bytes)))
      #expect(copied == bytes)
    }
  }

  // FIL-2: the published test vectors of SHA-256.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func digestIsSHA256(_ text: String, _ expected: String) {
    #expect(Digest.hex(Digest.sha256(Array(text.utf8))) == expected)
  }

  // FIL-7: a disk that takes less than asked still gets every byte.
  @Test func shortWritesAreContinued() throws {
    try withMemoryWorld { files, world in
      files.configure { $0.largestWriteByteCount = 3 }
      let bytes = (0..<100).map { UInt8($0) }
      let (result, copied) = try copy(bytes, in: world, options: options(piece: 16))
      #expect(result == .copied(byteCount: 100, digest: Digest.sha256(bytes)))
      #expect(copied == bytes)
    }
  }

  // CAN-1, CAN-9: cancelled before, nothing is read; cancelled later, no further piece is.
  @Test(arguments: [0, 1, 3])
  func stoppingReadsNoFurtherPiece(_ allowed: Int) throws {
    try withMemoryWorld { files, world in
      var calls: [Int] = []
      let (result, copied) = try copy(
        [UInt8](repeating: 1, count: 160), in: world, options: options(piece: 16)
      ) {
        calls.append($0)
        return calls.count <= allowed
      }
      #expect(result == .stopped)
      #expect(calls == [0] + [Int](repeating: 16, count: allowed))
      #expect(copied.count == allowed * 16)
      // One read of contents(at:) returns the bytes, if any, and one returns nothing.
      let reads = files.log.count { $0.call == "read" }
      #expect(reads == allowed + (allowed == 0 ? 1 : 2))
    }
  }

  // CAN-9: a piece of everyday size is small enough to be copied well within 100 ms.
  @Test func piecesAreOneMebibyte() throws {
    try withMemoryWorld { _, world in
      var pieces: [Int] = []
      var options = HashingCopy.Options()
      options.cloneAboveByteCount = .max
      _ = try copy([UInt8](repeating: 1, count: 3_000_000), in: world, options: options) {
        pieces.append($0)
        return true
      }
      #expect(pieces == [0, 1 << 20, 1 << 20, 3_000_000 - (2 << 20)])
    }
  }

  // IMP-9: a pseudo file without an end is refused, not copied until the disk is full.
  @Test(.timeLimit(.minutes(1))) func endlessSourceEndsAtTheLimit() throws {
    try withWorld(.posix) { world in
      let files = world.files
      let from = try files.openSource("/dev/zero", followsLink: false)
      defer { files.close(from) }
      let to = try files.createFile(target, in: world.root, mode: 0o600)
      defer { files.close(to) }
      var options = options(piece: 4096)
      options.limitByteCount = 10_000
      let result = try HashingCopy(files, buffer: CopyBuffer(), options: options)
        .copy(from: from, to: to) { _ in true }
      #expect(result == .limitExceeded)
      #expect(try files.status(of: to).byteCount == 8192)
    }
  }

  // IMP-9: the limit itself is allowed.
  @Test func sourceOfExactlyTheLimitIsCopied() throws {
    try withMemoryWorld { _, world in
      var options = options(piece: 16)
      options.limitByteCount = 100
      let bytes = [UInt8](repeating: 3, count: 100)
      let (result, _) = try copy(bytes, in: world, options: options)
      #expect(result == .copied(byteCount: 100, digest: Digest.sha256(bytes)))
    }
  }

  // IMP-9: the stated size is not trusted: what grows while it is copied is copied to its end.
  @Test func sourceThatGrowsIsReadToItsEnd() throws {
    try withMemoryWorld { files, world in
      var hasGrown = false
      let (result, copied) = try copy(
        [UInt8](repeating: 1, count: 32), in: world, options: options(piece: 16)
      ) { count in
        if count > 0, !hasGrown {
          hasGrown = true
          do { try files.append([9, 9], at: world.path("source")) } catch { return false }
        }
        return true
      }
      #expect(copied == [UInt8](repeating: 1, count: 32) + [9, 9])
      #expect(result == .copied(byteCount: 34, digest: Digest.sha256(copied)))
    }
  }

  // FIL-2: a clone is hashed from the target; what cannot be cloned is copied.
  @Test(arguments: [true, false])
  func largeSourceIsClonedWherePossible(_ canClone: Bool) throws {
    try withMemoryWorld { files, world in
      files.configure { $0.canClone = canClone }
      let bytes = (0..<200).map { UInt8($0) }
      var options = options(piece: 16)
      options.cloneAboveByteCount = 100
      let before = files.log.count
      let (result, copied) = try copy(bytes, in: world, options: options)
      #expect(result == .copied(byteCount: 200, digest: Digest.sha256(bytes)))
      #expect(copied == bytes)
      let calls = files.log[before...].map(\.call)
      #expect(calls.contains("clone"))
      // Making the source is the first write; a clone needs no other.
      #expect(calls.count { $0 == "write" } == (canClone ? 1 : 14))
    }
  }

  // FIL-7
  @Test(arguments: [("read", EIO), ("write", ENOSPC), ("write", EIO)])
  func failureIsReportedWithItsCause(_ call: String, _ expected: Int32) throws {
    try withMemoryWorld { files, world in
      let error = #expect(throws: FileError.self) {
        _ = try copy(
          [UInt8](repeating: 1, count: 160), in: world, options: options(piece: 16)
        ) { count in
          if count == 0 { files.fail(call: call, at: 3, with: expected) }
          return true
        }
      }
      #expect(error == FileError(call, expected))
      #expect(files.firedFaultCount == 1)
    }
  }

  // CAN-9: many small files are copied through one buffer.
  @Test func manyFilesAllocateOneBuffer() throws {
    try withMemoryWorld { files, world in
      let buffer = CopyBuffer()
      let copier = HashingCopy(files, buffer: buffer)
      try files.makeFile(source, in: world.root, holding: [1, 2, 3])
      for _ in 0..<100 {
        let from = try files.openFile(source, in: world.root)
        let to = try files.createFile(target, in: world.root, mode: 0o600)
        _ = try copier.copy(from: from, to: to) { _ in true }
        files.close(from)
        files.close(to)
        try files.remove(target, in: world.root)
      }
      #expect(buffer.allocationCount == 1)
    }
  }

  // IMP-13: a stored file can be hashed again.
  @Test(arguments: FileSystemKind.allCases)
  func hashingReadsAllOfAFile(_ kind: FileSystemKind) throws {
    try withWorld(kind) { world in
      let bytes = (0..<100).map { UInt8($0) }
      try world.files.makeFile(source, in: world.root, holding: bytes)
      let file = try world.files.openFile(source, in: world.root)
      defer { world.files.close(file) }
      let copier = HashingCopy(world.files, buffer: CopyBuffer(), options: options(piece: 16))
      let result = try copier.hash(file) { _ in true }
      #expect(result == .copied(byteCount: 100, digest: Digest.sha256(bytes)))
    }
  }
}

/// Lends a world in memory together with its controls.
func withMemoryWorld(_ body: (MemoryFileSystem, FileSystemWorld) throws -> Void) throws {
  try withWorld(.memory) { world in
    guard let files = world.files as? MemoryFileSystem else { return }
    try body(files, world)
  }
}
