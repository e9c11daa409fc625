import SettleCore

extension Context {
  /// Runs work that ends early when its task is cancelled: the first signal cancels it, the second
  /// leaves at once with these last JSON lines. A signal after the work comes too late.
  func cancellable<Value: Sendable>(
    saying text: String = "Stopping. A second signal leaves now.",
    lastLines: (@Sendable (Int32) -> [[(String, JSON)]])? = nil,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    let usual: @Sendable (Int32) -> [[(String, JSON)]] = {
      [command = invocation.command ?? .export] number in
      Interruptions.lastLines(of: command, number)
    }
    let handler = Interruptions.Handler(
      cancel: { [console] _ in
        task.cancel()
        console.urgent(text)
      }, lastLines: lastLines ?? usual)
    interruptions.handle(with: handler)
    let result = await task.result
    // A signal that came during the work is handled; only one that comes from now on is too late.
    interruptions.replace(with: handler.afterWork(console))
    return try result.get()
  }
}
