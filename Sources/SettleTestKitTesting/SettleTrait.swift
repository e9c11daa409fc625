// Where a toolchain has no Swift Testing, this product is empty.
#if canImport(Testing)
  import SettleTestKit
  import Testing

  /// Gives each test a kit of its own, watches that it ends, and judges it at the end.
  public struct SettleTrait: TestTrait, SuiteTrait, TestScoping {
    /// The rules that judge.
    public var rules: RuleSet
    /// Rules that must have seen some of their events.
    public var seeing: Set<String>
    /// How long a test may take before the process is ended with a report of who waits where.
    public var limit: Duration

    /// True: on a suite, each of its tests gets a kit of its own.
    public var isRecursive: Bool { true }

    /// Runs a test with a kit, then judges. What is wrong becomes an issue of this test.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await function() }
      let kit = TestKit()
      var options = Watchdog.Options(test.name)
      options.limit = limit
      try await SettleTesting.$bound.withValue(kit) {
        // What a gate holds may block all threads of Swift's tasks; the test goes on all the same.
        try await withTaskExecutorPreference(ThreadExecutor.shared) {
          try await Watchdog.watching(kit, options) { try await function() }
        }
      }
      do throws(KitFailure) {
        try kit.finish(rules, seeing: seeing)
      } catch {
        Issue.record("\(error)", sourceLocation: test.sourceLocation)
      }
    }
  }

  extension Trait where Self == SettleTrait {
    /// A kit for this test, judged at its end; ``SettleTesting/kit`` is that kit.
    ///
    /// `seeing` names rules that must have seen some of their events.
    public static func settle(
      _ rules: RuleSet = .settle, seeing: Set<String> = [], within limit: Duration = .waitLimit * 4
    ) -> SettleTrait {
      SettleTrait(rules: rules, seeing: seeing, limit: limit)
    }
  }

  /// What the trait gives to the test that has it.
  public enum SettleTesting {
    @TaskLocal static var bound: TestKit?

    /// The kit of the running test. Traps in a test without the trait, and in a detached task.
    public static var kit: TestKit {
      guard let bound else {
        preconditionFailure("SettleTesting.kit is for tests with the trait .settle()")
      }
      return bound
    }
  }
#endif
