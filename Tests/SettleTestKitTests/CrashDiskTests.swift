import SettleCore
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// The crash disk finds what a power loss may leave, on a toy that publishes one file.
@Suite(.timeLimit(.minutes(2))) struct CrashDiskTests {
  private static let old = Array("old settings".utf8)
  private static let new = Array("new settings, longer than the old ones".utf8)

  /// Steps of the publication that a careless program leaves out.
  enum Omission: String, CaseIterable, Sendable {
    case nothing, fileSync, folderSync, staging
  }

  /// A disk with the old file, on which the new one is then published.
  private func published(without omission: Omission) throws -> CrashDisk {
    let disk = CrashDisk()
    try disk.create("/settings")
    try disk.write(Self.old, to: "/settings")
    disk.begin()
    if omission == .staging {
      try disk.resize("/settings", to: 0)
      try disk.write(Self.new, to: "/settings")
      try disk.sync("/settings")
      return disk
    }
    try disk.create("/settings.new")
    // In two pieces, so that a disk may write them in another order.
    try disk.write(Array(Self.new.prefix(10)), to: "/settings.new")
    try disk.write(Array(Self.new.dropFirst(10)), to: "/settings.new")
    if omission != .fileSync { try disk.sync("/settings.new") }
    try disk.rename("/settings.new", to: "/settings")
    if omission != .folderSync { try disk.syncFolder("/") }
    return disk
  }

  private struct Wrong: Error, CustomStringConvertible {
    var description: String
  }

  /// The toy's recovery: removes its staging file and reads the settings.
  private func recover(_ image: CrashImage, hasReported: Bool) throws {
    let files = image.makeFiles()
    let root = try files.openFolder(at: "/")
    defer { files.close(root) }
    if image.exists("/settings.new") {
      try files.remove(FileName(own: "settings.new"), in: root)
    }
    let found = image.contents(of: "/settings")
    guard found == Self.old || found == Self.new else {
      throw Wrong(description: "settings are torn: \(found.map { $0.count } ?? -1) bytes")
    }
    if hasReported, found != Self.new { throw Wrong(description: "reported, and gone again") }
  }

  private func report(without omission: Omission) async throws -> CrashReport {
    let disk = try published(without: omission)
    let report = await disk.reopen { try recover($0, hasReported: false) }
    // The program reports success when it has done all of its operations.
    let reported = await disk.reopenLast { try recover($0, hasReported: true) }
    print(
      "toy publish without \(omission.rawValue): \(report.imageCount) images, "
        + "\(report.failures.count + reported.failures.count) failed")
    var both = report
    both.failures += reported.failures
    return both
  }

  // TST-5, FIL-2, FIL-4: the right order passes, whatever is lost, and says how much was looked at.
  @Test func theRightOrderPasses() async throws {
    let report = try await report(without: .nothing)
    try report.requirePassed()
    #expect(report.imageCount >= 10 && report.operationCount == 6)
    #expect(report.sampledOperationCount == 0, "every choice is taken")
    #expect(report.description.hasPrefix("\(report.imageCount) images of 6 operations"))
  }

  // TST-5, FIL-4: without the file's sync the new name may hold anything.
  @Test func aMissingFileSyncIsFound() async throws {
    let report = try await report(without: .fileSync)
    let failure = try #require(report.failures.first)
    #expect(failure.error == "settings are torn: 0 bytes")
    #expect(
      failure.description == """
        settings are torn: 0 bytes
        image \(failure.image.number), crash after operation 4:
          1. create "/settings.new"
          2. write 10 bytes to "/settings.new"
          3. write 28 bytes to "/settings.new"
          4. rename "/settings.new" to "/settings"
          content of "/settings": dropped
        """)
    let errors = Set(report.failures.map(\.error))
    #expect(errors.isSuperset(of: ["settings are torn: 38 bytes", "settings are torn: 19 bytes"]))
    #expect(throws: CrashFailures.self) { try report.requirePassed() }
  }

  // TST-5, FIL-2, FIL-8: without the folder's sync the old file may come back after the report.
  @Test func aMissingFolderSyncIsFound() async throws {
    let report = try await report(without: .folderSync)
    #expect(Set(report.failures.map(\.error)) == ["reported, and gone again"])
    let failure = try #require(report.failures.first)
    #expect(failure.description.contains(#"lost: the rename of "/settings.new" to "/settings""#))
  }

  // TST-5, FIL-4: a file that is written in place may be short or mixed.
  @Test func writingInPlaceIsFound() async throws {
    let report = try await report(without: .staging)
    #expect(report.failures.count >= 3)
  }

  // TST-5: names survive in any combination, and a name that was renamed on does not come back.
  @Test func namesSurviveInAnyCombination() async throws {
    let disk = CrashDisk()
    for folder in ["/from", "/to"] { try disk.makeFolder(BytePath(folder)) }
    disk.begin()
    try disk.create("/from/a")
    try disk.create("/from/b")
    try disk.rename("/from/a", to: "/to/a")
    try disk.syncFolder("/to")
    var before: Set<[BytePath]> = []
    let all = await disk.reopen { before.insert($0.files.keys.sorted(by: byText)) }
    #expect(all.imageCount == 6 && before.count == 6)
    var durable: Set<[BytePath]> = []
    _ = await disk.reopenLast { durable.insert($0.files.keys.sorted(by: byText)) }
    #expect(durable == [["/to/a"], ["/from/b", "/to/a"]])
  }

  private func byText(_ left: BytePath, _ right: BytePath) -> Bool {
    "\(left)" < "\(right)"
  }

  // TST-5: more choices than can be taken are sampled, by a seed, and the report says so.
  @Test func manyChoicesAreSampledAndTold() async throws {
    let disk = CrashDisk()
    for number in 0..<12 { try disk.create(BytePath("/file\(number)")) }
    var options = CrashOptions()
    options.choiceLimit = 64
    var seen: [[String]] = []
    for seed in [1, 1, 2] {
      options.seed = UInt64(seed)
      var images: [String] = []
      let report = await disk.reopen(options) { image in
        images.append(image.files.keys.map { "\($0)" }.sorted().joined())
      }
      #expect(report.sampledOperationCount == 6)
      #expect(report.description.contains("at 6 operations only a part of all choices was taken"))
      #expect(images.count == report.imageCount && Set(images).count == images.count)
      seen.append(images)
    }
    #expect(seen[0] == seen[1])
    #expect(seen[0] != seen[2])
  }

  // TST-5: nothing recorded is nothing proven.
  @Test func anIdleDiskHasNotPassed() async {
    let report = await CrashDisk().reopen { _ in }
    #expect(throws: CrashFailures.self) { try report.requirePassed() }
  }

  // TST-5: an image can be laid on a real disk.
  @Test func anImageCanBeWritten() async throws {
    let disk = CrashDisk()
    try disk.makeFolder("/folder")
    try disk.create("/folder/file")
    try disk.write([1, 2, 3], to: "/folder/file")
    let files = PosixFileSystem()
    let report = await disk.reopen { image in
      try withTemporaryFolder { folder in
        try image.write(to: folder)
        let found = try? files.contents(at: folder.appending("folder/file".utf8))
        guard found == image.contents(of: "/folder/file") else {
          throw Wrong(description: "\(found ?? [])")
        }
      }
    }
    try report.requirePassed()
    #expect(report.imageCount == 6)
  }
}
