import SettleCore
import Testing

@testable import SettleLedger

@Suite struct LedgerTransitionTests {
  // IMP-5
  @Test func publishedEntryKeepsEveryFact() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1])
      let entry = try #require(try ledger.entry(id: entryID(1)))
      let promised = pendingEntry(1)
      let expected = LedgerEntry(
        sequence: 1, id: promised.id, state: .available, run: promised.run, name: promised.name,
        path: "documents/0001/\(promised.id).pdf", staging: nil, source: promised.source,
        sourceByteCount: 100, sourceModified: 1_700_000_000_123_456_789, byteCount: 100,
        sha256: [UInt8](repeating: 7, count: 32), pageCount: 3, type: "application/pdf",
        flags: ["encrypted", "repaired"], engine: "qpdf 11.3.0", importedAt: 1_700_000_000_456,
        failureCode: nil, failureStage: nil)
      #expect(entry == expected)
    }
  }

  // IMP-7
  @Test func pendingEntryIsNotListed() throws {
    try withLedger { ledger, _ in
      try ledger.addPending([pendingEntry(1)])
      #expect(try ledger.entries(limit: 10).isEmpty)
      #expect(try ledger.unfinished().map(\.id) == [entryID(1)])
      #expect(try ledger.unfinished().first?.staging == pendingEntry(1).staging)
    }
  }

  // FIL-8: one group is one transaction.
  @Test func settlingRecordsAllOfAGroup() throws {
    try withLedger { ledger, _ in
      try ledger.addPending((1...3).map { pendingEntry($0) })
      var batch = LedgerBatch()
      batch.published = [publication(1)]
      batch.failed = [Failure(id: entryID(2), code: .damaged, stage: .verification)]
      batch.forgotten = [entryID(3)]
      batch.pending = [pendingEntry(4)]
      try ledger.settle(batch)
      #expect(try ledger.entry(id: entryID(1))?.state == .available)
      let failed = try #require(try ledger.entry(id: entryID(2)))
      #expect(failed.state == .failed && failed.staging == nil)
      #expect(failed.failureCode == .damaged && failed.failureStage == .verification)
      #expect(try ledger.entry(id: entryID(3)) == nil)
      #expect(try ledger.entry(id: entryID(4))?.state == .pending)
    }
  }

  // FIL-8: what cannot be recorded whole is not recorded at all.
  @Test func settlingAnUnknownEntryChangesNothing() throws {
    try withLedger { ledger, _ in
      try ledger.addPending([pendingEntry(1)])
      var batch = LedgerBatch()
      batch.published = [publication(1), publication(9)]
      batch.pending = [pendingEntry(2)]
      let error = #expect(throws: SettleError.self) { try ledger.settle(batch) }
      #expect(error?.code == .unexpected)
      #expect(error?.subject == Array(entryID(9).description.utf8))
      #expect(try ledger.entry(id: entryID(1))?.state == .pending)
      #expect(try ledger.entry(id: entryID(2)) == nil)
    }
  }

  // FIL-8: the table in Ledger.swift; every other transition is refused and changes nothing.
  @Test(arguments: EntryState.allCases)
  func eachTransitionLeavesExactlyItsOwnStates(_ state: EntryState) throws {
    let id = entryID(1)
    let transitions: [(name: String, from: Set<EntryState>, run: (Ledger) throws -> Void)] = [
      ("publish", [.pending], { try $0.settle(publishing(1)) }),
      ("fail", [.pending], { try $0.interrupt([id]) }),
      ("forget", [.pending], { try $0.settle(forgetting(1)) }),
      ("hide", [.available, .missing], { try $0.hide([id]) }),
      ("remove", [.deleting], { try $0.remove([id]) }),
      ("markMissing", [.available], { try $0.markMissing(id) }),
      ("restore", [.missing], { try $0.restore(id) }),
    ]
    for transition in transitions {
      try withLedger { ledger, _ in
        try bring(ledger, to: state)
        let before = try ledger.entry(id: id)
        let refusal = code { try transition.run(ledger) }
        let isAllowed = transition.from.contains(state)
        #expect(refusal == (isAllowed ? nil : .unexpected), "\(transition.name) from \(state)")
        let isUnchanged = try ledger.entry(id: id) == before
        #expect(isUnchanged != isAllowed, "\(transition.name) from \(state)")
      }
    }
  }

  // FIL-8: after a crash a pending entry becomes a failed one that can be tried again.
  @Test func interruptedEntryIsFailedAndRetryable() throws {
    try withLedger { ledger, _ in
      try ledger.addPending([pendingEntry(1)])
      try ledger.interrupt([entryID(1)])
      let entry = try #require(try ledger.entry(id: entryID(1)))
      #expect(entry.state == .failed)
      let code = try #require(entry.failureCode)
      #expect(code == .interrupted && SettleError(code).isRetryable)
      #expect(try ledger.unfinished().isEmpty)
    }
  }

  // IMP-7: an entry without its file is not listed, and comes back with it.
  @Test func missingEntryIsNotListedUntilRestored() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1, 2])
      try ledger.markMissing(entryID(1))
      #expect(try ledger.entries(limit: 10).map(\.id) == [entryID(2)])
      #expect(try ledger.entries(limit: 10, state: .missing).map(\.id) == [entryID(1)])
      #expect(try ledger.unfinished().isEmpty)
      try ledger.restore(entryID(1))
      #expect(try ledger.entries(limit: 10).map(\.id) == [entryID(1), entryID(2)])
    }
  }

  // IMP-9: an import that is tried again forgets the failures of its source only.
  @Test func aNewPromiseReplacesTheFailuresOfItsSourceOnly() throws {
    try withLedger { ledger, _ in
      try ledger.addPending((1...3).map { pendingEntry($0) })
      try ledger.interrupt([entryID(1), entryID(2)])
      var again = pendingEntry(4)
      again.source = pendingEntry(1).source
      try ledger.addPending([again])
      #expect(try ledger.entry(id: entryID(1)) == nil)
      #expect(try ledger.entry(id: entryID(2))?.state == .failed)
      #expect(try ledger.entry(id: entryID(3))?.state == .pending)
    }
  }

  // IMP-7, IMP-9: no state without its facts, whatever code writes it.
  @Test(arguments: [
    "UPDATE entries SET state = 'available'",
    "UPDATE entries SET state = 'failed'",
    "UPDATE entries SET state = 'gone'",
    "UPDATE entries SET staging = NULL",
    "UPDATE entries SET sha256 = x'00'",
    "UPDATE entries SET path = '/etc/passwd'",
    "UPDATE entries SET state = 'available', bytes = 1, imported_at = 1, pages = 1",
    "UPDATE entries SET state = 'missing', bytes = 1, sha256 = zeroblob(32), pages = 1",
    """
    UPDATE entries SET state = 'available', bytes = 1, sha256 = zeroblob(32), pages = 0,
      imported_at = 1
    """,
  ])
  func tableRefusesAStateWithoutItsFacts(_ statement: String) throws {
    try withLedger { ledger, _ in
      try ledger.addPending([pendingEntry(1)])
      #expect(code { try ledger.execute(statement) } == .unexpected)
      #expect(try ledger.entry(id: entryID(1))?.state == .pending)
    }
  }

  // IMP-6: an id is given once.
  @Test func anIdIsNeverGivenTwice() throws {
    try withLedger { ledger, _ in
      try ledger.addPending([pendingEntry(1)])
      #expect(code { try ledger.addPending([pendingEntry(2), pendingEntry(1)]) } == .unexpected)
      #expect(try ledger.entry(id: entryID(2)) == nil)
    }
  }

  // IMP-6: the number of a removed entry is not used again.
  @Test func sequenceOfARemovedEntryIsNotUsedAgain() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1, 2])
      try ledger.hide([entryID(2)])
      try ledger.remove([entryID(2)])
      try ledger.addPending([pendingEntry(3)])
      #expect(try ledger.entry(id: entryID(3))?.sequence == 3)
    }
  }
}

private func publishing(_ number: Int) -> LedgerBatch {
  var batch = LedgerBatch()
  batch.published = [publication(number)]
  return batch
}

private func forgetting(_ number: Int) -> LedgerBatch {
  var batch = LedgerBatch()
  batch.forgotten = [entryID(number)]
  return batch
}

/// Brings entry 1 to a state by the ledger's own calls.
private func bring(_ ledger: Ledger, to state: EntryState) throws {
  switch state {
  case .pending: try ledger.addPending([pendingEntry(1)])
  case .available: try ledger.makeAvailable([1])
  case .failed:
    try ledger.addPending([pendingEntry(1)])
    try ledger.interrupt([entryID(1)])
  case .deleting:
    try ledger.makeAvailable([1])
    try ledger.hide([entryID(1)])
  case .missing:
    try ledger.makeAvailable([1])
    try ledger.markMissing(entryID(1))
  }
}
