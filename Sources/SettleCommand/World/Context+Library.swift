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
    if let jobCount = settings.jobCount { options.workerCount = jobCount }
    let library = try await Library.open(at: libraryPath(), options: options)
    if !library.recovery.isClean {
      let counts = FindingLines.counts(library.recovery.counts)
      console.talk("An earlier run was cut off; the library was repaired: \(counts).")
    }
    return library
  }
}
