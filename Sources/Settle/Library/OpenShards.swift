import SettleFiles

/// The folders of documents that are open, the one that was used last at the end.
///
/// A library may have any number of these folders and a process only so many descriptors, so few
/// are kept; one that is lent is never among those to be closed.
struct OpenShards {
  /// How many stay open while nobody uses them.
  static let limit = 8

  private struct Shard {
    var name: FileName
    var handle: Handle
    var userCount = 0
  }

  private var shards: [Shard] = []

  /// Lends a folder that is open.
  mutating func take(_ name: FileName) -> Handle? {
    guard let index = shards.firstIndex(where: { $0.name == name }) else { return nil }
    var shard = shards.remove(at: index)
    shard.userCount += 1
    shards.append(shard)
    return shard.handle
  }

  /// Lends a folder that was opened, or the one that another thread has added meanwhile.
  mutating func add(_ name: FileName, _ handle: Handle) -> Handle {
    if let earlier = take(name) { return earlier }
    shards.append(Shard(name: name, handle: handle, userCount: 1))
    return handle
  }

  /// Takes a folder back; returns the handles that are to be closed.
  mutating func giveBack(_ name: FileName) -> [Handle] {
    guard let index = shards.firstIndex(where: { $0.name == name }) else { return [] }
    shards[index].userCount -= 1
    var unused: [Handle] = []
    while shards.count > Self.limit, let oldest = shards.firstIndex(where: { $0.userCount == 0 }) {
      unused.append(shards.remove(at: oldest).handle)
    }
    return unused
  }

  /// All handles, to be closed.
  mutating func removeAll() -> [Handle] {
    defer { shards = [] }
    return shards.map(\.handle)
  }
}
