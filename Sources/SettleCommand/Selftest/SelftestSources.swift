import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestKit

/// The sources of one cell, on the real file system.
struct SelftestSources: Sendable {
  let folder: DemoFolder
  let path: BytePath
  let kind: SelftestSource
  /// What was written; the first content of one that changes.
  let bytes: [UInt8]
  /// What is imported.
  let named: BytePath
  /// The file with the bytes.
  let file: BytePath
  private let socketNumber: Int32?

  /// Makes them in a new folder. Throws ``CellSkipped`` for a kind that cannot be made here.
  init(
    _ kind: SelftestSource, _ bytes: [UInt8], in folder: DemoFolder, name: String
  ) throws {
    self.folder = folder
    self.kind = kind
    self.bytes = bytes
    path = try folder.makeFolder(name)
    let own = path.appending(kind.name)
    var file = own
    var named = own
    var socketNumber: Int32?
    switch kind {
    case .regular, .lineEnd, .notUTF8, .turning, .growing, .growingOnce, .replaced:
      try Self.write(bytes, own, folder)
    case .inFolder:
      try Self.write(bytes, own, folder)
      named = path
    case .hardLink, .link:
      file = path.appending(Array("target.pdf".utf8))
      try folder.write(bytes, to: file)
      let made = file.withCString { target in
        own.withCString { kind == .link ? symlink(target, $0) : link(target, $0) }
      }
      try Self.check(made, "link", own, kind)
    case .unreadable:
      if getuid() == 0 { throw CellSkipped(reason: "root may read every file") }
      try folder.write(bytes, to: own)
      try Self.check(own.withCString { chmod($0, 0) }, "chmod", own, kind)
    case .missing: break
    case .dangling:
      try Self.check(own.withCString { symlink("nowhere.pdf", $0) }, "symlink", own, kind)
    case .pipe: try Self.check(own.withCString { mkfifo($0, 0o600) }, "mkfifo", own, kind)
    case .socket: socketNumber = try Self.makeSocket(at: own)
    case .device: named = "/dev/null"
    }
    self.file = file
    self.named = named
    self.socketNumber = socketNumber
  }

  /// Ends the socket, if there is one.
  func close() { if let socketNumber { CSettleSystem.close(socketNumber) } }

  /// A file system that refuses the name cannot be asked to import it.
  private static func write(_ bytes: [UInt8], _ path: BytePath, _ folder: DemoFolder) throws {
    do throws(SettleError) {
      try folder.write(bytes, to: path)
    } catch {
      guard error.cause?.number == EILSEQ || error.cause?.number == EINVAL else { throw error }
      throw CellSkipped(reason: "this file system refuses the name")
    }
  }

  /// Fails, or says that the file system has nothing of the kind.
  private static func check(
    _ result: Int32, _ call: String, _ path: BytePath, _ kind: SelftestSource
  ) throws {
    if result == 0 { return }
    let number = settle_errno()
    if [ENOTSUP, EPERM, ENOSYS].contains(number) {
      throw CellSkipped(reason: "this file system makes none (\(call), error \(number))")
    }
    throw SettleError(.ioError, subject: path.bytes, cause: .init(call: call, number: number))
  }

  /// A socket's address is short, so it is bound in its folder by its name alone where its path
  /// would not fit; that cell is skipped where there is no such way.
  private static func makeSocket(at path: BytePath) throws -> Int32 {
    let number = socket(AF_UNIX, streamSocket, 0)
    guard number >= 0 else {
      throw SettleError(
        .ioError, subject: path.bytes, cause: .init(call: "socket", number: settle_errno()))
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      CSettleSystem.close(number)
      throw CellSkipped(reason: "the folder's path is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.bytes) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if bound == 0 { return number }
    defer { CSettleSystem.close(number) }
    try check(bound, "bind", path, .socket)
    return number
  }

  /// An enumeration of four bytes on Linux, a number elsewhere.
  private static var streamSocket: Int32 {
    withUnsafeBytes(of: SOCK_STREAM) { $0.loadUnaligned(as: Int32.self) }
  }

  // MARK: While it is copied

  /// Changes the source, as its kind does it at the n-th copy.
  func change(copy number: Int) throws {
    switch kind {
    case .growing: try append(Array("% \(number)\n".utf8))
    case .growingOnce where number == 1: try append(Array("%%EOF\n".utf8))
    case .replaced:
      _ = file.withCString { unlink($0) }
      try folder.write(bytes + Array("% \(number)\n".utf8), to: file)
    default: break
    }
  }

  private func append(_ more: [UInt8]) throws {
    let descriptor = file.withCString { settle_openat(AT_FDCWD, $0, O_WRONLY | O_APPEND, 0) }
    guard descriptor >= 0 else {
      throw SettleError(
        .ioError, subject: file.bytes, cause: .init(call: "open", number: settle_errno()))
    }
    defer { CSettleSystem.close(descriptor) }
    try PosixFileSystem().writeAll(Handle(descriptor), more)
  }

  /// The bytes as they are now.
  func contents() throws -> [UInt8] {
    let files = PosixFileSystem()
    let handle = try files.openSource(file, followsLink: false)
    defer { files.close(handle) }
    return try files.readStart(of: handle, byteCount: 1 << 20)
  }
}

/// A cell that this machine cannot run, and why.
struct CellSkipped: Error {
  var reason: String
}
