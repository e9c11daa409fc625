import CSettleSystem
import SettleCore
import SettleFiles

/// A whole file that the command line names; `-` is standard input.
enum InputFile {
  /// Its bytes, read on a thread of its own; nil for a folder.
  static func read(_ path: [UInt8]) async throws(SettleError) -> [UInt8]? {
    try await WorkerThread.run { () throws(SettleError) in try readNow(path) }
  }

  /// The bytes of a file, nil for a folder.
  private static func readNow(_ path: [UInt8]) throws(SettleError) -> [UInt8]? {
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
