// Where a toolchain has no XCTest, this product is empty.
#if canImport(XCTest)
  import SettleTestKit
  import XCTest

  /// How a kit judges a test.
  public struct TestKitOptions: Sendable {
    /// The rules that judge.
    public var rules: RuleSet
    /// Rules that must have seen some of their events.
    public var seeing: Set<String>
    /// How long a test may take before the process is ended with a report of who waits where.
    public var limit: Duration

    /// All rules, and a limit for every test.
    public init(
      _ rules: RuleSet = .settle, seeing: Set<String> = [], within limit: Duration = .waitLimit * 4
    ) {
      self.rules = rules
      self.seeing = seeing
      self.limit = limit
    }
  }

  extension XCTestCase {
    /// Lends a kit to a test that runs on its thread, watches that it ends, and judges at its end.
    ///
    /// What is wrong becomes a failure of this test at the place of the call. An error of `body` is
    /// thrown on, judged too, except `XCTSkip`.
    ///
    /// ```swift
    /// func testACancelBeforeTheCommitPublishesNothing() throws {
    ///   try withTestKit { kit in
    ///     let gate = kit.gate("before-commit")
    ///     …
    ///   }
    /// }
    /// ```
    @discardableResult
    public func withTestKit<Result>(
      _ options: TestKitOptions = TestKitOptions(), file: StaticString = #filePath,
      line: UInt = #line, _ body: (TestKit) throws -> Result
    ) throws -> Result {
      let kit = TestKit()
      do {
        let result = try Watchdog.watchingBlocking(kit, watch(options)) { try body(kit) }
        judge(kit, options, after: nil, (file, line))
        return result
      } catch {
        judge(kit, options, after: error, (file, line))
        throw error
      }
    }

    /// The same for an asynchronous test.
    @discardableResult
    public nonisolated(nonsending) func withTestKit<Result>(
      _ options: TestKitOptions = TestKitOptions(), file: StaticString = #filePath,
      line: UInt = #line, _ body: nonisolated(nonsending) (TestKit) async throws -> Result
    ) async throws -> Result {
      let kit = TestKit()
      do {
        let result = try await Watchdog.watching(kit, watch(options)) { try await body(kit) }
        judge(kit, options, after: nil, (file, line))
        return result
      } catch {
        judge(kit, options, after: error, (file, line))
        throw error
      }
    }

    private func watch(_ options: TestKitOptions) -> Watchdog.Options {
      var watch = Watchdog.Options(name)
      watch.limit = options.limit
      return watch
    }

    /// Records what is wrong, and not again the wait whose failure ended the test.
    private func judge(
      _ kit: TestKit, _ options: TestKitOptions, after thrown: (any Error)?,
      _ place: (file: StaticString, line: UInt)
    ) {
      if thrown is XCTSkip { return }
      do throws(KitFailure) {
        try kit.finish(options.rules, seeing: options.seeing)
      } catch {
        var failure = error
        if let wait = thrown as? WaitFailure { failure.waits.removeAll { $0 == wait } }
        let text = "\(failure)"
        if !text.isEmpty { XCTFail(text, file: place.file, line: place.line) }
      }
    }
  }
#endif
