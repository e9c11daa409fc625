import CSettleSystem
import Settle

/// The paths of an import: those on the command line, then those of `--files-from`.
enum SourceList {
  static func read(_ invocation: Invocation) async throws -> [ImportSource] {
    var paths = invocation.arguments
    if let list = invocation.options[.filesFrom] {
      let end: UInt8 = invocation.has(.null) ? 0 : UInt8(ascii: "\n")
      let bytes = try await WorkerThread.run { () throws(SettleError) in try read(list) }
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

  /// The bytes of a file, nil for a folder.
  private static func read(_ path: [UInt8]) throws(SettleError) -> [UInt8]? {
    if path == [UInt8(ascii: "-")] { return try readAll(STDIN_FILENO, path) }
    let descriptor = (path + [0]).withUnsafeBytes {
      settle_openat(AT_FDCWD, $0.bindMemory(to: CChar.self).baseAddress, O_RDONLY, 0)
    }
    guard descriptor >= 0 else {
      let number = settle_errno()
      let code: SettleError.Code =
        number == ENOENT ? .notFound : number == EACCES ? .permissionDenied : .ioError
      throw SettleError(code, subject: path, cause: .init(call: "open", number: number))
    }
    defer { close(descriptor) }
    return try readAll(descriptor, path)
  }

  private static func readAll(
    _ descriptor: Int32, _ path: [UInt8]
  ) throws(SettleError) -> [UInt8]? {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes {
        CSettleSystem.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, settle_errno() == EINTR { continue }
      guard count >= 0 else {
        let number = settle_errno()
        if number == EISDIR { return nil }
        throw SettleError(.ioError, subject: path, cause: .init(call: "read", number: number))
      }
      if count == 0 { return all }
      all += piece[..<count]
    }
  }
}
