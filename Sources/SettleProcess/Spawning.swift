import CSettleSystem
import SettleCore

/// The descriptors that stay with this process after a start; -1 where there is no pipe.
struct ParentEnds {
  var input: Int32 = -1
  var output: Int32 = -1
  var errors: Int32 = -1
}

/// Starts a command in a process group of its own.
///
/// The child begins with an empty signal mask, default handlers and its three standard streams;
/// every other descriptor is closed, also those that other code forgot to mark.
func spawn(_ command: Command) throws(SettleError) -> (process: pid_t, ends: ParentEnds) {
  var streams = ChildStreams()
  defer { streams.closeChildEnds() }
  do {
    try streams.open(for: command)
    let process = try start(command, streams: streams)
    return (process, streams.parent)
  } catch {
    streams.closeParentEnds()
    throw error
  }
}

/// Both sides of the child's standard streams during a start.
private struct ChildStreams {
  var parent = ParentEnds()
  /// What the child's descriptors 0, 1 and 2 are made from; -1 for a stream without a pipe.
  var child: [Int32] = [-1, -1, -1]

  mutating func open(for command: Command) throws(SettleError) {
    if command.input == .pipe {
      let pair = try Self.pair("socketpair", settle_child_sockets)
      (parent.input, child[0]) = (pair[1], pair[0])
    }
    if command.output == .pipe {
      let pair = try Self.pair("pipe", settle_child_pipe)
      (parent.output, child[1]) = (pair[0], pair[1])
    }
    if command.errors == .pipe {
      let pair = try Self.pair("pipe", settle_child_pipe)
      (parent.errors, child[2]) = (pair[0], pair[1])
    }
  }

  private static func pair(
    _ call: String, _ make: (UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(SettleError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    guard make(&ends) == 0 else {
      throw SettleError(.toolFailed, cause: .init(call: call, number: settle_errno()))
    }
    return ends
  }

  func closeChildEnds() {
    for descriptor in child where descriptor >= 0 { close(descriptor) }
  }

  func closeParentEnds() {
    for descriptor in [parent.input, parent.output, parent.errors] where descriptor >= 0 {
      close(descriptor)
    }
  }
}

private func start(_ command: Command, streams: ChildStreams) throws(SettleError) -> pid_t {
  var actions = FileActions()
  defer { actions.destroy() }
  let kinds = [command.input, command.output, command.errors]
  for (number, kind) in kinds.enumerated() {
    actions.add(kind, source: streams.child[number], target: Int32(number))
  }
  actions.closeTheRest()
  var attributes = SpawnAttributes()
  defer { attributes.destroy() }
  attributes.prepare()

  let strings = CStringArray([command.executable] + command.arguments)
  let variables = command.environment.map(CStringArray.init)
  defer {
    strings.free()
    variables?.free()
  }
  var process: pid_t = 0
  let failure = posix_spawn(
    &process, strings.pointers[0]!, &actions.value, &attributes.value, strings.pointers,
    variables?.pointers ?? settle_environment())
  guard failure == 0 else { throw startError(command.executable, failure) }
  return process
}

private func startError(_ executable: [UInt8], _ number: Int32) -> SettleError {
  let isMissing = [ENOENT, EACCES, ENOTDIR, ENOEXEC, ELOOP, ENAMETOOLONG].contains(number)
  return SettleError(
    isMissing ? .toolMissing : .toolFailed, subject: executable,
    cause: .init(call: "posix_spawn", number: number))
}

/// The list of what happens to descriptors between fork and exec.
private struct FileActions {
  // Apple platforms declare the type as a pointer.
  #if os(Linux)
    var value = posix_spawn_file_actions_t()
  #else
    var value: posix_spawn_file_actions_t?
  #endif

  init() { posix_spawn_file_actions_init(&value) }

  mutating func add(_ kind: Command.Stream, source: Int32, target: Int32) {
    switch kind {
    case .null: posix_spawn_file_actions_addopen(&value, target, "/dev/null", O_RDWR, 0)
    case .pipe: posix_spawn_file_actions_adddup2(&value, source, target)
    case .inherited:
      // A dup2 onto itself clears close-on-exec, on every platform.
      posix_spawn_file_actions_adddup2(&value, target, target)
    }
  }

  mutating func closeTheRest() {
    // Apple platforms do the same by a flag of the attributes.
    #if os(Linux)
      settle_close_from(&value, 3)
    #endif
  }

  mutating func destroy() { posix_spawn_file_actions_destroy(&value) }
}

/// Group, signal mask and signal handlers of a new process.
private struct SpawnAttributes {
  // Apple platforms declare the type as a pointer.
  #if os(Linux)
    var value = posix_spawnattr_t()
  #else
    var value: posix_spawnattr_t?
  #endif

  init() { posix_spawnattr_init(&value) }

  mutating func prepare() {
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    sigdelset(&all, SIGKILL)
    sigdelset(&all, SIGSTOP)
    posix_spawnattr_setsigmask(&value, &none)
    posix_spawnattr_setsigdefault(&value, &all)
    posix_spawnattr_setpgroup(&value, 0)
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    // Linux closes the rest by a file action.
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawnattr_setflags(&value, Int16(flags))
  }

  mutating func destroy() { posix_spawnattr_destroy(&value) }
}

/// Strings as C wants them: an array of pointers that ends with nil.
private struct CStringArray {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [[UInt8]]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
      for (offset, byte) in string.enumerated() { copy[offset] = CChar(bitPattern: byte) }
      copy[string.count] = 0
      (pointers + index).initialize(to: copy)
    }
    (pointers + count).initialize(to: nil)
  }

  func free() {
    for index in 0..<count { pointers[index]?.deallocate() }
    pointers.deallocate()
  }
}
