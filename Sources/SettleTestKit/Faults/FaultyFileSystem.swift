import SettleCore
import SettleFiles

/// Any file system, with operations that fail by a plan.
///
/// Operations have the names of the seam's calls, such as `createFile`, `sync` and `publish`. After
/// a crash each one fails with ``crashNumber`` and does nothing, as if the process had ended; only
/// handles are still closed, so that a test leaves none open.
package struct FaultyFileSystem: FileSystem {
  /// The error number of every call after a crash; no system uses it.
  package static let crashNumber: Int32 = 9999

  private let base: any FileSystem
  /// What fails.
  package let plan: FaultPlan

  /// A file system on top of another one.
  package init(base: any FileSystem, plan: FaultPlan) {
    self.base = base
    self.plan = plan
  }

  /// Asks the plan; returns how many bytes a write or read may take.
  @discardableResult
  private func ask(_ point: FaultPoint) throws(FileError) -> Int {
    try plan.askForCall(point) ?? point.byteCount ?? 0
  }

  private func ask(
    _ call: String, _ subject: [UInt8] = [], needsSpace: Bool = false
  ) throws(FileError) {
    try ask(FaultPoint(call, subject: subject, needsSpace: needsSpace))
  }
}

extension FaultPlan {
  /// Asks about a call of the file system seam: throws its failure, and returns a limit of bytes
  /// when it is to be short.
  package func askForCall(_ point: FaultPoint) throws(FileError) -> Int? {
    switch ask(point, at: .call) {
    case .error(let number): throw FileError(point.kind, number)
    case .crash: throw FileError("crash", FaultyFileSystem.crashNumber)
    case .short(let count): return count
    case .throwing, .held, .delayed, nil: return nil
    }
  }
}

extension FaultyFileSystem {
  package func openFolder(at path: BytePath) throws(FileError) -> Handle {
    try ask("openFolder", path.bytes)
    return try base.openFolder(at: path)
  }

  package func openFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try ask("openFolder", name.bytes)
    return try base.openFolder(name, in: folder)
  }

  package func makeFolder(at path: BytePath) throws(FileError) -> Bool {
    try ask("makeFolder", path.bytes, needsSpace: true)
    return try base.makeFolder(at: path)
  }

  package func makeFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Bool {
    try ask("makeFolder", name.bytes, needsSpace: true)
    return try base.makeFolder(name, in: folder)
  }

  package func list(
    _ folder: Handle, _ body: (FileName, FileKind) -> Bool
  ) throws(FileError) {
    try ask("list")
    try base.list(folder, body)
  }

  package func syncFolder(_ folder: Handle) throws(FileError) {
    try ask("syncFolder")
    try base.syncFolder(folder)
  }

  package func removeFolder(_ name: FileName, in folder: Handle) throws(FileError) {
    try ask("removeFolder", name.bytes)
    try base.removeFolder(name, in: folder)
  }

  package func openSource(_ path: BytePath, followsLink: Bool) throws(FileError) -> Handle {
    try ask("openSource", path.bytes)
    return try base.openSource(path, followsLink: followsLink)
  }

  package func status(at path: BytePath, followsLink: Bool) throws(FileError) -> FileStatus {
    try ask("status", path.bytes)
    return try base.status(at: path, followsLink: followsLink)
  }

  package func openFile(_ name: FileName, in folder: Handle) throws(FileError) -> Handle {
    try ask("openFile", name.bytes)
    return try base.openFile(name, in: folder)
  }

  package func createFile(
    _ name: FileName, in folder: Handle, mode: UInt32
  ) throws(FileError) -> Handle {
    try ask("createFile", name.bytes, needsSpace: true)
    return try base.createFile(name, in: folder, mode: mode)
  }

  package func status(of handle: Handle) throws(FileError) -> FileStatus {
    try ask("status")
    return try base.status(of: handle)
  }

  package func status(_ name: FileName, in folder: Handle) throws(FileError) -> FileStatus {
    try ask("status", name.bytes)
    return try base.status(name, in: folder)
  }

  package func read(
    _ handle: Handle, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    let count = try ask(FaultPoint("read", byteCount: buffer.count))
    return try base.read(handle, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
  }

  package func rewind(_ handle: Handle) throws(FileError) {
    try ask("rewind")
    try base.rewind(handle)
  }

  package func write(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) throws(FileError) -> Int {
    let count = try ask(FaultPoint("write", byteCount: bytes.count, needsSpace: true))
    return try base.write(handle, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }

  package func clone(_ source: Handle, to target: Handle) -> Bool {
    do throws(FileError) {
      try ask("clone", needsSpace: true)
      return base.clone(source, to: target)
    } catch {
      // The seam's answer to any trouble with sharing blocks: the bytes are copied instead.
      return false
    }
  }

  package func setMode(_ handle: Handle, _ mode: UInt32) throws(FileError) {
    try ask("setMode")
    try base.setMode(handle, mode)
  }

  package func startWriteback(_ handle: Handle) {
    if !plan.hasCrashed { base.startWriteback(handle) }
  }

  package func sync(_ handle: Handle) throws(FileError) {
    try ask("sync")
    try base.sync(handle)
  }

  package func close(_ handle: Handle) { base.close(handle) }

  package func publish(
    _ name: FileName, in folder: Handle, as target: FileName, in targetFolder: Handle
  ) throws(FileError) {
    try ask("publish", name.bytes)
    try base.publish(name, in: folder, as: target, in: targetFolder)
  }

  package func remove(_ name: FileName, in folder: Handle) throws(FileError) {
    try ask("remove", name.bytes)
    try base.remove(name, in: folder)
  }

  package func freeByteCount(_ handle: Handle) throws(FileError) -> Int64 {
    try ask("freeByteCount")
    return try base.freeByteCount(handle)
  }

  package func isNetwork(_ handle: Handle) throws(FileError) -> Bool {
    try ask("isNetwork")
    return try base.isNetwork(handle)
  }

  package func lock(_ handle: Handle) throws(FileError) -> Bool {
    try ask("lock")
    return try base.lock(handle)
  }

  package func unlock(_ handle: Handle) { base.unlock(handle) }

  package func isLocked(_ handle: Handle) throws(FileError) -> Bool {
    try ask("isLocked")
    return try base.isLocked(handle)
  }
}
