import Settle
import SettleTerminal

/// The JSON lines of an import, as the manual has them.
enum ImportLines {
  static func started(_ snapshot: RunSnapshot) -> [(String, JSON)] {
    [
      ("type", .text("run_started")), ("run", .text(snapshot.run.description)),
      ("items", .int(snapshot.items.count)),
      ("bytes", .int(snapshot.progress.bytes.total.count)),
    ]
  }

  static func progress(_ snapshot: RunSnapshot, _ estimate: FrameEstimate) -> [(String, JSON)] {
    let bytes = snapshot.progress.bytes
    return [
      ("type", .text("progress")), ("run", .text(snapshot.run.description)),
      ("phase", .text(snapshot.phase.rawValue)), ("state", .text(snapshot.state.rawValue)),
      ("fraction", fraction(snapshot)), ("settled", .int(Int64(snapshot.counts.settled))),
      ("items", .int(snapshot.items.count)), ("items_exact", .bool(snapshot.items.isExact)),
      ("counts", JSON.counts(snapshot.counts)), ("bytes", .int(bytes.completedCount)),
      ("bytes_total", bytes.total.isExact ? .int(bytes.total.count) : .null),
      ("bytes_per_second", estimate.bytesPerSecond.map { .number($0) } ?? .null),
      ("time_left_s", estimate.timeLeft.map { .number($0 / .seconds(1)) } ?? .null),
    ]
  }

  /// No fraction while counting (PRG-6).
  private static func fraction(_ snapshot: RunSnapshot) -> JSON {
    guard snapshot.phase != .counting else { return .null }
    return snapshot.progress.fractionCompleted.map { .number($0) } ?? .null
  }

  static func item(_ item: ImportedItem, run: RunID) -> [(String, JSON)] {
    var members: [(String, JSON)] = [("type", .text("item")), ("run", .text(run.description))]
    members += JSON.name("name", item.name)
    members += JSON.name("source", item.source.bytes)
    members.append(("outcome", .text(item.outcome.kind.rawValue)))
    members.append(("id", id(item)))
    members.append(("reason", item.reason.map(JSON.reason) ?? .null))
    members.append(("bytes", .int(item.byteCount)))
    members.append(("sha256", item.entry.map { .text(Digest.hex($0.sha256)) } ?? .null))
    members.append(("pages", item.entry.map { .int(Int64($0.pageCount)) } ?? .null))
    members.append(("flags", .list((item.entry?.flags ?? []).map { .text($0.rawValue) })))
    members.append(("attempts", .int(Int64(item.attemptCount))))
    return members
  }

  static func finished(
    _ report: ImportReport, _ status: Int32, note: String?
  ) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("type", .text("run_finished")), ("run", .text(report.run.description)),
      ("state", .text(report.state.rawValue)), ("counts", JSON.counts(report.counts)),
      ("bytes", .int(report.byteCount)),
      ("duration_s", .number(report.duration / .seconds(1))),
    ]
    if let note { members.append(("note", .text(note))) }
    members.append(("exit_code", .int(Int64(status))))
    return members
  }

  /// The last line when the process leaves in the middle of a run: what the lines before it said.
  /// Of all other items it is not known how they ended.
  static func abandoned(
    _ snapshot: RunSnapshot, _ reported: ImportDisplay.Reports, _ status: ExitStatus
  ) -> [(String, JSON)] {
    let unknown = snapshot.items.count - Int64(reported.counts.settled)
    return [
      ("type", .text("run_finished")), ("run", .text(snapshot.run.description)),
      ("state", .text(RunState.cancelled.rawValue)), ("counts", JSON.counts(reported.counts)),
      ("unknown", snapshot.items.isExact ? .int(unknown) : .null),
      ("bytes", .int(reported.byteCount)), ("duration_s", .null),
      ("note", .text("left before the run settled; settle recover says what was left")),
      ("exit_code", .int(Int64(status.rawValue))),
    ]
  }

  /// The last line when there was no run at all.
  static func neverStarted(_ status: ExitStatus) -> [(String, JSON)] {
    // Codes above 128 are those of signals.
    let state: RunState = status.rawValue > 128 ? .cancelled : .failed
    return [
      ("type", .text("run_finished")), ("run", .null), ("state", .text(state.rawValue)),
      ("counts", JSON.counts(OutcomeCounts())), ("bytes", .int(0)), ("duration_s", .number(0)),
      ("exit_code", .int(Int64(status.rawValue))),
    ]
  }

  private static func id(_ item: ImportedItem) -> JSON {
    if let entry = item.entry { return .text(entry.id.description) }
    if case .skipped(.duplicate(let id)) = item.outcome { return .text(id) }
    return .null
  }
}

extension ImportedItem {
  /// Why it was not imported, in the words of an error; nil when it was.
  var reason: SettleError? {
    switch outcome {
    case .succeeded: nil
    case .failed(let error): error
    case .cancelled: SettleError(.cancelled, subject: source.bytes)
    case .skipped(let reason): SettleError(reason.code, subject: source.bytes)
    }
  }
}
