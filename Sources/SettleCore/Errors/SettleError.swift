/// An error that names what failed, on what, what state is left and what to do next.
///
/// The wording of all errors is in `ErrorWording.swift`.
public struct SettleError: Error, Sendable, Equatable {
  /// What went wrong. Extensible: a newer version may add codes, so always have a default branch.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name used in JSON and in the ledger.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The stage of an import that failed (IMP-10).
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Finding or opening the source.
    case access
    /// Waiting for another process's file coordination (Apple platforms).
    case coordination
    /// Reading the source and writing the staging file.
    case copy
    /// Opening the copy with a real parser.
    case verification
    /// Syncing and renaming the copy to its final name.
    case publication
    /// Writing the ledger.
    case record
  }

  /// A failed system call.
  public struct Cause: Sendable, Hashable {
    /// The call, such as `openat`.
    public var call: String
    /// Its error number.
    public var number: Int32

    /// Makes a cause from the call's name and its error number.
    public init(call: String, number: Int32) {
      self.call = call
      self.number = number
    }
  }

  /// What went wrong.
  public var code: Code
  /// The stage that failed, for errors of an imported item; nil for errors of a call.
  public var stage: Stage?
  /// What it was about: a path, an id or a name, as bytes; empty when it was about nothing named.
  public var subject: [UInt8]
  /// A detail for the reader: a holder, a size, an engine's message. Printed escaped.
  public var detail: String
  /// The system call below, if one failed.
  public var cause: Cause?

  /// Makes an error; only `code` is needed.
  public init(
    _ code: Code, stage: Stage? = nil, subject: [UInt8] = [], detail: String = "",
    cause: Cause? = nil
  ) {
    self.code = code
    self.stage = stage
    self.subject = subject
    self.detail = detail
    self.cause = cause
  }

  /// Trying again later, unchanged, may work.
  public var isRetryable: Bool { ErrorWording.of(code, isOfItem: stage != nil).isRetryable }
}
