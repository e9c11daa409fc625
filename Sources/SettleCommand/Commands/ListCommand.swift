import Settle

/// `settle ls`.
enum ListCommand {
  static func run(_ context: Context) async throws -> Ending {
    let library = try await context.openForReading()
    defer { library.close() }
    let output = context.console.output
    var batch = ""
    var count = 0
    for try await entry in library.entries() {
      count += 1
      batch += line(entry, isJSON: context.settings.isJSON) + "\n"
      // Written in pieces: a call for each of a million lines would take longer than the query.
      if batch.utf8.count >= 65_536 {
        output.write(batch)
        batch = ""
        // Nobody reads any more, so the rest need not be read either.
        if output.isEnded { break }
      }
    }
    output.write(batch)
    // Who reads the lines can tell by the last one that the list is whole.
    context.console.json([
      ("type", .text("summary")), ("entries", .int(Int64(count))),
      ("exit_code", .int(Int64(ExitStatus.success.rawValue))),
    ])
    if count == 0 { context.console.talk("The library is empty.") }
    return .exit(.success)
  }

  private static func line(_ entry: Entry, isJSON: Bool) -> String {
    isJSON
      ? JSON.object(EntryLines.members(entry, isFull: false)).line : EntryLines.line(entry)
  }
}
