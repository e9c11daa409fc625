import CSettleSystem
import SettleFiles
import SettleProcess

/// The programs that this package builds, as the test runs find them.
package enum BuiltProducts {
  /// `settle-verify`; nil when it is not built.
  package static var verifier: BytePath? { product("settle-verify") }

  /// `settle`; nil when it is not built.
  package static var settle: BytePath? { product("settle") }

  /// A product beside the test bundle, or in one of the folders above it.
  package static func product(_ name: String) -> BytePath? {
    for start in startingPoints() {
      var folder = start
      while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
        folder.removeSubrange(slash...)
        let candidate = folder + [UInt8(ascii: "/")] + Array(name.utf8)
        if isExecutableFile(candidate) { return BytePath(candidate) }
      }
    }
    return nil
  }

  /// Linux runs the tests in the bundle itself; Apple's runner gets it as an argument.
  private static func startingPoints() -> [[UInt8]] {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = settle_executable_path(&buffer, buffer.count)
    let own = buffer[..<max(0, count)].map(UInt8.init(bitPattern:))
    return [own] + CommandLine.arguments.map { Array($0.utf8) }.filter { $0.first == 0x2F }
  }
}
