/// Many paths in little more memory than their bytes take, by position.
package struct PathTable: Sendable {
  private var arena: [UInt8] = []
  private var ends: [Int] = []

  /// An empty table.
  package init() {}

  /// How many paths there are.
  package var count: Int { ends.count }

  /// True when there is no path.
  package var isEmpty: Bool { ends.isEmpty }

  /// Adds a path at the end and returns its position.
  @discardableResult
  package mutating func append(_ path: some Collection<UInt8>) -> Int {
    arena.append(contentsOf: path)
    ends.append(arena.count)
    return ends.count - 1
  }

  /// The path at a position.
  package subscript(position: Int) -> BytePath { BytePath(Array(bytes(at: position))) }

  /// The bytes at a position, without a copy.
  package func bytes(at position: Int) -> ArraySlice<UInt8> {
    arena[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
  }

  /// Gives back memory that growing has reserved.
  package mutating func trim() {
    arena = Array(arena[...])
    ends = Array(ends[...])
  }
}
