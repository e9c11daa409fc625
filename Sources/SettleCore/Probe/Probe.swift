/// The seam through which tests watch and steer work. Does nothing unless a test injects one.
///
/// Called on the thread that does the work, never while a lock is held, so a probe may block in
/// `reach` (that is what gates do) and may throw from `fault`.
public protocol Probe: Sendable {
  /// Something happened, in the order in which the work sees it.
  func event(_ event: ProbeEvent)

  /// Work has arrived at a named checkpoint and goes on when this returns.
  func reach(_ checkpoint: Checkpoint)

  /// Work is about to do something that may fail; throwing makes it fail.
  func fault(_ point: Checkpoint) throws
}

extension Probe {
  /// Ignores the event.
  public func event(_ event: ProbeEvent) {}

  /// Goes on at once.
  public func reach(_ checkpoint: Checkpoint) {}

  /// Lets the operation go on.
  public func fault(_ point: Checkpoint) throws {}
}

/// A named place in the work, and the item it is about.
public struct Checkpoint: Sendable, Hashable {
  /// The place, such as `import.beforeCommit`.
  public var name: String
  /// The index of the item or step, or -1 when it is about the whole run.
  public var item: Int

  /// Names a checkpoint.
  public init(_ name: String, item: Int = -1) {
    self.name = name
    self.item = item
  }
}

/// Something that happened to an item or a run.
public struct ProbeEvent: Sendable, Hashable {
  /// What happened, such as `step.settled`.
  public var name: String
  /// The index of the item or step, or -1 for the run.
  public var item: Int
  /// A detail, such as the outcome.
  public var detail: String

  /// Names an event.
  public init(_ name: String, item: Int = -1, detail: String = "") {
    self.name = name
    self.item = item
    self.detail = detail
  }
}

/// The probe that does nothing.
public struct NoProbe: Probe {
  /// Makes one.
  public init() {}
}
