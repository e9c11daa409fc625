import SettleCore

/// Access to a source for exactly as long as its copy needs it (IMP-3).
package enum SourceAccess {
  // Apple platforms have scopes and coordination, see SourceAccess+Darwin.swift; elsewhere a path
  // that can be opened can be read.
  #if !canImport(Darwin)
    /// Lends a source to the body, which opens, copies and closes it.
    package static func withSource<Result>(
      _ path: BytePath, _ body: (BytePath) throws(SettleError) -> Result
    ) throws(SettleError) -> Result {
      try body(path)
    }
  #endif
}
