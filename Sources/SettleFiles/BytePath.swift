import SettleCore

/// A path as the bytes that the file system uses (FIL-6). Never normalised, never decoded.
public struct BytePath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes, without a terminating zero.
  public let bytes: [UInt8]

  /// A path from bytes. A zero byte ends the path for every system call, so it is not allowed;
  /// ``isUsable`` is false for such a path and opening it fails with `notFound`.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A path from text, as UTF-8 and not normalised.
  public init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  /// A path from a literal.
  public init(stringLiteral value: String) { bytes = Array(value.utf8) }

  /// False for an empty path and for one with a zero byte.
  public var isUsable: Bool { !bytes.isEmpty && !bytes.contains(0) }

  /// The part after the last slash, trailing slashes ignored.
  public var lastComponent: [UInt8] {
    let slash = UInt8(ascii: "/")
    let end = bytes.lastIndex(where: { $0 != slash }) ?? bytes.startIndex
    guard !bytes.isEmpty else { return [] }
    let start = bytes[...end].lastIndex(of: slash).map { $0 + 1 } ?? 0
    return start > end ? [] : Array(bytes[start...end])
  }

  /// The path without its last component; nil when there is none.
  public var parent: BytePath? {
    let name = lastComponent
    guard !name.isEmpty, let end = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }) else {
      return nil
    }
    let rest = Array(bytes[..<(end + 1 - name.count)])
    if rest.isEmpty { return "." }
    let trimmed = rest.lastIndex(where: { $0 != UInt8(ascii: "/") }).map { Array(rest[...$0]) }
    return BytePath(trimmed ?? [UInt8(ascii: "/")])
  }

  /// This path, a slash and one more name.
  public func appending(_ name: some Sequence<UInt8>) -> BytePath {
    var joined = bytes
    if joined.last != UInt8(ascii: "/") { joined.append(UInt8(ascii: "/")) }
    joined.append(contentsOf: name)
    return BytePath(joined)
  }

  /// The path in a form that is safe to print.
  public var description: String { shown(bytes) }

  /// Lends the path to a C call.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
    }
  }
}

/// One name inside a folder: not empty, no slash, no zero byte, neither `.` nor `..`.
///
/// Every operation inside a library takes one of these and an open folder, so no path can lead
/// out of it.
package struct FileName: Sendable, Hashable, CustomStringConvertible {
  /// The bytes, without a terminating zero.
  package let bytes: [UInt8]

  /// nil when the bytes are not one name.
  package init?(_ bytes: [UInt8]) {
    let dot = UInt8(ascii: ".")
    guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
      bytes != [dot], bytes != [dot, dot]
    else { return nil }
    self.bytes = bytes
  }

  /// A name that this program made itself.
  package init(own text: String) {
    guard let name = FileName(Array(text.utf8)) else {
      preconditionFailure("not one file name: \(text)")
    }
    self = name
  }

  /// The name in a form that is safe to print.
  package var description: String { shown(bytes) }

  /// Lends the name to a C call.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    BytePath(bytes).withCString(body)
  }
}
