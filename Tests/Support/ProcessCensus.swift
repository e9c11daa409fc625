import CSettleSystem

/// Counts what a test may have left behind in this process. Linux only; nil elsewhere.
package enum ProcessCensus {
  /// The open descriptors of this process.
  package static func descriptors() -> Set<Int32>? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var found: Set<Int32> = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = Int32(name), number != dirfd(folder) { found.insert(number) }
    }
    return found
  }

  /// Ends this process with a message when descriptors are open that were not before.
  ///
  /// The test runner's timers and event queues come and go; Settle has none of these.
  package static func requireNothingOpen(since before: Set<Int32>?) {
    let runners = ["timerfd", "eventfd", "eventpoll"].map { "anon_inode:[\($0)]" }
    let left = (descriptors() ?? []).subtracting(before ?? []).map(target(of:))
      .filter { !runners.contains($0) }
    precondition(left.isEmpty, "left open: \(left)")
  }

  private static func target(of descriptor: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The state letter of a process, such as `Z` for a zombie; nil when there is none.
  package static func state(of process: pid_t) -> Character? {
    guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 512)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    let line = String(decoding: buffer.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let parenthesis = line.lastIndex(of: ")") else { return nil }
    return line[parenthesis...].dropFirst(2).first
  }
}

extension ProcessCensus {
  /// The processes that a process has started and that have not been collected.
  package static func children(of parent: pid_t) -> [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let process = pid_t(name), self.parent(of: process) == parent { found.append(process) }
    }
    return found
  }

  private static func parent(of process: pid_t) -> pid_t? {
    guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 512)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    let line = String(decoding: buffer.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let parenthesis = line.lastIndex(of: ")") else { return nil }
    let fields = line[parenthesis...].split(separator: " ")
    return fields.count > 2 ? pid_t(fields[2]) : nil
  }

  /// Waits until a process has ended, collected or not. False when it has not in time.
  package static func waitForEnd(of process: pid_t, atMost limit: Duration = .seconds(10)) -> Bool {
    let deadline = ContinuousClock.now + limit
    while let state = state(of: process), state != "Z", state != "X" {
      if ContinuousClock.now > deadline { return false }
      sched_yield()
    }
    return true
  }
}
