// Only Apple platforms have security scopes and file coordination.
#if canImport(Darwin)
  import Foundation
  import SettleCore

  extension SourceAccess {
    /// Lends a source to the body, which opens, copies and closes it.
    ///
    /// The security scope ends on every path, and only if it began: a URL without one says false
    /// and may still be readable. The body gets the path that the coordinator names. It blocks
    /// until other processes let go, so it runs in the background task itself.
    /// - Throws: the body's error, or an error of the stage coordination. When both fail, the body's
    ///   error with the coordinator's in its detail.
    package static func withSource<Result>(
      _ path: BytePath, _ body: (BytePath) throws(SettleError) -> Result
    ) throws(SettleError) -> Result {
      let url = path.withCString {
        URL(fileURLWithFileSystemRepresentation: $0, isDirectory: false, relativeTo: nil)
      }
      let isScoped = url.startAccessingSecurityScopedResource()
      defer { if isScoped { url.stopAccessingSecurityScopedResource() } }

      var copied: Swift.Result<Result, SettleError>?
      var coordinationError: NSError?
      NSFileCoordinator(filePresenter: nil).coordinate(
        readingItemAt: url, options: .withoutChanges, error: &coordinationError
      ) { granted in
        do throws(SettleError) {
          copied = .success(try body(bytePath(of: granted)))
        } catch {
          copied = .failure(error)
        }
      }
      switch (copied, coordinationError) {
      case (.success(let result), nil): return result
      case (.failure(var error), let other):
        if let other { error.detail += " " + description(of: other) }
        throw error
      case (_, let other):
        throw SettleError(
          .ioError, stage: .coordination, subject: path.bytes,
          detail: other.map(description(of:)) ?? "the coordinator did not call back")
      }
    }

    private static func bytePath(of url: URL) -> BytePath {
      url.withUnsafeFileSystemRepresentation { pointer in
        guard let pointer else { return BytePath([]) }
        return BytePath(Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))))
      }
    }

    private static func description(of error: NSError) -> String {
      "\(error.domain) \(error.code)"
    }
  }
#endif
