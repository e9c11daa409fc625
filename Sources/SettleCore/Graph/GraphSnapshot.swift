/// A picture of one run of a graph at one moment.
public struct GraphSnapshot: Sendable, Equatable {
  /// The run.
  public var run: RunID
  /// Where the run is.
  public var state: RunState
  /// True while no step may begin.
  public var isPaused: Bool
  /// Steps by outcome.
  public var counts: OutcomeCounts
  /// How many steps there are.
  public var stepCount: Int
  /// Weighted progress and bytes.
  public var progress: ProgressSnapshot
  /// True when nothing changes any more, also after a shutdown.
  public var isOver: Bool
}

/// The snapshots of a run, for one observer: see ``GraphRun/updates(every:clock:)``.
public struct GraphUpdates: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = GraphSnapshot
  /// The sequence cannot fail.
  public typealias Failure = Never

  let engine: GraphEngine
  let pause: @Sendable () async throws -> Void

  /// Starts observing; every iterator begins with the snapshot of the moment.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  /// Waits for the pause or the end of the run, whichever comes first.
  private func waitForPauseOrEnd() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await engine.ended.wait() }
      group.addTask {
        // A clock that cannot sleep must not make this spin: then only the end is awaited.
        do { try await pause() } catch { await engine.ended.wait() }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Looks at the run when it is asked to, and keeps only what it delivered last.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: GraphUpdates
    private var delivered: GraphSnapshot?

    fileprivate init(source: GraphUpdates) { self.source = source }

    /// The next snapshot that differs from the last; nil after the last one or a cancellation.
    public mutating func next() async -> GraphSnapshot? { await next(isolation: nil) }

    /// The next snapshot that differs from the last; nil after the last one or a cancellation.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> GraphSnapshot? {
      if delivered?.isOver == true { return nil }
      while !Task.isCancelled {
        if delivered != nil { await source.waitForPauseOrEnd() }
        if Task.isCancelled { break }
        let current = source.engine.snapshot()
        if current != delivered {
          delivered = current
          return current
        }
      }
      return nil
    }
  }
}
