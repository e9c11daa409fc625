import Settle
import SettleTerminal

/// `settle status`.
enum StatusCommand {
  static func run(_ context: Context) async throws -> Ending {
    let path = try context.libraryPath()
    let library = try await context.openForReading()
    defer { library.close() }
    let status = try await library.status()
    lines(status, path).forEach(context.console.data)
    context.console.json(members(status, path))
    return .exit(.success)
  }

  private static func lines(_ status: LibraryStatus, _ path: BytePath) -> [String] {
    var lines = [
      "library:    \(path)",
      "documents:  \(Quantity.count(status.entryCount)) (\(Quantity.bytes(status.byteCount)))",
      "disk:       \(Quantity.bytes(status.freeByteCount)) free",
      "writing:    \(status.holder.map { shown($0.utf8) } ?? "nobody")",
      "last run:   \(status.lastRun.map(line) ?? "none")",
    ]
    if status.unfinishedCount > 0 {
      let next = status.holder == nil ? "; settle recover repairs" : " in hand, or cut off"
      lines.append("unfinished: \(Quantity.count(status.unfinishedCount))\(next)")
    }
    if status.missingCount > 0 {
      lines.append("missing:    \(Quantity.count(status.missingCount)); settle check names them")
    }
    if status.failedCount > 0 {
      lines.append("failed:     \(Quantity.count(status.failedCount)), not imported since")
    }
    return lines
  }

  private static func line(_ run: LibraryStatus.LastRun) -> String {
    let time = CivilTime.short(milliseconds: run.startedAt)
    let counts = OutcomeKind.allCases.filter { run.counts[$0] > 0 }
      .map { "\(Quantity.count(run.counts[$0])) \($0.rawValue)" }.joined(separator: ", ")
    return "\(run.id), \(time) UTC, \(run.state.rawValue)" + (counts.isEmpty ? "" : ", " + counts)
  }

  private static func members(_ status: LibraryStatus, _ path: BytePath) -> [(String, JSON)] {
    var members: [(String, JSON)] = [("type", .text("status"))]
    members += JSON.name("library", path.bytes)
    members += [
      ("entries", .int(Int64(status.entryCount))), ("bytes", .int(status.byteCount)),
      ("unfinished", .int(Int64(status.unfinishedCount))),
      ("missing", .int(Int64(status.missingCount))),
      ("failed", .int(Int64(status.failedCount))), ("free_bytes", .int(status.freeByteCount)),
      ("holder", status.holder.map { .text($0) } ?? .null),
    ]
    members += [
      ("last_run", status.lastRun.map(json) ?? .null),
      ("exit_code", .int(Int64(ExitStatus.success.rawValue))),
    ]
    return members
  }

  private static func json(_ run: LibraryStatus.LastRun) -> JSON {
    .object([
      ("run", .text(run.id.description)), ("state", .text(run.state.rawValue)),
      ("started_at", .text(CivilTime.iso8601(milliseconds: run.startedAt))),
      ("counts", JSON.counts(run.counts)),
    ])
  }
}
