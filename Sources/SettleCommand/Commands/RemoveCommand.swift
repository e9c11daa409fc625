import CSettleSystem
import Settle
import SettleTerminal

/// `settle rm ID...`.
enum RemoveCommand {
  static func run(_ context: Context) async throws -> Ending {
    let settings = context.settings
    guard settings.isDryRun || settings.answersYes || settings.canAsk else {
      throw UsageError(
        message: "settle rm asks before it deletes, and there is nobody to ask: give --yes.",
        command: .rm)
    }
    if settings.isDryRun || !settings.answersYes {
      guard try await confirms(context), !settings.isDryRun else { return .exit(.success) }
    }
    let library = try await context.openForWriting(creates: false)
    defer { library.close() }
    let ids = context.ids
    let byteCount = try await context.cancellable(
      saying: "Stopping, unless the deletion has begun: then it is finished. A second signal "
        + "leaves now.",
      lastLines: { [left($0)] },
      { try await library.remove(ids) })
    if context.interruptions.first != nil {
      context.console.urgent("Too late to cancel: the deletion had begun.")
    }
    for id in ids {
      context.console.json([
        ("type", .text("item")), ("id", .text(id.description)),
        ("outcome", .text("succeeded")),
      ])
    }
    let documents = Quantity.count(ids.count, "document", "documents")
    context.console.talk("Deleted \(documents), \(Quantity.bytes(byteCount)).")
    let note = context.interruptions.first.map { _ in "the cancellation came after the commit" }
    summary(ids.count, context, note: note)
    return .exit(.success)
  }

  /// The last line when the process leaves in the middle: what is hidden will be deleted.
  private static func left(_ number: Int32) -> [(String, JSON)] {
    [
      ("type", .text("error")), ("code", .text(SettleError.Code.cancelled.rawValue)),
      ("message", .text("Left while deleting.")),
      ("state_left", .text("Either nothing was deleted, or the next command that writes ends it.")),
      ("next", .text("Run settle ls to see what is listed.")),
      ("exit_code", .int(Int64(ExitStatus(signal: number).rawValue))),
    ]
  }

  /// Shows what would be deleted, and asks unless this is a dry run.
  private static func confirms(_ context: Context) async throws -> Bool {
    let library = try await context.openForReading()
    defer { library.close() }
    for id in context.ids {
      // An entry whose file is gone can be deleted, too.
      let entry = try await library.entry(id, requiresFile: false)
      context.console.data(EntryLines.line(entry))
      context.console.json(EntryLines.members(entry, isFull: false))
    }
    let documents = Quantity.count(context.ids.count, "document", "documents")
    guard !context.settings.isDryRun else {
      context.console.talk("Would delete \(documents).")
      summary(0, context)
      return true
    }
    if await context.agrees("Delete \(documents) for good? [y/N] ") { return true }
    context.console.talk("Nothing was deleted.")
    summary(0, context)
    return false
  }

  private static func summary(_ count: Int, _ context: Context, note: String? = nil) {
    var members: [(String, JSON)] = [
      ("type", .text("summary")), ("removed", .int(Int64(count))),
    ]
    if let note { members.append(("note", .text(note))) }
    members.append(("exit_code", .int(0)))
    context.console.lastJSON(members)
  }
}
