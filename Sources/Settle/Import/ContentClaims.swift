import SettleCore

/// Who may store a content when several items of one run have the same (IMP-12, RUN-11).
///
/// The item that comes first in the batch always wins, however fast the others are. Only files of
/// equal size can have equal content, so an item waits for earlier ones of its own size only:
///
/// | Event | Function |
/// |---|---|
/// | an item will be read, of this size | `expect` |
/// | its content is known | `hashed` |
/// | it ended, stored under an id or not | `end` |
///
/// A pure value: it decides, its owner acts. Invariants: of the items with one content at most one
/// holds it; the holder is the earliest that has not ended; every item that waits is released
/// once those before it have ended. Complexity: linear in the items of one size at work.
struct ContentClaims: Sendable {
  /// What an item may do now.
  enum Decision: Sendable, Hashable {
    /// Nobody before it has this content.
    case proceed
    /// An earlier item stored this content.
    case duplicate(of: EntryID)
  }

  /// An item that was released, and what it may do.
  struct Release: Sendable, Hashable {
    var step: Int
    var decision: Decision
  }

  private enum Place: Hashable {
    case expected(byteCount: Int64)
    case hashed(byteCount: Int64, digest: [UInt8])
    case behind(digest: [UInt8])
    case holding(digest: [UInt8])
  }

  private struct SizeGroup {
    var expected: [Int] = []
    var hashed: [(step: Int, digest: [UInt8])] = []
    var isEmpty: Bool { expected.isEmpty && hashed.isEmpty }
  }

  private var places: [Int: Place] = [:]
  private var sizes: [Int64: SizeGroup] = [:]
  private var behind: [[UInt8]: [Int]] = [:]
  private var holders: [[UInt8]: Int] = [:]

  /// True when no item is at work.
  var isEmpty: Bool { places.isEmpty }

  /// An item will be read; later items of this size wait until its content is known.
  /// May be called again when a new attempt finds another size.
  mutating func expect(_ step: Int, byteCount: Int64) -> [Release] {
    let released = leave(step)
    places[step] = .expected(byteCount: byteCount)
    sizes[byteCount, default: SizeGroup()].expected.append(step)
    return released
  }

  /// An item's content is known.
  mutating func hashed(_ step: Int, byteCount: Int64, digest: [UInt8]) -> [Release] {
    // It joins the hashed ones before anybody is released, so that no later item overtakes it.
    let old = places.updateValue(.hashed(byteCount: byteCount, digest: digest), forKey: step)
    var group = sizes[byteCount] ?? SizeGroup()
    let position = group.hashed.firstIndex { $0.step > step } ?? group.hashed.endIndex
    group.hashed.insert((step, digest), at: position)
    sizes[byteCount] = group
    guard case .expected(let expectedByteCount) = old else { return advance(byteCount) }
    sizes[expectedByteCount]?.expected.removeAll { $0 == step }
    let released = expectedByteCount == byteCount ? [] : advance(expectedByteCount)
    return released + advance(byteCount)
  }

  /// An item ended: stored under an id, or not at all.
  mutating func end(_ step: Int, storedAs id: EntryID?) -> [Release] {
    guard case .holding(let digest) = places[step], let id else { return leave(step) }
    places[step] = nil
    holders[digest] = nil
    let followers = behind.removeValue(forKey: digest) ?? []
    for follower in followers { places[follower] = nil }
    return followers.map { Release(step: $0, decision: .duplicate(of: id)) }
  }

  /// Takes an item out of wherever it is and releases whom it kept waiting.
  private mutating func leave(_ step: Int) -> [Release] {
    switch places.removeValue(forKey: step) {
    case nil: return []
    case .expected(let byteCount):
      sizes[byteCount]?.expected.removeAll { $0 == step }
      return advance(byteCount)
    case .hashed(let byteCount, _):
      sizes[byteCount]?.hashed.removeAll { $0.step == step }
      return advance(byteCount)
    case .behind(let digest):
      behind[digest]?.removeAll { $0 == step }
      return []
    case .holding(let digest):
      holders[digest] = nil
      guard var followers = behind[digest], !followers.isEmpty else { return [] }
      let heir = followers.removeFirst()
      behind[digest] = followers.isEmpty ? nil : followers
      holders[digest] = heir
      places[heir] = .holding(digest: digest)
      return [Release(step: heir, decision: .proceed)]
    }
  }

  /// Releases the hashed items of one size that no earlier, unread item can precede.
  private mutating func advance(_ byteCount: Int64) -> [Release] {
    guard var group = sizes[byteCount] else { return [] }
    let firstUnread = group.expected.min() ?? Int.max
    var released: [Release] = []
    while let next = group.hashed.first, next.step < firstUnread {
      group.hashed.removeFirst()
      if holders[next.digest] == nil {
        holders[next.digest] = next.step
        places[next.step] = .holding(digest: next.digest)
        released.append(Release(step: next.step, decision: .proceed))
      } else {
        places[next.step] = .behind(digest: next.digest)
        behind[next.digest, default: []].append(next.step)
      }
    }
    sizes[byteCount] = group.isEmpty ? nil : group
    return released
  }
}
