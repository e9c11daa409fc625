// A download that fails skips its convert; one that succeeds does not.
import SettleCore

struct NoSuchPage: Error {}

let graph = try Graph {
  for page in ["good", "gone"] {
    let download = Step("download \(page)") { _ in
      if page == "gone" { throw NoSuchPage() }
      return "<h1>\(page)</h1>"
    }
    download
    Step("convert \(page)", after: download) { _, text in text.uppercased() }
  }
}
for step in await graph.start().report.steps {
  switch step.outcome {
  case .skipped(.dependencyFailed(let root)): print("\(step.name): skipped, because of \(root)")
  case .failed(let error): print("\(step.name): failed: \(error.message)")
  case let outcome: print("\(step.name): \(outcome.map { "\($0)" } ?? "unfinished")")
  }
}
