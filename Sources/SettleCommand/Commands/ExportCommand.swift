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
    let told = Reported(ExportReport())
    let report = try await context.cancellable(
      lastLines: { number in
        told.abandon().map { [summary($0, ExitStatus(signal: number), isCancelled: true)] } ?? []
      }, { try await library.export(ids, to: folder) { tell($0, told, console) } })
    let signal = report.wasCancelled ? context.interruptions.first : nil
    let status = signal.map(ExitStatus.init(signal:)) ?? status(report)
    console.talk(
      (signal == nil ? "Exported " : "Cancelled; exported ")
        + "\(Quantity.count(report.exportedCount, "document", "documents")) "
        + "(\(Quantity.bytes(report.byteCount))) to \(folder); "
        + "\(Quantity.count(report.failedCount)) failed.")
    let line = summary(report, status, isCancelled: signal != nil)
    if !told.finish({ console.lastJSON(line) }) { await Interruptions.waitForTheEnd() }
    return signal.map { .signal($0) } ?? .exit(status)
  }

  /// Prints an item and counts it.
  private static func tell(
    _ item: ExportedItem, _ told: Reported<ExportReport>, _ console: Console
  ) {
    told.add { report in
      console.json(members(item))
      if let error = item.error {
        report.failedCount += 1
        if !console.settings.isJSON {
          console.urgent(console.style.bad("failed: ") + error.message)
        }
      } else if let name = item.name {
        report.exportedCount += 1
        report.byteCount += item.entry.byteCount
        console.data("\(item.entry.id)  \(shown(name))")
      }
    }
  }

  private static func summary(
    _ report: ExportReport, _ status: ExitStatus, isCancelled: Bool
  ) -> [(String, JSON)] {
    var members: [(String, JSON)] = [("type", .text("summary"))]
    if isCancelled { members.append(("state", .text(RunState.cancelled.rawValue))) }
    return members + [
      ("exported", .int(Int64(report.exportedCount))),
      ("failed", .int(Int64(report.failedCount))), ("bytes", .int(report.byteCount)),
      ("exit_code", .int(Int64(status.rawValue))),
    ]
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
