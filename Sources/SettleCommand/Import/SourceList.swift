import Settle

/// The paths of an import: those on the command line, then those of `--files-from`.
enum SourceList {
  static func read(_ invocation: Invocation) async throws -> [ImportSource] {
    var paths = invocation.arguments
    if let list = invocation.options[.filesFrom] {
      let end: UInt8 = invocation.has(.null) ? 0 : UInt8(ascii: "\n")
      let bytes = try await InputFile.read(list)
      guard let bytes else {
        throw UsageError(
          message: "--files-from needs a file, and \(quoted(list)) is a folder.", command: .import)
      }
      paths += split(bytes, at: end)
    }
    return paths.map { ImportSource(BytePath($0)) }
  }

  /// The pieces between two ends, as bytes; empty ones name nothing and are left out.
  static func split(_ bytes: [UInt8], at end: UInt8) -> [[UInt8]] {
    bytes.split(separator: end).map(Array.init)
  }
}
