import CSettleSystem
import Settle
import SettleTerminal

/// Looks at tools, rights, disk and library, and changes nothing.
struct Examination {
  let library: BytePath

  /// Free space below which the doctor speaks up.
  private static let scarceByteCount: Int64 = 1_000_000_000

  /// All findings. Blocks; the library's own state is added by the caller.
  func run() -> [Diagnosis] {
    [version(), verifier()] + place()
  }

  private func version() -> Diagnosis {
    Diagnosis(subject: "settle", health: .ok, finding: "version \(ToolVersion.text)")
  }

  /// Starts the helper once: that it is there does not say that it runs.
  private func verifier() -> Diagnosis {
    let pool = VerifierPool()
    defer { pool.close() }
    do throws(SettleError) {
      let path = try VerifierLocation.current.find()
      try pool.prepare()
      return Diagnosis(
        subject: "verifier", health: .ok, finding: "\(shown(pool.engine.utf8)) in \(path)")
    } catch {
      return Diagnosis(
        subject: "verifier", health: .problem, finding: error.message,
        next: "Put settle-verify beside settle or in PATH; without it nothing is imported.")
    }
  }

  /// The library's folder, or the nearest folder above it when there is none yet.
  private func place() -> [Diagnosis] {
    guard let (folder, descriptor) = nearestFolder() else {
      return [
        Diagnosis.problem("rights", SettleError(.permissionDenied, subject: library.bytes))
      ]
    }
    defer { close(descriptor) }
    return [rights(folder)] + partRights(folder) + [disk(descriptor), fileSystem(descriptor)]
  }

  private func rights(_ folder: BytePath) -> Diagnosis {
    let isWritable = folder.withCString { access($0, R_OK | W_OK | X_OK) } == 0
    guard isWritable else {
      return Diagnosis(
        subject: "rights", health: .problem, finding: "no permission to write in \(folder)",
        next: "Grant it, or name another library with --library.")
    }
    return Diagnosis(subject: "rights", health: .ok, finding: "may write in \(folder)")
  }

  /// The rights on what is in the library: one thing that may not be written stops every command
  /// that writes.
  private func partRights(_ folder: BytePath) -> [Diagnosis] {
    guard folder == library else { return [] }
    let places = ["staging", "documents", "quarantine", "trash"] + shards()
    var missing = places.filter { !allows(R_OK | W_OK | X_OK, $0) }
    missing += ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"]
      .filter { !allows(R_OK | W_OK, $0) }
    missing += ["library.lock"].filter { !allows(R_OK, $0) }
    guard let first = missing.first else { return [] }
    let others = missing.count - 1
    return [
      Diagnosis(
        subject: "rights", health: .problem,
        finding: "no permission to write to \(library.appending(first.utf8))"
          + (others > 0 ? " and \(Quantity.count(others)) more in the library" : ""),
        next: "Grant read and write permission on the whole library to whoever uses it.")
    ]
  }

  /// True when it may be used like this, and when it is not there: that is no matter of rights.
  private func allows(_ rights: Int32, _ name: String) -> Bool {
    library.appending(name.utf8).withCString { access($0, rights) == 0 || settle_errno() == ENOENT }
  }

  /// The folders of documents; none when they cannot be listed, which is a finding of its own.
  private func shards() -> [String] {
    let files = PosixFileSystem()
    guard let documents = try? files.openFolder(at: library.appending("documents".utf8)) else {
      return []
    }
    defer { files.close(documents) }
    var names: [String] = []
    try? files.list(documents) { name, kind in
      if kind == .folder {
        names.append("documents/" + String(decoding: name.bytes, as: UTF8.self))
      }
      return true
    }
    return names.sorted()
  }

  private func disk(_ descriptor: Int32) -> Diagnosis {
    let free: Int64
    do throws(FileError) {
      free = try PosixFileSystem().freeByteCount(Handle(descriptor))
    } catch {
      return Diagnosis.problem("disk", SettleError(error, stage: nil, subject: library.bytes))
    }
    let isScarce = free < Self.scarceByteCount
    return Diagnosis(
      subject: "disk", health: isScarce ? .warning : .ok,
      finding: Quantity.bytes(free) + " free",
      next: isScarce ? "Free some space before a large import." : "")
  }

  private func fileSystem(_ descriptor: Int32) -> Diagnosis {
    let kind = String(cString: settle_file_system_kind(descriptor))
    if settle_is_network(descriptor) == 1 {
      return Diagnosis(
        subject: "files", health: .problem, finding: "the library would be on a network (\(kind))",
        next: ErrorWording.of(.networkFileSystem).next)
    }
    if kind == "tmpfs" {
      return Diagnosis(
        subject: "files", health: .warning, finding: "tmpfs: its content ends with the machine",
        next: "Choose a folder on a disk for documents that you want to keep.")
    }
    return Diagnosis(subject: "files", health: .ok, finding: "file system \(kind)")
  }

  private func nearestFolder() -> (BytePath, Int32)? {
    var path = library
    while true {
      let descriptor = path.withCString {
        settle_openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY, 0)
      }
      if descriptor >= 0 { return (path, descriptor) }
      guard settle_errno() == ENOENT, let parent = path.parent, parent != path else { return nil }
      path = parent
    }
  }
}
