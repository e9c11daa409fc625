// The part of CoreGraphics that Settle uses, for type-checking only.
@_exported import Glibc

/// CoreGraphics' source of bytes.
public final class CGDataProvider {
  /// Opens a file; nil when it cannot.
  public init?(filename: UnsafePointer<CChar>) { nil }
}

/// CoreGraphics' PDF document.
public final class CGPDFDocument {
  /// Opens a document; nil when it is none.
  public init?(_ provider: CGDataProvider) { nil }
  /// True when it can be read.
  public var isUnlocked: Bool { false }
  /// True when it is encrypted.
  public var isEncrypted: Bool { false }
  /// The number of pages.
  public var numberOfPages: Int { 0 }
  /// Tries a password.
  public func unlockWithPassword(_ password: UnsafePointer<CChar>) -> Bool { false }
}
