import Foundation

/// A benchmark by name.
struct Benchmark: Sendable {
  /// The name to ask for it with.
  var name: String
  /// Measures ours and the peer, one after the other, several times.
  var run: @Sendable () throws -> Measurement
}

/// What one benchmark found: ours against a peer in the same run.
struct Measurement: Encodable {
  /// The benchmark.
  var name: String
  /// Our figure: the median of all runs.
  var ours: Double
  /// What it is compared with.
  var peer: String
  /// The peer's figure.
  var peerValue: Double
  /// The unit of both.
  var unit: String
  /// The ratio to reach: smaller is better.
  var targetRatio: Double
  /// How often each was measured.
  var runs: Int

  /// Ours as a part of the peer's.
  var ratio: Double { ours / peerValue }

  private enum CodingKeys: String, CodingKey {
    case name, ours, peer, unit, ratio, runs
    case peerValue = "peer_value"
    case targetRatio = "target_ratio"
  }

  /// Writes the fields in the form that ARCHITECTURE.md fixes.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(name, forKey: .name)
    try fields.encode(Self.rounded(ours), forKey: .ours)
    try fields.encode(peer, forKey: .peer)
    try fields.encode(Self.rounded(peerValue), forKey: .peerValue)
    try fields.encode(unit, forKey: .unit)
    try fields.encode(Self.rounded(ratio), forKey: .ratio)
    try fields.encode(Self.rounded(targetRatio), forKey: .targetRatio)
    try fields.encode(runs, forKey: .runs)
  }

  /// One JSON object in one line.
  func jsonLine() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// One line for people.
  var textLine: String {
    let verdict = ratio <= targetRatio ? "reached" : "MISSED"
    return "\(name): \(Self.rounded(ours)) \(unit), \(peer): \(Self.rounded(peerValue)) \(unit), "
      + "ratio \(Self.rounded(ratio)), target \(Self.rounded(targetRatio)) \(verdict)"
  }

  /// Four digits after the point are more than a machine repeats.
  private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

/// Nanoseconds that one of `count` operations takes in `body`.
func nanoseconds(per count: Int, _ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let duration = try clock.measure(body)
  return duration / .nanoseconds(count)
}

/// Nanoseconds of processor time of the whole process that one of `count` operations takes.
func processorNanoseconds(per count: Int, _ body: () throws -> Void) throws -> Double {
  func now() throws -> Double {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else {
      throw BenchmarkFault(description: "the processor time cannot be read (errno \(errno))")
    }
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
  let began = try now()
  try body()
  return (try now() - began) / Double(count)
}

/// The median of `runs` measurements of two things that are measured in turn.
func medians(
  runs: Int, ours: () throws -> Double, peer: () throws -> Double
) rethrows -> (ours: Double, peer: Double) {
  var (left, right): ([Double], [Double]) = ([], [])
  for _ in 0..<runs {
    left.append(try ours())
    right.append(try peer())
  }
  return (left.sorted()[runs / 2], right.sorted()[runs / 2])
}

/// A benchmark's own finding that something is wrong, not slow.
struct BenchmarkFault: Error, CustomStringConvertible {
  /// What is wrong.
  var description: String
}

/// A peer that is not on this machine; the others are measured.
struct BenchmarkSkipped: Error, CustomStringConvertible {
  /// What is missing.
  var description: String
}

/// A size from the environment, for runs that are to be short; nil when it is not set.
func environmentCount(_ name: String) throws -> Int? {
  guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
  guard let count = Int(text), count > 0 else {
    throw BenchmarkFault(description: "\(name) is '\(text)', but must be a number above 0")
  }
  return count
}
