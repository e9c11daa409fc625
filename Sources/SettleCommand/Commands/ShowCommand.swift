import Settle

/// `settle show ID...`.
enum ShowCommand {
  static func run(_ context: Context) async throws -> Ending {
    let library = try await context.openForReading()
    defer { library.close() }
    for (index, id) in context.ids.enumerated() {
      let entry = try await library.entry(id)
      if index > 0 { context.console.data("") }
      EntryLines.sheet(entry).forEach(context.console.data)
      context.console.json(EntryLines.members(entry, isFull: true))
    }
    return .exit(.success)
  }
}
