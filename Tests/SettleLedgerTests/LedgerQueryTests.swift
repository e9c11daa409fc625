import SettleCore
import Testing

@testable import SettleLedger

@Suite struct LedgerQueryTests {
  // FIL-6: a display name is bytes, every one of them.
  @Test func namesOfAllBytesComeBackUnchanged() throws {
    let names: [[UInt8]] = [
      Array(0...255), [], [0], [0xFF, 0xFE], Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8),
      Array("'; DROP TABLE entries; --".utf8), [UInt8](repeating: 0x61, count: 100_000),
    ]
    try withLedger { ledger, _ in
      try ledger.addPending(names.enumerated().map { pendingEntry($0.offset, name: $0.element) })
      for (number, name) in names.enumerated() {
        #expect(try ledger.entry(id: entryID(number))?.name == name)
      }
    }
  }

  // IMP-7: a listing of any length needs memory for one page.
  @Test func pagesHoldEveryAvailableEntryOnceAndInOrder() throws {
    let count = 100_000
    try withLedger { ledger, _ in
      for start in stride(from: 0, to: count, by: 10_000) {
        try ledger.makeAvailable(start..<(start + 10_000))
      }
      try ledger.markMissing(entryID(5))
      var last: Int64 = 0
      var found = 0
      var next = 0
      while true {
        let page = try ledger.entries(afterSequence: last, limit: 1000)
        for entry in page {
          if next == 5 { next += 1 }
          #expect(entry.id == entryID(next))
          next += 1
          found += 1
        }
        guard let end = page.last, page.count == 1000 else { break }
        last = end.sequence
      }
      #expect(found == count - 1)
    }
  }

  // IMP-12
  @Test func sameContentIsFoundWhileAvailableOrMissing() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1], content: 1)
      try ledger.makeAvailable([2, 3, 4], content: 2)
      try ledger.addPending([pendingEntry(5)])
      try ledger.markMissing(entryID(3))
      try ledger.hide([entryID(4)])
      let found = try ledger.available(sha256: [UInt8](repeating: 2, count: 32))
      #expect(found.map(\.id) == [entryID(2), entryID(3)])
      #expect(found.map(\.state) == [.available, .missing])
      #expect(try ledger.available(sha256: [UInt8](repeating: 9, count: 32)).isEmpty)
    }
  }

  // IMP-8: recovery and the search for the same content never read the whole table.
  @Test(arguments: [
    "\(Ledger.unsettled) AND state IN ('pending', 'deleting')",
    "\(Ledger.unsettled) AND state = 'missing'",
    "sha256 = ? AND state IN ('available', 'missing')",
    "source = ? AND state = 'failed'",
    "sequence > ? AND state = ? ORDER BY sequence LIMIT ?",
    "id = ?",
  ])
  func questionIsAnsweredFromAnIndex(_ condition: String) throws {
    try withLedger { ledger, _ in
      let plan = try ledger.plan(condition)
      #expect(plan.contains("SEARCH"), "\(plan)")
      #expect(!plan.contains("SCAN"), "\(plan)")
    }
  }

  // IMP-13
  @Test func countsAndBytesAreTold() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable([1, 2, 3])
      try ledger.markMissing(entryID(3))
      try ledger.addPending([pendingEntry(4)])
      #expect(
        try ledger.counts() == [
          .available: StateCount(entries: 2, byteCount: 200),
          .missing: StateCount(entries: 1, byteCount: 100),
          .pending: StateCount(entries: 1, byteCount: 0),
        ])
    }
  }

  // IMP-13
  @Test func integrityCheckFindsNothingInASoundLedger() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable(1...100)
      #expect(try ledger.integrityCheck().isEmpty)
    }
  }

  // IMP-13: an index that disagrees with its table is found.
  @Test func integrityCheckFindsADisagreement() throws {
    try withLedger { ledger, _ in
      try ledger.makeAvailable(1...10)
      try ledger.execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '''available'', ''missing''', '''available''')
          WHERE name = 'entries_by_content';
        UPDATE sqlite_schema SET sql = replace(sql, 'length(sha256) = 32', 'length(sha256) = 31')
          WHERE name = 'entries';
        PRAGMA writable_schema = RESET;
        """)
      #expect(try !ledger.integrityCheck().isEmpty)
    }
  }

  @Test func factsAreReplaced() throws {
    try withLedger { ledger, _ in
      #expect(try ledger.fact("next shard") == nil)
      try ledger.setFact("next shard", to: "1")
      try ledger.setFact("next shard", to: "2")
      #expect(try ledger.fact("next shard") == "2")
    }
  }

  // RUN-10
  @Test func runsAreToldNewestFirstAndEndOnce() throws {
    try withLedger { ledger, _ in
      for number in 1...3 { try ledger.beginRun(entryID(number), startedAt: Int64(number)) }
      var ended = LedgerRun(id: entryID(2), startedAt: 2)
      ended.endedAt = 20
      ended.state = .failed
      ended.counts.succeeded = 4
      ended.counts.failed = 3
      ended.counts.skipped = 2
      ended.counts.cancelled = 1
      ended.byteCount = 1000
      try ledger.endRun(ended)
      #expect(
        try ledger.lastRuns(2) == [LedgerRun(id: entryID(3), startedAt: 3), ended])
      #expect(code { try ledger.endRun(ended) } == .unexpected)
    }
  }
}
