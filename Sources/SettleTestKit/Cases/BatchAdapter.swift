import SettleCore
import SettleFiles

/// Your code that works on a batch of items, in the way in which the kit drives it.
///
/// The one thing to write for ``StandardCase`` and ``Sabotage``. Each call of ``prepare(_:)`` makes
/// a batch of its own, so that tests run side by side.
///
/// ```swift
/// struct ResizeAdapter: BatchAdapter {
///   func prepare(_ request: BatchRequest) -> PreparedBatch {
///     let queue = ResizeQueue(in: request.folder, probe: request.probe)
///     for item in request.items { queue.add(item.number, needs: item.needs) }
///     return PreparedBatch(
///       run: { await queue.run() }, cancel: { queue.cancel() },
///       look: { try request.look { "\($0).png" } })
///   }
/// }
/// ```
public protocol BatchAdapter: Sendable {
  /// What the checkpoints of your code are called.
  var checkpoints: BatchCheckpoints { get }

  /// What your code cannot do, each with the reason. A case that needs it is told as skipped.
  var lacks: [BatchAbility: String] { get }

  /// How long each wait for your code may take before the case has hung.
  var waitLimit: Duration { get }

  /// Makes a batch ready. Nothing of it may start before `run`.
  ///
  /// The code tells what happens through the request's probe: at least the outcome and the
  /// completion of each item, and every effect before it is done.
  func prepare(_ request: BatchRequest) async throws -> PreparedBatch
}

extension BatchAdapter {
  /// `processing` and `before-commit`.
  public var checkpoints: BatchCheckpoints { BatchCheckpoints() }

  /// Nothing: the code can do all that the cases ask for.
  public var lacks: [BatchAbility: String] { [:] }

  /// The limit of every wait of the kit.
  public var waitLimit: Duration { .waitLimit }
}

/// What the cases ask of the code under test.
public enum BatchAbility: String, Sendable, Hashable, CaseIterable {
  /// An item can need another one.
  case dependencies
  /// An item can be given something at which it fails.
  case failures
  /// A batch can be cancelled.
  case cancelling
}

/// The names of the places at which work is held.
public struct BatchCheckpoints: Sendable, Hashable {
  /// In the middle of the work on an item.
  public var processing: String
  /// When the result is ready, right before it is decided whether it is committed.
  public var beforeCommit: String
  /// After the commit, before the item's end is told. Without one, the cancel after the commit
  /// comes when the batch has ended.
  public var afterCommit: String?

  /// Names of checkpoints.
  public init(
    processing: String = "processing", beforeCommit: String = "before-commit",
    afterCommit: String? = nil
  ) {
    self.processing = processing
    self.beforeCommit = beforeCommit
    self.afterCommit = afterCommit
  }
}

/// One item of a batch that the kit asks for.
public struct BatchItem: Sendable, Hashable {
  /// Its number, which its events and checkpoints name: its place in the batch, from 0.
  public var number: Int
  /// The numbers of the items that must succeed before this one begins.
  public var needs: [Int] = []
  /// True: give it something at which it fails once it has begun.
  public var mustFail = false

  /// An item.
  public init(_ number: Int, needs: [Int] = [], mustFail: Bool = false) {
    self.number = number
    self.needs = needs
    self.mustFail = mustFail
  }
}

/// A batch that the kit asks for, and what its code needs.
public struct BatchRequest: Sendable {
  /// The items.
  public internal(set) var items: [BatchItem]
  /// A new, empty folder for the results. Removed when the case is over.
  public let folder: BytePath
  /// The probe for the code under test.
  public internal(set) var probe: any Probe
  let kit: TestKit

  /// The folder as text, for calls that take no bytes.
  public var folderPath: String { String(decoding: folder.bytes, as: UTF8.self) }

  init(_ items: [BatchItem], folder: BytePath, kit: TestKit) {
    self.items = items
    self.folder = folder
    self.kit = kit
    probe = kit.probe
  }

  /// A checkpoint for code that makes tasks of its own, whose threads a probe's `reach` must not
  /// block. Code that stays in the task of `run` and its children has a thread for
  /// itself there and reaches its checkpoints through the probe, as operations do.
  ///
  /// Goes on at once unless the case holds work there. A wait in vain is found by the case.
  public func reach(_ checkpoint: String, item: Int) async {
    let isHeld = kit.parking.monitor.withLock { $0.gates[checkpoint] != nil }
    guard isHeld else { return }
    // The failure stands in the kit's table; a cancelled task goes on, as it does outside a test.
    try? await Gate(checkpoint, in: kit.parking).pass(item: item)
  }
}

/// A batch that is ready to run, and how the kit drives it.
public struct PreparedBatch: Sendable {
  let run: @Sendable () async throws -> Void
  let cancel: @Sendable () async -> CancelAnswer?
  let look: @Sendable () async throws -> BatchFiles
  let reopen: @Sendable () async throws -> Void

  /// A batch.
  ///
  /// - Parameters:
  ///   - run: Starts it and returns when all has ended. Throws only when it could not be run at
  ///     all: items that fail or are cancelled are told by events.
  ///   - cancel: Cancels the batch. Returns the code's answer; nil when it gives none, as that of
  ///     an `OperationQueue`: then the cancel counts as accepted when it comes before the commit.
  ///   - look: Looks at what is there at the end; most use ``BatchRequest/look(_:)``.
  ///   - reopen: Opens everything anew, as after a crash, before the kit looks again.
  public init(
    run: @escaping @Sendable () async throws -> Void,
    cancel: @escaping @Sendable () async -> CancelAnswer?,
    look: @escaping @Sendable () async throws -> BatchFiles,
    reopen: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.run = run
    self.cancel = cancel
    self.look = look
    self.reopen = reopen
  }

  /// The same for code that is awaited by blocking, as an `OperationQueue` is. It blocks a thread
  /// that nobody else needs.
  public init(
    runBlocking run: @escaping @Sendable () throws -> Void,
    cancel: @escaping @Sendable () async -> CancelAnswer?,
    look: @escaping @Sendable () async throws -> BatchFiles,
    reopen: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.init(run: { try run() }, cancel: cancel, look: look, reopen: reopen)
  }
}
