/// The snapshots of a ``ProgressTree``, for one observer: see ``ProgressTree/snapshots(every:clock:)``.
public struct ProgressSnapshots: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = ProgressSnapshot
  /// The sequence cannot fail.
  public typealias Failure = Never

  private let core: ProgressCore
  private let pause: @Sendable () async throws -> Void

  init(core: ProgressCore, pause: @escaping @Sendable () async throws -> Void) {
    self.core = core
    self.pause = pause
  }

  /// Starts observing; every iterator begins with the snapshot of the moment.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  /// Waits for the pause or the end of the tree, whichever comes first.
  private func waitForPauseOrEnd() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await core.ended.wait() }
      group.addTask {
        // A clock that cannot sleep must not make this spin: then only the end is awaited.
        do { try await pause() } catch { await core.ended.wait() }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Looks at the tree when it is asked to, and keeps only what it delivered last.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: ProgressSnapshots
    private var delivered: ProgressSnapshot?

    fileprivate init(source: ProgressSnapshots) { self.source = source }

    /// The next snapshot that differs from the last; nil after the settled one or a cancellation.
    public mutating func next() async -> ProgressSnapshot? {
      await next(isolation: nil)
    }

    /// The next snapshot that differs from the last; nil after the settled one or a cancellation.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> ProgressSnapshot? {
      if delivered?.isSettled == true { return nil }
      while !Task.isCancelled {
        if delivered != nil { await source.waitForPauseOrEnd() }
        if Task.isCancelled { break }
        let current = source.core.snapshot()
        if current != delivered {
          delivered = current
          return current
        }
      }
      return nil
    }
  }
}
