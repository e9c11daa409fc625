import CSettleSystem
import Settle
import SettleCore
import SettleTestKit
import SettleTestSupport
import Synchronization
import Testing

/// Takes the power away after every single file operation of an import, and of an opening.
@Suite struct PowerLossTests {
  /// What a power loss makes of names and contents that no sync has made durable.
  struct Loss: Sendable, CustomStringConvertible {
    var description: String
    var keepsName: @Sendable (Int) -> Bool
    var content: @Sendable (Int) -> ContentFate
  }

  static func losses(seed: UInt64) -> [Loss] {
    var losses = ContentFate.allCases.map { fate in
      Loss(description: "all names, content \(fate)", keepsName: { _ in true }) { _ in fate }
    }
    losses.append(Loss(description: "no names", keepsName: { _ in false }) { _ in .kept })
    for round in 0..<2 {
      var random = SeededGenerator(seed: seed &* 7 &+ UInt64(round))
      let names = (0..<512).map { _ in Bool.random(using: &random) }
      let fates = (0..<512).map { _ in ContentFate.allCases.randomElement(using: &random)! }
      losses.append(
        Loss(description: "mixed by seed \(seed), \(round)", keepsName: { names[$0 % 512] }) {
          fates[$0 % 512]
        })
    }
    return losses
  }

  // FIL-2, FIL-4, FIL-8, IMP-7, IMP-8, TST-5
  @Test(arguments: 0..<4) func aPowerLossLeavesWhatTheNextOpeningRepairs(_ part: Int) async throws {
    var images = 0
    for count in sequence(first: part, next: { $0 + 4 }) {
      var hasCrashed = false
      try await withFaultWorld { world in
        let ledger = Mutex<[String: [UInt8]]?>(nil)
        try await crashingImport(world, after: count, ledger)
        hasCrashed = world.files.hasCrashed
        guard hasCrashed else { return }
        let copy = ledger.withLock { $0 } ?? world.copyOfLedger()
        for loss in Self.losses(seed: UInt64(count)) {
          let comment: Comment = "power loss after operation \(count): \(loss.description)"
          var image = world
          image.files = world.files.afterPowerLoss(
            keepsName: loss.keepsName, content: loss.content)
          try image.putLedger(copy)
          try await expectRepaired(image, comment)
          images += 1
        }
      }
      guard hasCrashed else { break }
    }
    #expect(images > 150, "only \(images) images: the crashes did not reach the import")
  }

  // FIL-4, FIL-8, IMP-7: a failed sync is made good before anything that needs it is reported.
  @Test func whatIsReportedAfterAFailedSyncSurvivesAPowerLoss() async throws {
    for call in ["sync", "syncFolder"] {
      for number in 1...8 {
        try await withFaultWorld { world in
          let library = try await world.open()
          world.files.fail(call: call, at: number, with: EIO)
          _ = try await world.importing(library)
          _ = try await world.importing(library)
          let stored = try await library.allEntries().count
          library.close()
          world.files = world.files.afterPowerLoss(keepsName: { _ in false }) { _ in .dropped }
          let comment: Comment = "\(call) #\(number) failed"
          let again = try await world.open()
          defer { again.close() }
          #expect(try await again.allEntries().count == stored, comment)
          try await world.expectRepaired(again, comment)
          try await world.expectRestCanBeImported(again, comment)
        }
      }
    }
  }

  // FIL-4, FIL-8, IMP-8: what a killed process made and did not sync is synced by the next one.
  @Test func aPowerLossAfterAKilledProcessAndARecoveryTakesNothing() async throws {
    for count in 0... {
      var hasCrashed = false
      try await withFaultWorld { world in
        let ledger = Mutex<[String: [UInt8]]?>(nil)
        try await crashingImport(world, after: count, ledger)
        hasCrashed = world.files.hasCrashed
        guard hasCrashed else { return }
        let comment: Comment = "killed after operation \(count), then imported, then power loss"
        try world.putLedger(ledger.withLock { $0 } ?? world.copyOfLedger())
        world.files = world.files.afterKill()
        let next = try await world.open()
        try await world.expectRestCanBeImported(next, comment)
        next.close()
        world.files = world.files.afterPowerLoss(keepsName: { _ in false }) { _ in .dropped }
        let last = try await world.open()
        defer { last.close() }
        #expect(try await last.allEntries().count == FaultWorld.contentCount, comment)
        try await world.expectRepaired(last, comment)
      }
      guard hasCrashed else { break }
    }
  }

  // FIL-8, IMP-8: a repair that a power loss interrupts is repaired by the next one.
  @Test func aPowerLossDuringARepairIsRepairedToo() async throws {
    for count in sequence(first: 8, next: { $0 + 9 }) {
      var hasCrashed = false
      try await withFaultWorld { world in
        let ledger = Mutex<[String: [UInt8]]?>(nil)
        try await crashingImport(world, after: count, ledger)
        hasCrashed = world.files.hasCrashed
        guard hasCrashed else { return }
        let copy = ledger.withLock { $0 } ?? world.copyOfLedger()
        let loss = Self.losses(seed: UInt64(count))[count % 5]
        for step in sequence(first: 0, next: { $0 + 3 }) {
          var image = world
          image.files = world.files.afterPowerLoss(
            keepsName: loss.keepsName, content: loss.content)
          try image.putLedger(copy)
          try await crashingImport(image, after: step, isOpening: true, ledger)
          guard image.files.hasCrashed else { break }
          let second = ledger.withLock { $0 } ?? image.copyOfLedger()
          for again in Self.losses(seed: UInt64(count + step)).suffix(3) {
            var last = image
            last.files = image.files.afterPowerLoss(
              keepsName: again.keepsName, content: again.content)
            try last.putLedger(second)
            try await expectRepaired(
              last, "after \(count), \(loss), then after \(step), \(again)")
          }
        }
      }
      guard hasCrashed else { break }
    }
  }

  // FIL-8, IMP-13: what is being deleted when the power goes is there or gone, never half.
  @Test func aPowerLossDuringARemovalLeavesTheRestWhole() async throws {
    for count in 0... {
      var hasCrashed = false
      try await withFaultWorld { world in
        let library = try await world.open()
        _ = try await world.importing(library)
        let entries = try await library.allEntries()
        world.files.syncAll()
        let ledger = Mutex<[String: [UInt8]]?>(nil)
        try await crashing(world, after: count, ledger) {
          _ = try await library.remove(entries[..<2].map(\.id))
        }
        library.close()
        hasCrashed = world.files.hasCrashed
        guard hasCrashed else { return }
        let copy = ledger.withLock { $0 } ?? world.copyOfLedger()
        for loss in Self.losses(seed: UInt64(count)) {
          let comment: Comment = "removing, power loss after \(count): \(loss)"
          var image = world
          image.files = world.files.afterPowerLoss(
            keepsName: loss.keepsName, content: loss.content)
          try image.putLedger(copy)
          let next = try await image.open()
          defer { next.close() }
          try await image.expectRepaired(next, comment)
          #expect(try await next.allEntries().suffix(1) == entries.suffix(1), comment)
          try await image.expectRestCanBeImported(next, comment)
        }
      }
      guard hasCrashed else { break }
    }
  }

  /// Opens and imports until the disk is gone. The ledger is copied when the first operation is
  /// refused, before anybody can react to it: as it is then, the power loss finds it.
  private func crashingImport(
    _ world: FaultWorld, after count: Int, isOpening: Bool = false,
    _ ledger: borrowing Mutex<[String: [UInt8]]?>
  ) async throws {
    try await crashing(world, after: count, ledger) {
      let library = try await world.open()
      defer { library.close() }
      if !isOpening { _ = try await world.importing(library) }
    }
  }

  private func crashing(
    _ world: FaultWorld, after count: Int, _ ledger: borrowing Mutex<[String: [UInt8]]?>,
    _ body: () async throws -> Void
  ) async throws {
    let copies = Collector<[String: [UInt8]]>()
    let isTaken = Turn()
    let files = world.files
    files.configure { options in
      options.onOperation = { [weak files] _ in
        guard files?.hasCrashed == true else { return }
        isTaken.once { copies.add(world.copyOfLedger()) }
      }
    }
    files.crash(after: count)
    do {
      try await body()
    } catch is SettleError {
      // It did not survive: that is what is under test.
    }
    files.configure { $0.onOperation = nil }
    ledger.withLock { $0 = copies.all.first }
  }

  private func expectRepaired(_ image: FaultWorld, _ comment: Comment) async throws {
    let library = try await image.open()
    defer { library.close() }
    try await image.expectRepaired(library, comment)
    try image.expectSourcesUntouched(comment)
    try await image.expectRestCanBeImported(library, comment)
  }
}

/// Runs something once; others wait until it was done.
private final class Turn: Sendable {
  private let isDone = Mutex(false)

  func once(_ body: () -> Void) {
    isDone.withLock { isDone in
      if !isDone { body() }
      isDone = true
    }
  }
}
