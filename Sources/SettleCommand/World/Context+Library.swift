import CSettleSystem
import Settle
import SettleTerminal

extension Context {
  /// Opens the library for a command that only reads. Works beside a writer (IMP-14).
  func openForReading() async throws -> Library {
    var options = Library.Options()
    options.access = .readOnly
    return try await Library.open(at: libraryPath(), options: options)
  }

  /// Opens the library for a command that writes, and says what opening repaired.
  func openForWriting(creates: Bool, recovers: Bool = true) async throws -> Library {
    var options = Library.Options()
    options.createsIfMissing = creates
    options.recoversOnOpen = recovers
    options.workerCount = settings.jobCount ?? Self.usualJobCount
    let library = try await Library.open(at: libraryPath(), options: options)
    if !library.recovery.isClean { tell(library.recovery) }
    return library
  }

  private func tell(_ recovery: RecoveryReport) {
    var text = "An earlier run was cut off; the library was repaired"
    if recovery.postponedCount > 0 {
      text += ", except for \(Quantity.count(recovery.postponedCount)) that cannot be finished now"
    }
    console.talk("\(text): \(FindingLines.counts(recovery.counts)).")
    console.json([
      ("type", .text("warning")), ("code", .text(SettleError.Code.interrupted.rawValue)),
      ("message", .text(text)), ("findings", FindingLines.json(recovery.counts)),
    ])
  }

  /// As many as the machine has processors, within bounds that suit one disk.
  private static var usualJobCount: Int {
    min(8, max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  }
}
