import Settle
import SettleTerminal

/// `settle doctor`.
enum DoctorCommand {
  static func run(_ context: Context) async throws -> Ending {
    let path = try context.libraryPath()
    var findings = try await WorkerThread.run { () throws(SettleError) in
      Examination(library: path).run()
    }
    findings += await library(path, context)
    for finding in findings {
      finding.lines(Style(isColored: context.settings.colorsOutput)).forEach(context.console.data)
      context.console.json(finding.members)
    }
    let problems = findings.count { $0.health == .problem }
    let warnings = findings.count { $0.health == .warning }
    let status: ExitStatus = problems == 0 ? .success : .missingToolOrRight
    context.console.talk(verdict(problems, warnings))
    context.console.json([
      ("type", .text("summary")), ("problems", .int(Int64(problems))),
      ("warnings", .int(Int64(warnings))), ("exit_code", .int(Int64(status.rawValue))),
    ])
    return .exit(status)
  }

  private static func verdict(_ problems: Int, _ warnings: Int) -> String {
    if problems > 0 { return Quantity.count(problems, "problem", "problems") + " found." }
    if warnings > 0 {
      return "No problem; " + Quantity.count(warnings, "note", "notes") + " above."
    }
    return "Everything is in place."
  }

  /// The state of the library itself. That there is none yet is fine.
  private static func library(_ path: BytePath, _ context: Context) async -> [Diagnosis] {
    do {
      let library = try await context.openForReading()
      defer { library.close() }
      return diagnoses(try await library.status(), path)
    } catch let error as SettleError where error.code == .noLibrary {
      return [
        Diagnosis(
          subject: "library", health: .ok, finding: "none at \(path) yet",
          next: "The first import makes it.")
      ]
    } catch let error as SettleError {
      return [Diagnosis.problem("library", error)]
    } catch {
      return [Diagnosis.problem("library", SettleError(.unexpected, detail: "\(error)"))]
    }
  }

  private static func diagnoses(_ status: LibraryStatus, _ path: BytePath) -> [Diagnosis] {
    let count = Quantity.count(status.entryCount, "document", "documents")
    var list = [
      Diagnosis(
        subject: "library", health: .ok,
        finding: "\(count), \(Quantity.bytes(status.byteCount)) in \(path)")
    ]
    if let holder = status.holder {
      list.append(
        Diagnosis(subject: "lock", health: .ok, finding: "held by \(shown(holder.utf8))"))
    } else {
      list.append(Diagnosis(subject: "lock", health: .ok, finding: "free"))
    }
    if status.holder == nil, status.unfinishedCount > 0 || status.wasCutOff {
      let count = status.unfinishedCount
      list.append(
        Diagnosis(
          subject: "leftovers", health: .warning,
          finding: count > 0
            ? Quantity.count(count) + " from a run that was cut off" : "a run was cut off",
          next: "settle recover finishes or rolls them back."))
    }
    if status.missingCount > 0 {
      let files = Quantity.count(status.missingCount, "document", "documents")
      list.append(
        Diagnosis(
          subject: "missing", health: .warning, finding: "the file of \(files) is gone",
          next: ErrorWording.of(.missingFile).next))
    }
    return list
  }
}
