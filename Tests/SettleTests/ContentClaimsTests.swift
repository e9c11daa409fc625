import SettleCore
import SettleTestSupport
import Testing

@testable import Settle

/// The claims against a model that knows everything beforehand, in random orders.
@Suite struct ContentClaimsTests {
  // RUN-11, IMP-12: whatever the order of events, the first item of each content stores it, and
  // every other is told its id; nobody waits for ever.
  @Test(arguments: 0..<300)
  func theFirstOfEqualItemsStoresWhateverTheOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...12, using: &random)
    let contents = (0..<count).map { _ in Int.random(in: 0..<4, using: &random) }
    let fails = (0..<4).map { _ in Int.random(in: 0..<5, using: &random) == 0 }
    let ids = (0..<count).map { _ in SortableID(milliseconds: 1, using: &random) }
    var claims = ContentClaims()
    var toHash = Array(0..<count)
    var toEnd: [Int] = []
    var stored: [Int: Int] = [:]
    var duplicates: [Int: EntryID] = [:]

    func take(_ releases: [ContentClaims.Release]) {
      var pending = releases
      while let release = pending.popLast() {
        switch release.decision {
        case .proceed:
          // What ended before is in the ledger, where the import looks next.
          if let first = stored[contents[release.step]] {
            duplicates[release.step] = ids[first]
            pending += claims.end(release.step, storedAs: nil)
          } else {
            toEnd.append(release.step)
          }
        case .duplicate(let id):
          duplicates[release.step] = id
          pending += claims.end(release.step, storedAs: nil)
        }
      }
    }
    for step in 0..<count { take(claims.expect(step, byteCount: Int64(contents[step] / 2))) }
    while !toHash.isEmpty || !toEnd.isEmpty {
      if !toHash.isEmpty, toEnd.isEmpty || Bool.random(using: &random) {
        let step = toHash.remove(at: Int.random(in: toHash.indices, using: &random))
        take(
          claims.hashed(
            step, byteCount: Int64(contents[step] / 2), digest: [UInt8(contents[step])]))
      } else {
        let step = toEnd.remove(at: Int.random(in: toEnd.indices, using: &random))
        // The same content has the same verdict.
        let isStored = !fails[contents[step]]
        if isStored { stored[contents[step], default: step] = step }
        take(claims.end(step, storedAs: isStored ? ids[step] : nil))
      }
    }
    #expect(claims.isEmpty, "seed \(seed)")
    for step in 0..<count where !fails[contents[step]] {
      let first = contents.firstIndex(of: contents[step])!
      if step == first {
        #expect(stored[contents[step]] == step, "seed \(seed)")
      } else {
        #expect(duplicates[step] == ids[first], "seed \(seed), step \(step)")
      }
    }
  }
}
