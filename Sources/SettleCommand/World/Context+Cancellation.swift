import SettleCore

extension Context {
  /// Runs work that ends early when its task is cancelled: the first signal cancels it, the second
  /// leaves at once. A cancelled work throws `cancelled`.
  func cancellable<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    interruptions.handle(
      with: Interruptions.Handler(
        cancel: { [console] _ in
          task.cancel()
          console.urgent("Stopping. A second signal leaves now.")
        },
        lastLines: { [command = invocation.command ?? .export] number in
          Interruptions.lastLines(of: command, number)
        }))
    defer { interruptions.handle(with: nil) }
    return try await task.value
  }
}
