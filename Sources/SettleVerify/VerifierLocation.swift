import SettleCore
import SettleFiles
import SettleProcess

/// Where `settle-verify` may be.
package struct VerifierLocation: Sendable {
  /// The program's name.
  package static let programName = "settle-verify"

  /// A path that the user set. When it is there, nothing else is tried.
  package var chosen: [UInt8]?
  /// The folder of the running program.
  package var ownFolder: [UInt8]?
  /// Folders to search, separated by colons.
  package var searchPath: [UInt8]

  /// Explicit candidates.
  package init(chosen: [UInt8]? = nil, ownFolder: [UInt8]? = nil, searchPath: [UInt8] = []) {
    self.chosen = chosen
    self.ownFolder = ownFolder
    self.searchPath = searchPath
  }

  /// The candidates of this process: `SETTLE_VERIFY`, its own folder, `PATH`.
  package static var current: VerifierLocation {
    let chosen = environmentValue("SETTLE_VERIFY")
    return VerifierLocation(
      chosen: chosen?.isEmpty == true ? nil : chosen, ownFolder: runningProgramFolder(),
      searchPath: environmentValue("PATH") ?? [])
  }

  /// The program's path; throws `toolMissing`.
  package func find() throws(SettleError) -> BytePath {
    if let chosen {
      guard isExecutableFile(chosen) else {
        throw SettleError(
          .toolMissing, stage: .verification, subject: chosen, detail: "named by SETTLE_VERIFY")
      }
      return BytePath(chosen)
    }
    let name = Array(Self.programName.utf8)
    if let ownFolder {
      let neighbour = BytePath(ownFolder).appending(name)
      if isExecutableFile(neighbour.bytes) { return neighbour }
    }
    guard let found = findExecutable(named: name, path: searchPath) else {
      throw SettleError(
        .toolMissing, stage: .verification, subject: name,
        detail: "not beside the running program and not in PATH")
    }
    return BytePath(found)
  }
}
