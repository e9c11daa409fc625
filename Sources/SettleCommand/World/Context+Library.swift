import CSettleSystem
import Settle

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
    if !library.recovery.isClean {
      let counts = FindingLines.counts(library.recovery.counts)
      console.talk("An earlier run was cut off; the library was repaired: \(counts).")
      console.json([
        ("type", .text("warning")), ("code", .text(SettleError.Code.interrupted.rawValue)),
        ("message", .text("an earlier run was cut off; the library was repaired")),
        ("findings", FindingLines.json(library.recovery.counts)),
      ])
    }
    return library
  }

  /// As many as the machine has processors, within bounds that suit one disk.
  private static var usualJobCount: Int {
    min(8, max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  }
}
