import CSettleSystem
import SettleVerify
import SettleCore
import SettleFiles
import SettleTerminal

/// The tour: each station does something with the real tool and checks what it says about it.
struct DemoTour {
  let folder: DemoFolder
  let child: DemoChild
  let console: Console

  /// How many documents a station that is interrupted has. Many, so that the signal finds it at
  /// work even on a fast machine; a station that was too fast is repeated with more.
  private static let manyDocuments = 1_500

  func run() throws(SettleError) {
    say("This tour makes its own documents in \(folder.path). Your library is not touched.")
    let first = try refusal()
    let second = try cancellation()
    let third = try crash()
    try libraryAfterwards(count: first + second + third)
    say("")
    say("Everything that this tour claimed was checked. Its folder is removed now.")
  }

  // MARK: Stations

  /// Two good documents, a web page called .pdf and a broken download. Returns how many stay.
  private func refusal() throws(SettleError) -> Int {
    title("1. A document is imported only when a real parser can open it")
    let documents = try folder.makeFolder("mixed")
    let files: [(String, [UInt8])] = [
      ("letter.pdf", SampleDocument.pdf(title: "letter")),
      ("invoice.pdf", SampleDocument.pdf(title: "invoice")),
      ("saved-page.pdf", DemoDocument.webPage),
      ("half-download.pdf", DemoDocument.cutOff()),
    ]
    for (name, bytes) in files { try folder.write(bytes, to: documents.appending(name.utf8)) }
    say("  $ settle import mixed      (2 good PDFs, a web page named .pdf, half a download)")
    let result = try child.run([word("import"), documents.bytes])
    for item in result.items("failed") {
      say("  refused: \(item.text("name") ?? "?") (\(item.text("code") ?? "?"))")
    }
    try claim(result.items("succeeded").count == 2, "2 documents are imported")
    try claim(result.items("failed").count == 2, "2 are refused, each with its reason")
    try claim(result.ending == .exited(3), "the exit code is 3: some items were not done")
    return 2
  }

  /// Ctrl-C in the middle. Returns how many documents stay.
  private func cancellation() throws(SettleError) -> Int {
    title("2. A cancellation leaves nothing half done")
    let before = try listedCount()
    var stays = 0
    for round in 1...3 {
      let count = Self.manyDocuments * round
      let documents = try many(count, "cancelled-\(round)")
      say(
        "  $ settle import cancelled      (\(Quantity.count(count)) PDFs; Ctrl-C after the first)")
      let result = try child.run(
        [word("import"), documents.bytes], signal: SIGINT, afterItems: 1)
      let done = result.items("succeeded").count
      let cancelled = result.items("cancelled").count
      stays += done
      guard cancelled > 0 else {
        say("  It was done before the Ctrl-C arrived; once more with more documents.")
        continue
      }
      say("  \(Quantity.count(done)) were done, \(Quantity.count(cancelled)) were cancelled.")
      try claim(done + cancelled == count, "every document has its outcome")
      try claim(result.ending == .signalled(SIGINT), "the shell sees the Ctrl-C (130)")
      try claim(stagedFileCount == 0, "no file is left half written")
      let listed = try listedCount()
      try claim(listed == before + stays, "the library lists what was done, and only that")
      return stays
    }
    throw broken("a cancellation arrives before the import is done")
  }

  /// kill -9 in the middle. Returns how many documents stay.
  private func crash() throws(SettleError) -> Int {
    title("3. A crash is repaired")
    var stays = 0
    for round in 1...3 {
      let count = Self.manyDocuments * round
      let before = try listedCount()
      let documents = try many(count, "killed-\(round)")
      say("  $ settle import killed      (\(Quantity.count(count)) PDFs; kill -9 after the first)")
      let result = try child.run(
        [word("import"), documents.bytes], signal: SIGKILL, afterItems: 1)
      stays += count
      guard result.ending == .signalled(SIGKILL) else {
        say("  It was done before the kill arrived; once more with more documents.")
        continue
      }
      try repair(documents, count: count, before: before)
      return stays
    }
    throw broken("a kill arrives before the import is done")
  }

  private func repair(_ documents: BytePath, count: Int, before: Int) throws(SettleError) {
    say("  $ settle recover")
    let repaired = try child.run([word("recover")])
    let findings = repaired.lines("finding").count
    say("  \(Quantity.count(findings, "leftover", "leftovers")) finished or rolled back.")
    try claim(repaired.ending == .exited(0), "the recovery succeeds")
    let again = try child.run([word("recover")])
    try claim(again.lines("finding").isEmpty, "recovering again finds nothing more to do")
    try claim(stagedFileCount == 0, "no file is left half written")
    let kept = try listedCount() - before
    say("  \(Quantity.count(kept)) documents were complete and stay.")
    say("  $ settle import killed      (the same folder again)")
    let rest = try child.run([word("import"), documents.bytes])
    try claim(rest.ending == .exited(0), "the same import now succeeds")
    try claim(rest.items("skipped").count == kept, "what was complete is not stored twice")
    try claim(rest.items("succeeded").count == count - kept, "the others are imported")
  }

  private func libraryAfterwards(count: Int) throws(SettleError) {
    title("4. The library afterwards")
    say("  $ settle check --deep")
    let check = try child.run([word("check"), word("--deep")])
    try claim(check.ending == .exited(0), "every document is there and has its hash")
    try claim(check.lines("finding").isEmpty, "nothing is missing, changed or unknown")
    let list = try child.run([word("ls")])
    let entries = list.lines("entry")
    say("  $ settle ls")
    for entry in entries.prefix(3) {
      say("  \(entry.text("id") ?? "?")  \(entry.text("name") ?? "?")")
    }
    say("  ... \(Quantity.count(entries.count)) documents in all.")
    try claim(entries.count == count, "that is exactly what was imported")
  }

  // MARK: Means

  private func many(_ count: Int, _ name: String) throws(SettleError) -> BytePath {
    let documents = try folder.makeFolder(name)
    for number in 1...count {
      let bytes = SampleDocument.pdf(title: "\(name) \(number)", padding: 4_000)
      try folder.write(bytes, to: documents.appending("\(number).pdf".utf8))
    }
    return documents
  }

  private var stagedFileCount: Int {
    DemoFolder.fileCount(below: child.library.appending("staging".utf8))
  }

  private func listedCount() throws(SettleError) -> Int {
    try child.run([word("ls")]).lines("entry").count
  }

  private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

  // MARK: Talk

  private func title(_ text: String) {
    say("")
    say(console.settings.colorsOutput ? Style(isColored: true).strong(text) : text)
  }

  private func say(_ text: String) {
    console.data(text)
    if !text.isEmpty { console.json([("type", .text("talk")), ("text", .text(text))]) }
  }

  /// Prints a claim that holds; one that does not ends the demo.
  private func claim(_ holds: Bool, _ text: String) throws(SettleError) {
    console.json([("type", .text("claim")), ("text", .text(text)), ("holds", .bool(holds))])
    guard holds else { throw broken(text) }
    console.data("  " + Style(isColored: console.settings.colorsOutput).good("ok") + "  " + text)
  }

  private func broken(_ text: String) -> SettleError {
    SettleError(.unexpected, subject: Array("the demo".utf8), detail: "this does not hold: \(text)")
  }
}
