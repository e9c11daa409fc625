import CSettleSystem
import Foundation
import Settle
import SettleProcess
import SettleVerify

/// Importing against copying: ours verifies, makes durable and records each document, the peers
/// only copy and sync.
enum ImportBenchmarks {
  /// All of them. A peer that is not installed is left out, and said to be. The memory comes first:
  /// making the large file takes more than any import.
  static let all: [Benchmark] =
    [Benchmark(name: "import.memory") { try memory() }]
    + Peer.allCases.map { peer in
      Benchmark(name: peer.benchmark) { try small(against: peer) }
    } + [Benchmark(name: "import.large") { try large() }]

  private enum Peer: String, CaseIterable {
    case copyAndSync, rsync, rclone, gitAnnex

    var benchmark: String {
      switch self {
      case .copyAndSync: "import.small"
      case .rsync: "import.small.rsync"
      case .rclone: "import.small.rclone"
      case .gitAnnex: "import.small.git-annex"
      }
    }

    var name: String {
      switch self {
      case .copyAndSync: "cp -r && sync"
      case .rsync: "rsync -a --fsync"
      case .rclone: "rclone copy && sync"
      case .gitAnnex: "git annex add -J2"
      }
    }

    /// The program that must be there.
    var program: String {
      switch self {
      case .copyAndSync: "cp"
      case .rsync: "rsync"
      case .rclone: "rclone"
      case .gitAnnex: "git-annex"
      }
    }

    var targetRatio: Double { self == .copyAndSync || self == .rclone ? 1.0 : 0.4 }

    func command(_ source: String, _ target: String) -> String {
      switch self {
      case .copyAndSync: "cp -r '\(source)' '\(target)' && sync"
      case .rsync: "rsync -a --fsync '\(source)/' '\(target)/'"
      case .rclone: "rclone --config /dev/null copy '\(source)' '\(target)' && sync"
      case .gitAnnex:
        "mkdir '\(target)' && cd '\(target)' && git init -q . && git annex init -q && "
          + "cp -r '\(source)' in && git annex add -q -J2 in && sync"
      }
    }
  }

  /// 10,000 PDFs of 2 to 60 kB, 264 MB (fewer with SETTLE_BENCH_COUNT). The sources are in the
  /// page cache for both.
  private static func small(against peer: Peer) throws -> Measurement {
    guard (try? shell("command -v \(peer.program) >/dev/null")) != nil else {
      throw BenchmarkSkipped(description: "\(peer.benchmark): \(peer.program) is not installed")
    }
    let count = try environmentCount("SETTLE_BENCH_COUNT") ?? 10_000
    return try withFolder { folder in
      let source = "\(folder)/source"
      try makeDocuments(count, in: source)
      var round = 0
      let result = try medians(runs: 3) {
        round += 1
        return try importing(source, into: "\(folder)/library \(round)", count)
      } peer: {
        try shell(peer.command(source, "\(folder)/peer \(round)"))
      }
      return Measurement(
        name: peer.benchmark, ours: result.ours, peer: peer.name, peerValue: result.peer, unit: "s",
        targetRatio: peer.targetRatio, runs: 3)
    }
  }

  /// One file of 2 GiB (fewer MiB with SETTLE_BENCH_MIB).
  private static func large() throws -> Measurement {
    let size = (try environmentCount("SETTLE_BENCH_MIB") ?? 2_048) << 20
    return try withFolder { folder in
      let source = "\(folder)/source"
      try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
      try writeLarge(size, to: "\(source)/large.pdf")
      var round = 0
      let result = try medians(runs: 3) {
        round += 1
        defer { try? FileManager.default.removeItem(atPath: "\(folder)/library \(round)") }
        return try importing(source, into: "\(folder)/library \(round)", 1)
      } peer: {
        defer { try? FileManager.default.removeItem(atPath: "\(folder)/copy") }
        return try shell("cp '\(source)/large.pdf' '\(folder)/copy' && sync '\(folder)/copy'")
      }
      return Measurement(
        name: "import.large", ours: result.ours, peer: "cp && sync", peerValue: result.peer,
        unit: "s", targetRatio: 1.3, runs: 3)
    }
  }

  /// The peak memory of this process after importing 100,000 files of 1 kB.
  private static func memory() throws -> Measurement {
    let count = try environmentCount("SETTLE_BENCH_FILES") ?? 100_000
    return try withFolder { folder in
      let source = "\(folder)/source"
      try makeDocuments(count, in: source, sizes: 0..<400)
      _ = try importing(source, into: "\(folder)/library", count)
      return Measurement(
        name: "import.memory", ours: Double(settle_peak_memory_bytes()) / 1e6,
        peer: "stated limit", peerValue: 64, unit: "MB", targetRatio: 1, runs: 1)
    }
  }

  // MARK: Work

  private static func importing(
    _ source: String, into library: String, _ count: Int
  ) throws -> Double {
    let seconds = Box<Double>()
    let done = DispatchSemaphore(value: 0)
    Task {
      defer { done.signal() }
      do {
        let clock = ContinuousClock()
        let start = clock.now
        let opened = try await Library.open(at: BytePath(library))
        let report = await (try opened.import([ImportSource(BytePath(source))])).report()
        opened.close()
        let duration = start.duration(to: clock.now)
        guard report.counts.succeeded == count else {
          throw BenchmarkFault(description: "imported \(report.counts) of \(count)")
        }
        seconds.value = .success(duration / .seconds(1))
      } catch {
        seconds.value = .failure(error)
      }
    }
    done.wait()
    guard let value = seconds.value else { throw BenchmarkFault(description: "no result") }
    return try value.get()
  }

  private static func shell(_ text: String) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let command = Command(Array("/bin/sh".utf8), [Array("-c".utf8), Array(text.utf8)])
    let result = try command.run(input: [])
    guard result.ending == .exited(0) else {
      throw BenchmarkFault(description: "\(text) ended with \(result.ending)")
    }
    return start.duration(to: clock.now) / .seconds(1)
  }

  // MARK: Documents

  private static func makeDocuments(
    _ count: Int, in folder: String, sizes: Range<Int> = 1_200..<51_600
  ) throws {
    for index in 0..<count {
      let part = "\(folder)/\(index / 500)"
      if index % 500 == 0 {
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
      }
      let padding = sizes.lowerBound + (index &* 7_919) % sizes.count
      let bytes = SampleDocument.pdf(
        title: "Document \(index)", padding: padding, seed: UInt64(index + 1))
      try Data(bytes).write(to: URL(fileURLWithPath: "\(part)/\(index).pdf"))
    }
    sync()
  }

  /// Writes in pieces: one call takes less than 2 GiB on Linux.
  private static func writeLarge(_ byteCount: Int, to path: String) throws {
    let sample = SampleDocument.pdf(title: "Large", padding: byteCount, seed: 7)
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw BenchmarkFault(description: "cannot write \(path)") }
    for start in stride(from: 0, to: sample.count, by: 64 << 20) {
      try file.write(contentsOf: sample[start..<min(sample.count, start + (64 << 20))])
    }
    try file.close()
    sync()
  }

  /// Everything of this process is below one folder, which `removeFolders` removes at the end:
  /// ext4 is slow to make files where others were just deleted, which would measure the past.
  private static let root =
    (ProcessInfo.processInfo.environment["SETTLE_BENCH_FOLDER"] ?? "/var/tmp")
    + "/settle-bench-\(getpid())"

  private static func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = "\(root)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try body(folder)
  }

  /// Removes what the benchmarks made.
  static func removeFolders() {
    // Nothing is there when no benchmark made files.
    try? FileManager.default.removeItem(atPath: root)
  }
}

/// Carries a result from a task to the thread that waits for it.
// @unchecked: written before the semaphore is signalled, read after it was waited for.
private final class Box<Value: Sendable>: @unchecked Sendable {
  var value: Result<Value, any Error>?
}
