// 1,000 photos: download, convert, write. Eight downloads at once, two conversions.
import SettleCore
import Synchronization

struct Damaged: Error {}

let written = Mutex<[Int]>([])
let graph = try Graph(limits: ["network": 8, "processor": 2]) {
  for number in 1...1_000 {
    let original = Step("download \(number)", resources: ["network"]) { _ in
      if number % 100 == 0 { throw Damaged() }
      return [UInt8](repeating: UInt8(number % 251), count: 64)
    }
    let small = Step(
      "convert \(number)", weight: 3, resources: ["processor"], after: original
    ) { _, bytes in
      bytes.prefix(16)
    }
    original
    small
    Step("write \(number)", after: small) { context, bytes in
      try await context.commit { written.withLock { $0.append(bytes.count) } }
    }
  }
}
let report = await graph.start(GraphOptions(workers: 10)).report
print("\(report.state): \(written.withLock { $0.count }) photos written")
print("\(report.counts.succeeded) succeeded, \(report.counts.skipped) skipped")
print("root causes:", report.rootCauses.map(\.name).joined(separator: ", "))
