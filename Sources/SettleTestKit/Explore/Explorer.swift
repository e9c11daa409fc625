import CSettleSystem
import SettleCore
import SettleFiles

/// Runs code in every order in which its participants can take turns, and judges each run.
///
/// ```swift
/// let result = try await Explorer().explore { world in
///   let resize = Resize(1, probe: world.probe)
///   world.spawnThread("worker") { resize.start() }
///   world.spawn("cancel") { world.trace.cancelling(item: "1") { resize.askToCancel() } }
///   world.sometimes("the commit wins") { $0.contains { $0.kind == .commit } }
/// }
/// try result.requireProved()
/// ```
///
/// All orders if they are at most ``Limits/runCount``; else those with few preemptions, then some
/// at random, and the verdict says so. Turns change at checkpoints and at suspensions of tasks only:
/// what happens between two of them is one step. Explorations know nothing of each other and may
/// run side by side. Costs one run of the code for each order.
public struct Explorer: Sendable {
  /// How far it goes.
  public struct Limits: Sendable {
    /// Runs of the exhaustive search, and of what takes its place.
    public var runCount = 20_000
    /// Preemptions up to which orders are tried when there are too many.
    public var preemptionCount = 2
    /// Runs in an order made by chance, when there are too many.
    public var randomCount = 1_000
    /// Where chance starts.
    public var seed: UInt64 = 1
    /// Steps of one run, after which it counts as one that never ends.
    public var stepCount = 10_000
    /// How long one step may take.
    public var stepDuration: Duration = .waitLimit / 3
    /// How long it is watched whether something outside of our control moves what is stuck.
    public var grace: Duration = .milliseconds(200)
    /// Each how many runs one is made again, to see that it goes the same way.
    public var repeatEvery = 64

    /// The usual limits.
    public init() {}
  }

  /// How far it goes.
  public var limits: Limits

  /// An explorer.
  public init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Makes a new world for each run by `build`, runs it, and judges it.
  ///
  /// Throws what `build` throws, and ``ScheduleError``. With the variable `SETTLE_SCHEDULE` of a
  /// failed exploration of this name it runs just that order. **After cancellation** of the task it
  /// stops between two runs and throws `CancellationError`.
  public func explore(
    _ name: String = #function, replaying schedule: String? = Explorer.givenSchedule,
    _ build: @escaping @Sendable (World) async throws -> Void
  ) async throws -> Exploration {
    var search = Search(name: name, limits: limits, build: build)
    defer { search.threads.end() }
    if let given = try Schedule.replaying(schedule, for: name) {
      try await search.replay(given)
    } else {
      try await search.all()
    }
    return search.exploration
  }

  /// What the variable `SETTLE_SCHEDULE` holds.
  public static var givenSchedule: String? {
    getenv(Schedule.variable).map { String(cString: $0) }
  }
}
