import SettleCore
import SettleFiles

/// What becomes of each name and each content that was not durable.
struct CrashChoice: Sendable, Hashable {
  /// For each unsynced change of names, whether it survives.
  var names: [Bool]
  /// For each unsynced file, what survives of it.
  var fates: [ContentFate]

  var losesNothing: Bool { names.allSatisfy { $0 } && fates.allSatisfy { $0 == .kept } }

  /// The disk that it leaves.
  func apply(to disk: MemoryDisk) -> MemoryDisk {
    var disk = disk
    disk.losePower(keepsName: { names[$0] }, content: { fates[$0] })
    return disk
  }

  /// What it takes, in prose.
  func prose(on disk: MemoryDisk) -> [String] {
    if losesNothing { return ["the process ended there, and the disk lost nothing"] }
    var lines: [String] = []
    for (change, survives) in zip(disk.unsyncedNames, names) where !survives {
      lines.append("lost: " + change.prose(on: disk))
    }
    for (inode, fate) in zip(disk.unsyncedFiles, fates) where fate != .kept {
      lines.append("content of \(quoted(disk.path(of: inode))): \(fate.rawValue)")
    }
    return lines
  }
}

extension MemoryDisk.NameChange {
  func prose(on disk: MemoryDisk) -> String {
    let new = added.map { quoted(disk.path($0.folder, $0.name)) }
    let old = removed.map { quoted(disk.path($0.folder, $0.name)) }
    return switch (new, old) {
    case (let new?, let old?): "the rename of \(old) to \(new)"
    case (let new?, nil): "the new name \(new)"
    case (nil, let old?): "the removal of \(old)"
    case (nil, nil): "nothing"
    }
  }
}

/// The choices that a crash has on one disk.
struct CrashChoices {
  /// All of them, or those that were chosen.
  var choices: [CrashChoice]
  /// True when these are all.
  var isComplete: Bool

  /// Every choice when there are at most `limit`; else the telling ones, and others by the seed.
  init(on disk: MemoryDisk, limit: Int, seed: UInt64) {
    let nameCount = disk.unsyncedNames.count
    let fates = disk.unsyncedFiles.map { Self.distinctFates(of: disk.inodes[$0]!) }
    var total = 1
    for options in fates + Array(repeating: [.kept, .dropped], count: nameCount) {
      total = total.multipliedReportingOverflow(by: options.count).partialValue
      if total > limit { break }
    }
    isComplete = total <= limit
    choices =
      isComplete
      ? Self.product(nameCount, fates) : Self.sample(nameCount, fates, limit, seed)
  }

  /// Fates that leave different bytes.
  private static func distinctFates(of node: MemoryDisk.Inode) -> [ContentFate] {
    var seen: Set<[UInt8]> = []
    return ContentFate.allCases.filter {
      seen.insert(Digest.sha256($0.survivor(of: node.durableContent, node.unsynced))).inserted
    }
  }

  private static func product(_ nameCount: Int, _ fates: [[ContentFate]]) -> [CrashChoice] {
    var all = [CrashChoice(names: [], fates: [])]
    for _ in 0..<nameCount {
      all = all.flatMap { choice in
        [true, false].map { CrashChoice(names: choice.names + [$0], fates: []) }
      }
    }
    for options in fates {
      all = all.flatMap { choice in
        options.map { CrashChoice(names: choice.names, fates: choice.fates + [$0]) }
      }
    }
    return all
  }

  /// All and none of the names, each one alone there and alone lost, and every moment at which the
  /// disk wrote them in order; with each of them all contents alike. Then each content alone. Then
  /// what the seed gives.
  private static func sample(
    _ nameCount: Int, _ fates: [[ContentFate]], _ limit: Int, _ seed: UInt64
  ) -> [CrashChoice] {
    func alike(_ fate: ContentFate) -> [ContentFate] {
      fates.map { $0.contains(fate) ? fate : .kept }
    }
    let all = Array(repeating: true, count: nameCount)
    let none = all.map { _ in false }
    var names = [all, none]
    for index in 0..<nameCount {
      names.append(all.indices.map { $0 < index })
      names.append(all.indices.map { $0 == index })
      names.append(all.indices.map { $0 != index })
    }
    var found: [CrashChoice] = []
    var seen: Set<CrashChoice> = []
    func add(_ choice: CrashChoice) {
      if found.count < limit, seen.insert(choice).inserted { found.append(choice) }
    }
    for index in fates.indices {
      for fate in fates[index] {
        var one = alike(.kept)
        one[index] = fate
        add(CrashChoice(names: all, fates: one))
      }
    }
    for fate in ContentFate.allCases {
      for names in names { add(CrashChoice(names: names, fates: alike(fate))) }
    }
    var random = CrashDice(state: seed)
    // Each round may give a choice that is known; the rounds end, whatever is found.
    for _ in 0..<(4 * limit) where found.count < limit {
      add(
        CrashChoice(
          names: all.map { _ in Bool.random(using: &random) },
          fates: fates.map { $0.randomElement(using: &random) ?? .kept }))
    }
    return found
  }
}

/// SplitMix64: the same numbers for the same seed on every platform.
struct CrashDice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
