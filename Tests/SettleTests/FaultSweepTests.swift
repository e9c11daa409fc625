import CSettleSystem
import SettleCore
import SettleTestSupport
import Testing

@testable import Settle

/// Makes every single file operation of an import fail, one after the other.
@Suite struct FaultSweepTests {
  /// Every operation that an import or an opening may do.
  static let calls = [
    "openFolder", "makeFolder", "list", "syncFolder", "removeFolder", "openSource", "openFile",
    "status", "createFile", "read", "write", "setMode", "sync", "publish", "remove",
    "freeByteCount",
  ]

  /// An error, whether the disk gets well again, and the code that users see.
  struct Fault: Sendable, CustomStringConvertible {
    var number: Int32
    var isForever: Bool
    var code: SettleError.Code
    var description: String { "\(code.rawValue)\(isForever ? " for ever" : "")" }
  }

  static let faults = [
    Fault(number: ENOSPC, isForever: false, code: .noSpace),
    Fault(number: EIO, isForever: false, code: .ioError),
    Fault(number: ENOSPC, isForever: true, code: .noSpace),
    Fault(number: EACCES, isForever: true, code: .permissionDenied),
  ]

  // FIL-1, FIL-2, FIL-3, FIL-4, FIL-7, IMP-2, IMP-7, IMP-10, RUN-7
  @Test(arguments: calls) func aFailingImportLosesNothing(_ call: String) async throws {
    var fired = 0
    for fault in Self.faults {
      for number in 1... {
        let hasFired = try await failingImport(call, number, fault)
        guard hasFired else { break }
        fired += 1
      }
    }
    // An import opens no stored file and locks nothing; everything else must have failed once.
    #expect(fired > 0 || call == "openFile", "\(call) never failed")
  }

  private func failingImport(_ call: String, _ number: Int, _ fault: Fault) async throws -> Bool {
    let comment: Comment = "\(call) #\(number) fails with \(fault)"
    var hasFired = false
    try await withFaultWorld { world in
      let library = try await world.open()
      world.files.fail(call: call, at: number, with: fault.number, forever: fault.isForever)
      let (report, items) = try await world.importing(library)
      hasFired = world.files.firedFaultCount > 0
      world.files.stopFailing()
      try expectHonest(report, items, fault, comment)
      try await world.expectListIsTrue(library, comment)
      try world.expectSourcesUntouched(comment)
      let stored = try await library.allEntries().count
      #expect(stored == report.counts.succeeded, comment)
      library.close()
      guard hasFired else { return }
      let again = try await world.open()
      defer { again.close() }
      #expect(try await again.allEntries().count >= stored, comment)
      try await world.expectRepaired(again, comment)
      try await world.expectRestCanBeImported(again, comment)
      #expect(world.files.openHandleCount < 12, "\(comment): handles are left open")
    }
    return hasFired
  }

  /// The report tells the truth: each item once, and every failure with its stage and code.
  private func expectHonest(
    _ report: ImportReport, _ items: [ImportedItem], _ fault: Fault, _ comment: Comment
  ) throws {
    #expect(report.state.isSettled, comment)
    #expect(items.map(\.index) == Array(0..<items.count), comment)
    for kind in OutcomeKind.allCases {
      #expect(report.counts[kind] == items.count { $0.outcome.kind == kind }, comment)
    }
    #expect(report.counts.cancelled == 0, comment)
    let errors = items.compactMap { item -> SettleError? in
      if case .failed(let error) = item.outcome { error } else { nil }
    }
    for error in errors {
      #expect(error.stage != nil, comment)
      #expect(error.code == fault.code, "\(comment): \(error)")
      #expect(!error.subject.isEmpty, comment)
    }
    if let failure = report.failure {
      #expect(failure.code == fault.code && failure.stage != nil, "\(comment): \(failure)")
    } else if errors.isEmpty {
      #expect(report.state == .succeeded, comment)
      #expect(report.counts.succeeded == FaultWorld.contentCount, comment)
    }
    #expect(report.state == .succeeded || !errors.isEmpty || report.failure != nil, comment)
  }

  // FIL-4, FIL-8, IMP-7, IMP-8: what cannot be taken back is not forgotten.
  @Test func aPublicationThatCannotBeTakenBackIsCompletedByRecovery() async throws {
    var completed = 0
    for number in 1...8 {
      let comment: Comment = "syncFolder #\(number) fails, and nothing can be removed"
      try await withFaultWorld { world in
        let library = try await world.open()
        world.files.fail(call: "syncFolder", at: number, with: EIO)
        world.files.fail(call: "remove", with: EIO, forever: true)
        let (report, _) = try await world.importing(library)
        world.files.stopFailing()
        try await world.expectListIsTrue(library, comment)
        #expect(try await library.allEntries().count == report.counts.succeeded, comment)
        library.close()
        let again = try await world.open()
        defer { again.close() }
        completed += again.recovery.counts[.unrecorded] ?? 0
        try await world.expectRepaired(again, comment)
        try await world.expectRestCanBeImported(again, mayBeTwice: true, comment)
      }
    }
    #expect(completed > 0, "no fault came after a rename")
  }

  // FIL-7, IMP-10, RUN-7, RUN-12: a ledger that fails ends every item, each once.
  @Test(arguments: ["import.counting", "import.beforeCommit", "import.beforeRecord"])
  func aLedgerThatFailsEndsEveryItemOnce(name: String) async throws {
    try await withFaultWorld { world in
      let probe = CheckpointProbe()
      let libraries = Collector<Library>()
      probe.at(name) { _ in libraries.all.first?.ledger.close() }
      let library = try await world.open(probe)
      libraries.add(library)
      let (report, items) = try await world.importing(library)
      #expect(report.state == .failed)
      #expect(report.failure?.stage == .record)
      #expect(items.map(\.index) == Array(0..<FaultWorld.sources.count))
      #expect(report.counts.failed == items.count)
      for item in items {
        guard case .failed(let error) = item.outcome else {
          Issue.record("\(item.outcome)")
          continue
        }
        #expect(error.stage == .record && !error.subject.isEmpty)
      }
      library.close()
      let again = try await world.open()
      defer { again.close() }
      try await world.expectRepaired(again, "\(name)")
      try await world.expectRestCanBeImported(again, "\(name)")
    }
  }

  // FIL-7, FIL-8, IMP-8: opening fails clearly or works, and the next opening works.
  @Test(arguments: calls) func aFailingOpeningCanBeRepeated(_ call: String) async throws {
    for fault in Self.faults where !fault.isForever {
      for number in 1... {
        var hasFired = false
        let comment: Comment = "opening: \(call) #\(number) fails with \(fault)"
        try await withFaultWorld { world in
          world.files.fail(call: call, at: number, with: fault.number)
          do {
            let library = try await world.open()
            hasFired = world.files.firedFaultCount > 0
            world.files.stopFailing()
            library.close()
          } catch let error as SettleError {
            hasFired = true
            world.files.stopFailing()
            #expect(error.code == fault.code, "\(comment): \(error)")
            #expect(world.files.openHandleCount == 0, "\(comment): handles are left open")
          }
          let again = try await world.open()
          defer { again.close() }
          try await world.expectRestCanBeImported(again, comment)
        }
        guard hasFired else { break }
      }
    }
  }
}
