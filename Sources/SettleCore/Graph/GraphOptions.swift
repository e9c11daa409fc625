/// How one run of a graph is carried out.
public struct GraphOptions: Sendable {
  /// How many bodies may work at once, each in a worker of its own.
  public var workers: Int
  /// How many steps may run or commit at once, if fewer than there are workers.
  public var limit = Int.max
  /// How long the run may take. What runs then fails, what waits is skipped (RUN-9).
  public var deadline: Duration?
  /// False for a run whose report says nothing about when each step began and ended: without a
  /// reading of the clock for each, very many tiny steps take less time.
  public var recordsTimes = true
  /// True for a run that begins nothing until it is resumed.
  public var startsPaused = false
  /// The identity of the run; it sorts by time when the caller makes it with the present time.
  public var id: RunID?
  /// Names and contents of steps that an earlier process finished, as ``GraphReport/finished`` said
  /// there. Steps of the same name and content end as skipped (unchanged), unless a step that is
  /// run needs their result (RUN-13). A report to resume counts before these.
  public var finished: [String: ContentIdentity] = [:]
  /// Tells the time of attempts, delays, time limits and the deadline.
  public var clock = RunClock.continuous
  /// Shakes the delays of retries.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// Where the workers and bodies run; nil for Swift's own threads.
  public var executor: (any TaskExecutor)?
  /// Watches and steers the work; for tests.
  public var probe: (any Probe)?
  /// Called once for each step that has its outcome, from the worker that ended it (RUN-7).
  public var onStepSettled: (@Sendable (StepReport) -> Void)?
  /// Called once, when nothing of the run works any more and every other call has returned (RUN-7).
  /// Every step has its outcome then, unless the run was shut down: its state is `waiting` then.
  public var onSettled: (@Sendable (GraphReport) -> Void)?

  /// Usual options with a number of workers.
  public init(workers: Int = 4) { self.workers = workers }
}

/// The time of a run: that which passed since it began.
public struct RunClock: Sendable {
  /// Time since the start, and a sleep until a time since the start.
  struct Timer: Sendable {
    var now: @Sendable () -> Duration
    var sleep: @Sendable (Duration) async throws -> Void

    /// No sleep is longer: about a hundred years. The system's clocks trap on more than some
    /// hundred, so a time limit that is meant to be endless is one.
    static let longestSleep = Duration.seconds(3_000_000_000)
  }

  let start: @Sendable () -> Timer

  /// The time of any clock, such as one that a test moves by hand.
  public init<C: Clock<Duration>>(_ clock: C) {
    start = {
      let began = clock.now
      return Timer {
        began.duration(to: clock.now)
      } sleep: { time in
        try await clock.sleep(
          until: began.advanced(by: min(time, Timer.longestSleep)), tolerance: nil)
      }
    }
  }

  private init(start: @escaping @Sendable () -> Timer) { self.start = start }

  /// The system's time, also while it sleeps.
  public static let continuous = RunClock(start: {
    // Not through the generic initialiser: a step reads the time, so it should cost little.
    let clock = ContinuousClock()
    let began = clock.now
    return Timer {
      began.duration(to: clock.now)
    } sleep: { time in
      try await clock.sleep(
        until: began.advanced(by: min(time, Timer.longestSleep)), tolerance: nil)
    }
  })
}
