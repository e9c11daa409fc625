/// What a machine's owner has to do, in order; kept and filled anew, so that it allocates rarely.
package struct RunEffects: Sendable {
  private var storage: [RunEffect] = []
  /// How many there are.
  package private(set) var count = 0

  /// Nothing to do.
  package init() {}

  /// The effect at a place.
  package subscript(place: Int) -> RunEffect { storage[place] }

  /// All of them.
  package var all: [RunEffect] { Array(storage[..<count]) }

  /// Forgets them and keeps the room.
  package mutating func clear() {
    count = 0
    // A cancellation of very many steps leaves much room behind.
    if storage.count > 4_096 { storage = [] }
  }

  /// Forgets those from a place on.
  package mutating func cut(from place: Int) { count = place }

  mutating func append(_ effect: RunEffect) {
    if count < storage.count { storage[count] = effect } else { storage.append(effect) }
    count += 1
  }

  mutating func reserveCapacity(_ capacity: Int) { storage.reserveCapacity(capacity) }
}
