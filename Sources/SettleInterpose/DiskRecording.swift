// Only Linux lets a program's own functions come before those of the C library.
#if os(Linux)
  import CSettleInterpose
  import CSettleSystem
  import SettleCore
  import SettleFiles
  import SettleTestKit
  import Synchronization

  extension CrashDisk {
    /// Records every change below a folder of the real disk, by any thread and any library of this
    /// process, while a body runs. What is there before counts as durable.
    ///
    /// ```swift
    /// let (disk, _) = try await CrashDisk.recording(folder) { try await importEverything() }
    /// let report = await disk.reopen { image in
    ///   try image.write(to: fresh)
    ///   …
    /// }
    /// ```
    ///
    /// At the end the record is compared with the disk: changes by a mapping, by another process or
    /// by a call that is not known here throw ``RecordingGap``. `isUnchecked` excludes files that
    /// are written by a mapping and made anew after a crash, such as SQLite's `-shm`. Recordings of
    /// different folders run side by side.
    public static func recording<Value>(
      _ folder: BytePath, isUnchecked: (BytePath) -> Bool = { _ in false },
      isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> (disk: CrashDisk, value: Value) {
      let recording = try DiskRecording(folder)
      Recordings.add(recording)
      let value: Value
      do {
        value = try await body()
      } catch {
        Recordings.remove(recording)
        throw error
      }
      Recordings.remove(recording)
      try recording.compare(isUnchecked)
      return (recording.disk, value)
    }
  }

  /// The record does not say what the disk holds: something changed it unseen.
  public struct RecordingGap: Error, Sendable, CustomStringConvertible {
    /// What differs.
    public var paths: [BytePath]

    /// Each of them.
    public var description: String {
      "the record differs from the disk at: "
        + paths.map { quoted($0.bytes) }.joined(separator: ", ")
    }
  }

  /// Which recordings there are. The C library's calls have no one to hand a recording to; each
  /// call finds its own by the folder.
  enum Recordings {
    private static let all = Mutex<[DiskRecording]>([])

    static func add(_ recording: DiskRecording) {
      all.withLock { $0.append(recording) }
      settle_interpose_everywhere({ _, call in call.map(Recordings.perform) ?? -1 }, 1)
    }

    static func remove(_ recording: DiskRecording) {
      settle_interpose_everywhere({ _, call in call.map(Recordings.perform) ?? -1 }, -1)
      all.withLock { $0.removeAll { $0 === recording } }
    }

    /// Does a call, and records it where it belongs.
    static func perform(_ call: UnsafePointer<settle_call>) -> Int64 {
      let recording = all.withLock { all in all.first { $0.claims(call.pointee) } }
      return recording?.perform(call) ?? settle_call_real(call)
    }
  }

  /// The record of one folder.
  final class DiskRecording: Sendable {
    /// An open file below the folder; device and number tell whether the descriptor still is it.
    private struct Opened: Sendable {
      var inode: Int
      var device: UInt64
      var number: UInt64
    }

    let disk: CrashDisk
    private let folder: BytePath
    private let roots: [[UInt8]]
    private let opened = Mutex<[Int32: Opened]>([:])

    init(_ folder: BytePath) throws {
      self.folder = folder
      disk = CrashDisk()
      let resolved = folder.withCString { path -> [UInt8]? in
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return Interposer.bytes(of: found)
      }
      roots = Array(Set([folder.bytes, resolved ?? folder.bytes]))
      for (path, content) in try Self.contents(of: folder).sorted(by: { $0.path < $1.path }) {
        if let content {
          try disk.create(path.bytePath)
          if !content.isEmpty { try disk.write(content, to: path.bytePath) }
        } else {
          try disk.makeFolder(path.bytePath)
        }
      }
      disk.begin()
    }

    // MARK: Which calls are ours

    /// True when a call is about something below the folder.
    func claims(_ call: settle_call) -> Bool {
      if call.path != nil {
        return path(call.path, call.descriptor) != nil
          || path(call.target, call.target_descriptor) != nil
      }
      return opened.withLock { $0[call.descriptor] != nil }
    }

    /// The path in the record; nil when it is somewhere else.
    private func path(_ text: UnsafePointer<CChar>?, _ below: Int32) -> [UInt8]? {
      guard let text else { return nil }
      let bytes = Interposer.bytes(of: text)
      if bytes.first == UInt8(ascii: "/") {
        for root in roots where bytes.starts(with: root) {
          let rest = Array(bytes.dropFirst(root.count))
          if rest.isEmpty { return [0x2F] }
          if rest.first == UInt8(ascii: "/") { return rest }
        }
        return nil
      }
      guard let parent = inode(of: below) else { return nil }
      if bytes == [UInt8(ascii: ".")] { return disk.path(of: parent) }
      let above = disk.path(of: parent)
      return above == [0x2F] ? above + bytes : above + [0x2F] + bytes
    }

    /// The inode of a descriptor, when it is still the file that was opened.
    private func inode(of descriptor: Int32) -> Int? {
      opened.withLock { opened in
        guard let known = opened[descriptor] else { return nil }
        var information = stat()
        guard fstat(descriptor, &information) == 0, UInt64(information.st_dev) == known.device,
          UInt64(information.st_ino) == known.number
        else {
          // Closed inside of the C library, and used again for something else.
          opened[descriptor] = nil
          return nil
        }
        return known.inode
      }
    }

    // MARK: Doing and recording

    /// Calls that change nothing and open nothing.
    private static let reading: Set<String> = ["read", "pread", "fchmod", "fchown"]
    private let turn = Mutex(())
    private let missed = Mutex<[BytePath]>([])

    /// Does a call and records what it did; one at a time, so that the record has the disk's order.
    func perform(_ call: UnsafePointer<settle_call>) -> Int64 {
      let name = String(cString: call.pointee.name)
      if Self.reading.contains(name) { return settle_call_real(call) }
      return turn.withLock { _ in
        let source = path(call.pointee.path, call.pointee.descriptor)
        let target = path(call.pointee.target, call.pointee.target_descriptor)
        let inode = call.pointee.path == nil ? inode(of: call.pointee.descriptor) : nil
        let result = settle_call_real(call)
        guard result >= 0 else { return result }
        let number = settle_errno()
        do {
          if let inode {
            record(name, call.pointee, inode, result)
          } else {
            try record(name, call.pointee, (source, target), result)
          }
        } catch {
          // The call is done; that the record could not follow is told at the end.
          missed.withLock { $0.append(BytePath(source ?? target ?? [])) }
        }
        settle_set_errno(number)
        return result
      }
    }

    /// A call about an open file.
    private func record(_ name: String, _ call: settle_call, _ inode: Int, _ result: Int64) {
      let count = Int(result)
      switch name {
      case "close": opened.withLock { $0[call.descriptor] = nil }
      case "dup": remember(Int32(result), inode)
      case "write" where count > 0:
        let end = Int(lseek(call.descriptor, 0, SEEK_CUR))
        let bytes = [UInt8](UnsafeRawBufferPointer(start: call.bytes, count: count))
        disk.recordWrite(bytes, to: inode, at: end - count)
      case "pwrite" where count > 0:
        let bytes = [UInt8](UnsafeRawBufferPointer(start: call.bytes, count: count))
        disk.recordWrite(bytes, to: inode, at: Int(call.offset))
      case "sendfile" where count > 0, "copy_file_range" where count > 0:
        let end = Int(lseek(call.descriptor, 0, SEEK_CUR))
        let bytes = Self.readBack(call.descriptor, end - count, count)
        disk.recordWrite(bytes, to: inode, at: end - count)
      case "ftruncate": disk.recordResize(of: inode, to: Int(call.offset))
      case "fsync", "fdatasync": disk.recordSync(of: inode)
      default: return
      }
    }

    /// A call about names.
    private func record(
      _ name: String, _ call: settle_call, _ paths: (source: [UInt8]?, target: [UInt8]?),
      _ result: Int64
    ) throws {
      let source = paths.source.map { BytePath($0) }
      let target = paths.target.map { BytePath($0) }
      switch (name, source, target) {
      case ("open", let path?, _):
        remember(
          Int32(result),
          try disk.recordOpen(path.bytes, truncates: call.flags & O_TRUNC != 0))
      case ("mkstemp", _, _):
        // The name is known only now: the call has written it.
        guard let made = self.path(call.path, call.descriptor) else { return }
        remember(Int32(result), try disk.recordOpen(made, truncates: false))
      case ("rename", let old?, let new?): try disk.rename(old, to: new)
      case ("rename", let old?, nil): try disk.remove(old)
      case ("link", let old?, let new?): try disk.link(old, to: new)
      case ("unlink", let path?, _): try disk.remove(path)
      case ("mkdir", let path?, _): try disk.makeFolder(path)
      case ("truncate", let path?, _): try disk.resize(path, to: Int(call.offset))
      default: return
      }
    }

    private func remember(_ descriptor: Int32, _ inode: Int) {
      var information = stat()
      guard fstat(descriptor, &information) == 0 else { return }
      opened.withLock {
        $0[descriptor] = Opened(
          inode: inode, device: UInt64(information.st_dev), number: UInt64(information.st_ino))
      }
    }

    /// What a call moved inside of the kernel, read from the file, which may be open for writing only.
    private static func readBack(_ descriptor: Int32, _ offset: Int, _ count: Int) -> [UInt8] {
      let reader = settle_openat(AT_FDCWD, "/proc/self/fd/\(descriptor)", O_RDONLY, 0)
      guard reader >= 0 else { return [] }
      defer { close(reader) }
      var bytes = [UInt8](repeating: 0, count: count)
      let found = pread(reader, &bytes, count, off_t(offset))
      return Array(bytes.prefix(max(0, found)))
    }

    // MARK: The comparison

    /// Throws when the record is not what the disk holds.
    func compare(_ isUnchecked: (BytePath) -> Bool) throws {
      var real: [BytePath: [UInt8]?] = [:]
      for (path, content) in try Self.contents(of: folder) { real[path.bytePath] = .some(content) }
      let recorded = disk.tree
      let missed = missed.withLock { $0 }
      let different =
        missed
        + Set(real.keys).union(recorded.keys).filter {
          real[$0] != recorded[$0] && !isUnchecked($0)
        }
      if !different.isEmpty {
        throw RecordingGap(paths: different.sorted { "\($0)" < "\($1)" })
      }
    }

    /// A path as it sorts: folders before what is in them.
    private struct SortedPath: Comparable {
      var bytePath: BytePath
      static func < (left: SortedPath, right: SortedPath) -> Bool {
        left.bytePath.bytes.lexicographicallyPrecedes(right.bytePath.bytes)
      }
    }

    /// Everything below a folder of the real disk; folders have no content.
    private static func contents(
      of folder: BytePath
    ) throws -> [(path: SortedPath, content: [UInt8]?)] {
      do throws(FileError) {
        var found: [(path: SortedPath, content: [UInt8]?)] = []
        try collect(folder, [], PosixFileSystem(), &found)
        return found
      } catch {
        throw SettleError(error, stage: .access, subject: folder.bytes)
      }
    }

    private static func collect(
      _ folder: BytePath, _ path: [UInt8], _ files: PosixFileSystem,
      _ found: inout [(path: SortedPath, content: [UInt8]?)]
    ) throws(FileError) {
      let handle = try files.openFolder(at: folder)
      defer { files.close(handle) }
      var names: [(FileName, FileKind)] = []
      try files.list(handle) { name, kind in
        names.append((name, kind))
        return true
      }
      for (name, kind) in names {
        let below = path + [0x2F] + name.bytes
        if kind == .folder {
          found.append((SortedPath(bytePath: BytePath(below)), nil))
          try collect(folder.appending(name.bytes), below, files, &found)
        } else if kind == .regular {
          let file = try files.openFile(name, in: handle)
          defer { files.close(file) }
          let size = Int(try files.status(of: file).byteCount)
          let content = try files.readStart(of: file, byteCount: size)
          found.append((SortedPath(bytePath: BytePath(below)), content))
        }
      }
    }
  }
#endif
