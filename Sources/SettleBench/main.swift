import Foundation

/// `settle-bench [--json] [NAME…]`: measures ours against its peers, one line each.
///
/// A name stands for itself and for all that begin with it and a point. Exit codes: 0 all measured,
/// 1 a benchmark found a fault, 2 usage. A missed target is said in its line and is no fault.
let benchmarks = ProgressBenchmarks.all + GraphBenchmarks.all + ImportBenchmarks.all

var names = Array(CommandLine.arguments.dropFirst())
let wantsJSON = names.contains("--json")
names.removeAll { $0 == "--json" }

if names.contains(where: { ["-h", "--help"].contains($0) }) {
  print("usage: settle-bench [--json] [NAME...]")
  print("NAME stands for itself and for all that begin with it and a point:")
  for benchmark in benchmarks { print("  " + benchmark.name) }
  exit(0)
}

func say(_ text: String) { FileHandle.standardError.write(Data("settle-bench: \(text)\n".utf8)) }

for name in names where !benchmarks.contains(where: { $0.name.isNamed(by: name) }) {
  say("there is no benchmark \(name); there are: \(benchmarks.map(\.name).joined(separator: " "))")
  exit(2)
}

for benchmark in benchmarks
where names.isEmpty || names.contains(where: { benchmark.name.isNamed(by: $0) }) {
  do {
    let measurement = try benchmark.run()
    print(wantsJSON ? try measurement.jsonLine() : measurement.textLine)
  } catch let skipped as BenchmarkSkipped {
    say("skipped: \(skipped)")
  } catch {
    say("\(error)")
    ImportBenchmarks.removeFolders()
    exit(1)
  }
}

ImportBenchmarks.removeFolders()

extension String {
  /// True for the name itself and for a group that it is in.
  func isNamed(by name: String) -> Bool { self == name || hasPrefix(name + ".") }
}
