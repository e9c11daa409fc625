// Only Linux lets a program's own functions come before those of the C library.
#if os(Linux)
  import CSettleSystem
  import Foundation
  import SettleCore
  import SettleFiles
  import SettleInterpose
  import SettleTestKit
  import SettleTestSupport
  import Testing

  /// Code that knows nothing of Settle, swept call by call: Foundation's own file operations.
  @Suite(.timeLimit(.minutes(2))) struct InterposeTests {
    private static let old = Data("the old content".utf8)
    private static let new = Data(repeating: 7, count: 100_000)

    private struct Wrong: Error, CustomStringConvertible { var description: String }

    private func url(_ folder: BytePath, _ name: String) -> URL {
      URL(fileURLWithPath: "\(folder)/\(name)")
    }

    private func names(_ folder: BytePath) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(folder)").sorted()
    }

    private func kinds(_ report: SweepReport) -> [String] {
      report.firedRuns.compactMap { $0.fired?.point.kind }
    }

    // TST-4, FIL-4: an atomic write that fails anywhere leaves the old file, whole.
    @Test func foundationsAtomicWriteIsSwept() async throws {
      let report = await FaultSweep().run { run in
        try withTemporaryFolder { folder in
          let target = url(folder, "settings")
          try Self.old.write(to: target)
          let result = run.attemptBlocking {
            try Interposer.scope(run.plan) { try Self.new.write(to: target, options: .atomic) }
          }
          let found = try Data(contentsOf: target)
          guard found == Self.old || found == Self.new else {
            throw Wrong(description: "\(found.count) bytes are left")
          }
          if case .success = result, found != Self.new {
            throw Wrong(description: "success, and the old content")
          }
        }
      }
      print("Data.write(options: .atomic): \(report.summary)")
      try report.requirePassed()
      #expect(Set(kinds(report)).isSuperset(of: ["write", "fsync", "rename"]))
    }

    // TST-4, FIL-2: what Foundation does not do is seen, too: it syncs no folder.
    @Test func foundationSyncsNoFolder() throws {
      try withTemporaryFolder { folder in
        let plan = FaultPlan()
        let target = url(folder, "settings")
        try Interposer.scope(plan) { try Self.new.write(to: target, options: .atomic) }
        let calls = plan.points.map(\.kind)
        print("Data.write(options: .atomic) calls: \(calls.joined(separator: ", "))")
        let rename = try #require(calls.firstIndex(of: "rename"))
        #expect(calls[..<rename].contains("fsync"))
        #expect(!calls[rename...].contains("fsync"), "no sync of the folder after the rename")
        print("Foundation's atomic write does no sync of the folder")
      }
    }

    // TST-4, FIL-3, FIL-7: a copy that fails never touches its source.
    @Test func foundationsCopyIsSwept() async throws {
      var leftovers: Set<String> = []
      let report = await FaultSweep().run { run in
        try withTemporaryFolder { folder in
          let (source, target) = (url(folder, "source"), url(folder, "target"))
          try Self.new.write(to: source)
          let result = run.attemptBlocking {
            try Interposer.scope(run.plan) {
              try FileManager.default.copyItem(at: source, to: target)
            }
          }
          guard try Data(contentsOf: source) == Self.new else {
            throw Wrong(description: "the source was changed")
          }
          switch result {
          case .success:
            guard try Data(contentsOf: target) == Self.new else {
              throw Wrong(description: "success, and the copy is short")
            }
          case .failure:
            if try names(folder) != ["source"], let fired = run.plan.fired.first {
              leftovers.insert("\(fired.point.kind)")
            }
          }
        }
      }
      print("FileManager.copyItem: \(report.summary)")
      print("FileManager.copyItem leaves a part of its target after: \(leftovers.sorted())")
      try report.requirePassed()
      #expect(report.firedRuns.count > 4)
    }

    // TST-4, FIL-4: a move that fails leaves the file under one of its names.
    @Test func foundationsMoveIsSwept() async throws {
      let report = await FaultSweep().run { run in
        try withTemporaryFolder { folder in
          let (source, target) = (url(folder, "source"), url(folder, "target"))
          try Self.old.write(to: source)
          let result = run.attemptBlocking {
            try Interposer.scope(run.plan) {
              try FileManager.default.moveItem(at: source, to: target)
            }
          }
          let names = try names(folder)
          guard names.contains("source") || names.contains("target") else {
            throw Wrong(description: "the file is gone")
          }
          if case .success = result, names != ["target"] {
            throw Wrong(description: "success, and \(names) is there")
          }
          guard try Data(contentsOf: names.contains("target") ? target : source) == Self.old
          else { throw Wrong(description: "the content has changed") }
        }
      }
      print("FileManager.moveItem: \(report.summary)")
      try report.requirePassed()
      #expect(kinds(report).contains("rename"))
    }

    // TST-4, FIL-7: a full disk leaves the old file and says so.
    @Test func aFullDiskLeavesTheOldFile() throws {
      try withTemporaryFolder { folder in
        let target = url(folder, "settings")
        try Self.old.write(to: target)
        let plan = FaultPlan(.diskFull(after: 5_000))
        let error = #expect(throws: CocoaError.self) {
          try Interposer.scope(plan) { try Self.new.write(to: target, options: .atomic) }
        }
        #expect(error?.code == .fileWriteOutOfSpace)
        try plan.requireAllFired()
        #expect(try Data(contentsOf: target) == Self.old)
        #expect(try names(folder) == ["settings"])
      }
    }

    // TST-4: threads with plans of their own do not steal each other's faults.
    @Test func scopesOfThreadsAreTheirOwn() async throws {
      try await withTemporaryFolder { folder in
        let path = folder
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
          for number in 1...16 {
            group.addTask {
              try await WorkerThread.run { () throws(SettleError) -> Bool in
                let url = URL(fileURLWithPath: "\(path)/\(number)")
                let isFaulty = number % 2 == 0
                let plan = isFaulty ? FaultPlan(.at("write", 3, .noSpace)) : FaultPlan()
                var failed: [Int] = []
                for round in 1...8 {
                  let result = Result {
                    try Interposer.scope(plan) { try Self.old.write(to: url) }
                  }
                  if case .failure = result { failed.append(round) }
                }
                let own = plan.points.allSatisfy {
                  $0.subject.isEmpty || $0.subject == Array(url.path.utf8)
                }
                return own && failed == (isFaulty ? [3] : [])
                  && plan.points.count { $0.kind == "write" } == 8
              }
            }
          }
          return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.count == 16 && results.allSatisfy { $0 })
      }
    }

    // TST-4: outside of a scope nothing happens and nothing is counted; scopes may stand in scopes.
    @Test func aScopeEndsWhereItEnds() throws {
      try withTemporaryFolder { folder in
        let target = url(folder, "a")
        let outer = FaultPlan(.at("write", 2, .noSpace))
        let inner = FaultPlan(.at("write", .error(EIO)))
        _ = Interposer.scope(outer) {
          #expect(throws: Never.self) { try Self.old.write(to: target) }
          _ = Interposer.scope(inner) {
            #expect(throws: CocoaError.self) { try Self.old.write(to: target) }
          }
          return #expect(throws: CocoaError.self) { try Self.old.write(to: target) }
        }
        let counts = (outer.points.count, inner.points.count)
        try Self.old.write(to: target)
        #expect((outer.points.count, inner.points.count) == counts)
        try outer.requireAllFired()
        try inner.requireAllFired()
      }
    }

    // TST-4: after a crash nothing is written any more, by a cleanup neither.
    @Test func nothingIsDoneAfterACrash() throws {
      try withTemporaryFolder { folder in
        let target = url(folder, "settings")
        try Self.old.write(to: target)
        let plan = FaultPlan(.at("rename", .crash))
        #expect(throws: CocoaError.self) {
          try Interposer.scope(plan) { try Self.new.write(to: target, options: .atomic) }
        }
        #expect(try Data(contentsOf: target) == Self.old)
        #expect(try names(folder).count == 2, "the temporary file could not be removed")
      }
    }
  }
#endif
