import Foundation

/// The files of the package that the conventions are about.
enum PackageFiles {
  /// The package's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The text of a file, from its path below the package's folder.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The Swift files of `Sources`.
  static let sources = swiftFiles(in: "Sources")
  /// The Swift files of `Tests`.
  static let tests = swiftFiles(in: "Tests")

  /// The Swift files below a folder, sorted by path.
  static func swiftFiles(in folder: String) -> [SwiftText] {
    let top = root.appending(path: folder).path(percentEncoded: false)
    guard let names = FileManager.default.enumerator(atPath: top) else { return [] }
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .compactMap { name in
        let path = folder + "/" + name
        guard let text = try? text(path) else { return nil }
        return SwiftText(path: path, text)
      }
  }
}
