// The part of Apple's Foundation that Settle uses and Linux does not have, for type-checking only.
@_exported import FoundationEssentials
@_exported import Glibc

/// Foundation's error object.
open class NSError: Error, @unchecked Sendable {
  /// The domain.
  public let domain: String
  /// The code.
  public let code: Int

  /// Makes an error.
  public init(domain: String, code: Int) {
    self.domain = domain
    self.code = code
  }
}

/// Where Foundation writes an error to.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Foundation's protocol of file presenters.
public protocol NSFilePresenter: AnyObject {}

/// Foundation's file coordinator.
open class NSFileCoordinator {
  /// How to read.
  public struct ReadingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Other processes are not asked to save first.
    public static var withoutChanges: Self { Self(rawValue: 1) }
  }

  /// Makes a coordinator.
  public init(filePresenter: (any NSFilePresenter)?) {}

  /// Lends a file for reading.
  open func coordinate(
    readingItemAt url: URL, options: ReadingOptions = [], error: NSErrorPointer,
    byAccessor reader: (URL) -> Void
  ) {}

  /// Ends the waiting.
  open func cancel() {}
}

extension URL {
  /// Begins access to a picked file; false when there is nothing to begin.
  public func startAccessingSecurityScopedResource() -> Bool { false }
  /// Ends access to a picked file.
  public func stopAccessingSecurityScopedResource() {}
}
