import CSettleSystem
import SettleCore

/// Threads for work that blocks, so that Swift's few task threads never wait for a disk (RUN-12).
package enum WorkerThread {
  /// Runs a body on a new detached thread. Fails when the system has no thread to give.
  ///
  /// The stack has the system's usual size unless one is given.
  package static func start(
    stackByteCount: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) throws(SettleError) {
    let box = Unmanaged.passRetained(Body(run: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    if let stackByteCount { pthread_attr_setstacksize(&attributes, stackByteCount) }
    var thread = emptyThread()
    let result = pthread_create(&thread, &attributes, enter, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw SettleError(
        .unexpected, detail: "no thread could be started",
        cause: .init(call: "pthread_create", number: result))
    }
  }

  /// Runs a blocking body on a thread of its own and waits for it without blocking a task thread.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(SettleError) -> Value
  ) async throws(SettleError) -> Value {
    let result: Result<Value, SettleError> = await withCheckedContinuation { continuation in
      do throws(SettleError) {
        try start {
          do throws(SettleError) {
            continuation.resume(returning: .success(try body()))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get()
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }

  #if canImport(Darwin)
    // pthread_t is an optional pointer on Apple platforms and its entry point's argument is not.
    private static func emptyThread() -> pthread_t? { nil }
    private static let enter: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
      { argument in
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }
  #else
    // pthread_t is a number on Linux and the entry point's argument is optional.
    private static func emptyThread() -> pthread_t { pthread_t() }
    private static let enter:
      @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }
  #endif
}
