/// What a step works on and how, as bytes that differ when the work would differ (RUN-13).
///
/// A hash of the inputs and a version of the code that handles them make a good one. Two steps are
/// the same work only when both have one and all bytes are equal.
public struct ContentIdentity: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The bytes.
  public let bytes: [UInt8]

  /// An identity of bytes, such as a hash.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// An identity of the text's UTF-8 bytes.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// An identity that is written in the source.
  public init(stringLiteral text: String) { self.init(text) }
}

/// Why a step of a resumed run was not taken over from the earlier one (RUN-13).
public enum RerunReason: UInt8, Sendable, Hashable, CaseIterable {
  /// The earlier run knows no step of this name, or the step has no name.
  case notFound
  /// The earlier run had the step, and it did not succeed there.
  case notFinished
  /// This step or the earlier one has no ``ContentIdentity``, so nothing shows that they are equal.
  case noIdentity
  /// The content is not the one that the earlier run worked on.
  case contentChanged
  /// A step that it needs runs again.
  case dependencyRuns
  /// A step that runs needs its result, and nobody has kept that.
  case resultNotKept
}
