/// The memory for one piece, kept by a worker and used for one file after the other.
///
/// Not thread safe: each worker has its own.
package final class CopyBuffer {
  /// How many buffers were allocated so far; copying many files allocates once.
  package private(set) var allocationCount = 0
  private var memory: UnsafeMutableRawBufferPointer?

  /// Makes an owner that allocates at the first use.
  package init() {}

  deinit { memory?.deallocate() }

  /// Memory for `byteCount` bytes, the same at every call with the same count.
  func piece(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if let memory, memory.count == byteCount { return memory }
    memory?.deallocate()
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 4096)
    memory = fresh
    allocationCount += 1
    return fresh
  }
}
