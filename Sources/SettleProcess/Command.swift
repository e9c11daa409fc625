import CSettleSystem

/// A program to start, with its arguments as bytes.
package struct Command: Sendable {
  /// Where a standard stream of the child leads.
  package enum Stream: Sendable, Hashable {
    /// To nowhere: `/dev/null`.
    case null
    /// To this process, which reads or writes the other end.
    case pipe
    /// Where this process's own stream leads.
    case inherited
  }

  /// The program's path. It is never looked up; see ``findExecutable(named:path:)``.
  package var executable: [UInt8]
  /// The arguments, without the program's name.
  package var arguments: [[UInt8]]
  /// The environment as `NAME=value`; nil passes on this process's own.
  package var environment: [[UInt8]]?
  /// Where the child reads from. A pipe is a socket, so that writing to a dead child is an error
  /// and never a signal.
  package var input = Stream.null
  /// Where the child writes its results.
  package var output = Stream.pipe
  /// Where the child writes its complaints.
  package var errors = Stream.pipe

  /// A command with standard input from nowhere and both outputs to this process.
  package init(_ executable: [UInt8], _ arguments: [[UInt8]] = []) {
    self.executable = executable
    self.arguments = arguments
  }
}

/// This process's environment with some variables replaced or added.
package func environment(replacing changes: [(name: String, value: String)]) -> [[UInt8]] {
  var entries: [[UInt8]] = []
  var next = settle_environment()
  while let entry = next?.pointee {
    let bytes = Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry)))
    let isReplaced = changes.contains { bytes.starts(with: Array("\($0.name)=".utf8)) }
    if !isReplaced { entries.append(bytes) }
    next = next.map { $0 + 1 }
  }
  return entries + changes.map { Array("\($0.name)=\($0.value)".utf8) }
}

/// One variable of this process's environment as bytes; nil when unset.
package func environmentValue(_ name: String) -> [UInt8]? {
  getenv(name).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
}

/// Finds a program by name in a list of folders such as `PATH`; nil when none holds it.
///
/// A name with a slash is a path and is only checked. Complexity: linear in the folders.
package func findExecutable(named name: [UInt8], path: [UInt8]) -> [UInt8]? {
  let slash = UInt8(ascii: "/")
  if name.contains(slash) { return isExecutableFile(name) ? name : nil }
  guard !name.isEmpty else { return nil }
  for folder in path.split(separator: UInt8(ascii: ":")) where folder.first == slash {
    let candidate = Array(folder) + [slash] + name
    if isExecutableFile(candidate) { return candidate }
  }
  return nil
}

/// True for a regular file that this process may execute.
package func isExecutableFile(_ path: [UInt8]) -> Bool {
  guard !path.isEmpty, !path.contains(0) else { return false }
  return (path.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { pointer in
    var information = stat()
    guard stat(pointer.baseAddress!, &information) == 0 else { return false }
    return information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG)
      && access(pointer.baseAddress!, X_OK) == 0
  }
}

/// The folder that holds the running program; nil when the system does not say.
package func runningProgramFolder() -> [UInt8]? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = settle_executable_path(&buffer, buffer.count)
  guard count > 0, count < buffer.count else { return nil }
  let path = buffer[..<count].map(UInt8.init(bitPattern:))
  guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
  return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
}
