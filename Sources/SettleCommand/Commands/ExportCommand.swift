import Settle
import SettleTerminal

/// `settle export ID... -o DIR`.
enum ExportCommand {
  static func run(_ context: Context) async throws -> Ending {
    let library = try await context.openForReading()
    defer { library.close() }
    let ids = context.invocation.has(.all) ? nil : context.ids
    let folder = BytePath(context.invocation.options[.output] ?? [])
    let console = context.console
    if context.settings.isDryRun { return try await preview(library, ids, context) }
    let report = try await context.cancellable {
      try await library.export(ids, to: folder) { item in
        console.json(members(item))
        if let error = item.error {
          if !context.settings.isJSON {
            console.urgent(console.style.bad("failed: ") + error.message)
          }
        } else if let name = item.name {
          console.data("\(item.entry.id)  \(shown(name))")
        }
      }
    }
    let status = status(report)
    console.talk(
      "Exported \(Quantity.count(report.exportedCount, "document", "documents")) "
        + "(\(Quantity.bytes(report.byteCount))) to \(folder); "
        + "\(Quantity.count(report.failedCount)) failed.")
    console.json([
      ("type", .text("summary")), ("exported", .int(Int64(report.exportedCount))),
      ("failed", .int(Int64(report.failedCount))), ("bytes", .int(report.byteCount)),
      ("exit_code", .int(Int64(status.rawValue))),
    ])
    return .exit(status)
  }

  private static func status(_ report: ExportReport) -> ExitStatus {
    if report.failedCount == 0 { return .success }
    return report.exportedCount > 0 ? .someNotPublished : .nonePublished
  }

  /// What would be exported; nothing is written.
  private static func preview(
    _ library: Library, _ ids: [EntryID]?, _ context: Context
  ) async throws -> Ending {
    func show(_ entry: Entry) {
      context.console.data(EntryLines.line(entry))
      context.console.json(EntryLines.members(entry, isFull: false))
    }
    var count = 0
    if let ids {
      for id in ids { show(try await library.entry(id)) }
      count = ids.count
    } else {
      for try await entry in library.entries() {
        show(entry)
        count += 1
      }
    }
    context.console.talk("Would export \(Quantity.count(count, "document", "documents")).")
    context.console.json([
      ("type", .text("summary")), ("exported", .int(0)), ("would_export", .int(Int64(count))),
      ("exit_code", .int(0)),
    ])
    return .exit(.success)
  }

  private static func members(_ item: ExportedItem) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("type", .text("item")), ("id", .text(item.entry.id.description)),
    ]
    members += JSON.name("name", item.entry.name)
    members.append(("outcome", .text(item.error == nil ? "succeeded" : "failed")))
    if let name = item.name { members += JSON.name("file", name) }
    members.append(("reason", item.error.map(JSON.reason) ?? .null))
    return members
  }
}
