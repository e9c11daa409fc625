// Only Linux lets a program's own functions come before those of the C library.
#if os(Linux)
  import CSettleInterpose
  import CSettleSystem
  import SettleCore
  import SettleFiles
  import SettleTestKit

  /// Makes the C library's file calls fail by a plan, whoever makes them: Foundation, SQLite, or any
  /// other library that the program loads.
  ///
  /// ```swift
  /// let plan = FaultPlan(.at("write", 2, .noSpace))
  /// try Interposer.scope(plan) { try data.write(to: url, options: .atomic) }
  /// ```
  ///
  /// Kinds have the names of C: `open`, `openat` and `creat` are `open`, `renameat2` is `rename`,
  /// `pwrite64` is `pwrite`, and so on. Standard input, output and error never fail.
  public enum Interposer {
    /// Runs a body on this thread with its file calls under a plan. Other threads are not touched,
    /// so tests run side by side. Scopes may stand in each other; the inner plan alone is asked.
    ///
    /// The body cannot wait: a task may go on on another thread.
    public static func scope<Value>(
      _ plan: FaultPlan, _ body: () throws -> Value
    ) rethrows -> Value {
      var formerContext: UnsafeMutableRawPointer?
      let former = settle_interpose_thread(
        { context, call in
          guard let context, let call else { return -1 }
          let plan = Unmanaged<FaultPlan>.fromOpaque(context).takeUnretainedValue()
          return Interposer.answer(to: call, by: plan)
        }, Unmanaged.passUnretained(plan).toOpaque(), &formerContext)
      defer {
        var inner: UnsafeMutableRawPointer?
        _ = settle_interpose_thread(former, formerContext, &inner)
        // The calls of the body had the plan without owning it.
        withExtendedLifetime(plan) {}
      }
      return try body()
    }

    /// Does a call, or what the plan says in its place.
    private static func answer(
      to call: UnsafePointer<settle_call>, by plan: FaultPlan
    ) -> Int64 {
      var changed = call.pointee
      // What a program says to its terminal is no file operation.
      if changed.path == nil, (0...2).contains(changed.descriptor) {
        return settle_call_real(call)
      }
      switch plan.ask(point(of: changed), at: .call) {
      case .error(let number): return fail(number, changed)
      case .crash: return fail(EIO, changed)
      case .short(let count):
        changed.byte_count = count
        return Recordings.perform(&changed)
      case .throwing, .held, .delayed, nil: return Recordings.perform(call)
      }
    }

    /// A descriptor is gone after a failed close, as it is with the real one.
    private static func fail(_ number: Int32, _ call: settle_call) -> Int64 {
      var call = call
      if String(cString: call.name) == "close" { _ = settle_call_real(&call) }
      settle_set_errno(number)
      return -1
    }

    private static func point(of call: settle_call) -> FaultPoint {
      let kind = String(cString: call.name)
      let isTransfer = Self.transfers.contains(kind)
      let makes =
        (kind == "open" && call.flags & O_CREAT != 0) || Self.making.contains(kind)
        || (isTransfer && kind != "read" && kind != "pread")
      return FaultPoint(
        kind, subject: call.path.map(Self.bytes(of:)) ?? [],
        byteCount: isTransfer ? call.byte_count : nil, needsSpace: makes)
    }

    static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
      Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static let transfers: Set<String> = [
      "read", "pread", "write", "pwrite", "sendfile", "copy_file_range",
    ]
    private static let making: Set<String> = ["mkdir", "link", "symlink", "mkstemp"]
  }
#endif
