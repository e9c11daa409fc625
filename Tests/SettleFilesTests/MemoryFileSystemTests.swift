import CSettleSystem
import SettleFiles
import SettleTestKit
import SettleTestSupport
import Testing

/// The faults that the fake disk can make: a test that relies on one must know that it happens.
@Suite struct MemoryFileSystemTests {
  private let a = FileName(own: "a")
  private let b = FileName(own: "b")

  /// A staged file that was published, with the given syncs in between.
  private func published(syncsFile: Bool, syncsFolder: Bool) throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    let root = try files.openFolder(at: "/")
    let file = try files.createFile(a, in: root, mode: 0o600)
    try files.syncFolder(root)
    try files.writeAll([1, 2, 3, 4], to: file)
    if syncsFile { try files.sync(file) }
    files.close(file)
    try files.publish(a, in: root, as: b, in: root)
    if syncsFolder { try files.syncFolder(root) }
    files.close(root)
    return files
  }

  /// What is at /a and /b.
  private func contents(_ files: MemoryFileSystem) -> [[UInt8]?] {
    ["/a", "/b"].map { try? files.contents(at: $0) }
  }

  // FIL-4, FIL-8: the order of FIL-2 leaves the whole file under its new name, whatever is lost.
  @Test(arguments: ContentFate.allCases)
  func syncedFileAndFolderSurviveAPowerLoss(_ fate: ContentFate) throws {
    let files = try published(syncsFile: true, syncsFolder: true)
    #expect(files.unsyncedNameCount == 0 && files.unsyncedFileCount == 0)
    let after = files.afterPowerLoss(keepsName: { _ in false }, content: { _ in fate })
    #expect(contents(after) == [nil, [1, 2, 3, 4]])
  }

  // FIL-8: without the folder's sync the rename happened or did not, never half.
  @Test(arguments: [true, false])
  func unsyncedRenameIsWholeOrNot(_ keeps: Bool) throws {
    let files = try published(syncsFile: true, syncsFolder: false)
    #expect(files.unsyncedNameCount == 1)
    let after = files.afterPowerLoss(keepsName: { _ in keeps }, content: { _ in .dropped })
    #expect(contents(after) == (keeps ? [nil, [1, 2, 3, 4]] : [[1, 2, 3, 4], nil]))
  }

  // FIL-8: without the file's sync its content may be anything: this is what FIL-2 prevents.
  @Test(arguments: [
    (ContentFate.kept, [1, 2, 3, 4] as [UInt8]), (.dropped, []), (.truncated, [1, 2]),
    (.garbled, [254, 253, 252, 251]),
  ])
  func unsyncedContentHasEachFate(_ fate: ContentFate, _ expected: [UInt8]) throws {
    let files = try published(syncsFile: false, syncsFolder: true)
    #expect(files.unsyncedFileCount == 1)
    let after = files.afterPowerLoss(keepsName: { _ in false }, content: { _ in fate })
    #expect(contents(after) == [nil, expected])
  }

  // FIL-8: a removal that was not synced may come back.
  @Test func unsyncedRemovalMayComeBack() throws {
    let files = try published(syncsFile: true, syncsFolder: true)
    let root = try files.openFolder(at: "/")
    try files.remove(b, in: root)
    let back = files.afterPowerLoss(keepsName: { _ in false }, content: { _ in .kept })
    #expect(contents(back) == [nil, [1, 2, 3, 4]])
    let gone = files.afterPowerLoss(keepsName: { _ in true }, content: { _ in .kept })
    #expect(contents(gone) == [nil, nil])
  }

  // FIL-8: killing the process loses nothing of the disk, but locks and open files end.
  @Test func killedProcessLeavesWhatItWrote() throws {
    let files = try published(syncsFile: false, syncsFolder: false)
    let root = try files.openFolder(at: "/")
    #expect(try files.lock(root))
    let after = files.afterKill()
    #expect(after.openHandleCount == 0)
    #expect(contents(after) == [nil, [1, 2, 3, 4]])
    #expect(after.unsyncedFileCount == 1 && after.unsyncedNameCount == 1)
    #expect(try after.lock(after.openFolder(at: "/")))
  }

  // FIL-8: after a crash every call fails and nothing changes.
  @Test func crashEndsEverything() throws {
    let files = MemoryFileSystem()
    files.crash(after: 2)
    let root = try files.openFolder(at: "/")
    let file = try files.createFile(a, in: root, mode: 0o600)
    #expect(files.hasCrashed)
    for _ in 0..<2 {
      #expect(number { try files.writeAll([1], to: file) } == MemoryFileSystem.crashNumber)
      #expect(number { try files.remove(a, in: root) } == MemoryFileSystem.crashNumber)
    }
    #expect(contents(files.afterKill()) == [[], nil])
    #expect(files.log.map(\.call) == ["openFolder", "createFile"])
  }

  // FIL-7: the n-th call fails, once or for ever, and it is known whether it did.
  @Test(arguments: [false, true])
  func plannedCallFails(_ isForever: Bool) throws {
    let files = MemoryFileSystem()
    let root = try files.openFolder(at: "/")
    files.fail(call: "makeFolder", at: 2, with: EIO, forever: isForever)
    #expect(try files.makeFolder(a, in: root))
    #expect(files.firedFaultCount == 0)
    #expect(number { _ = try files.makeFolder(b, in: root) } == EIO)
    #expect(files.firedFaultCount == 1)
    #expect(number { _ = try files.makeFolder(b, in: root) } == (isForever ? EIO : nil))
    files.stopFailing()
    _ = try files.makeFolder(b, in: root)
  }

  // FIL-7: a full disk takes what fits, then nothing; removing gives the space back.
  @Test func fullDiskTakesWhatFits() throws {
    let files = MemoryFileSystem()
    files.configure { $0.capacityByteCount = 3 }
    let root = try files.openFolder(at: "/")
    let file = try files.createFile(a, in: root, mode: 0o600)
    #expect(number { try files.writeAll([1, 2, 3, 4], to: file) } == ENOSPC)
    #expect(try files.contents(at: "/a") == [1, 2, 3])
    #expect(try files.freeByteCount(root) == 0)
    try files.remove(a, in: root)
    #expect(try files.freeByteCount(root) == 0, "an open file keeps its space")
    files.close(file)
    #expect(try files.freeByteCount(root) == 3)
  }

  @Test func networkIsWhatTheTestSays() throws {
    let files = MemoryFileSystem()
    files.configure { $0.isNetwork = true }
    #expect(try files.isNetwork(files.openFolder(at: "/")))
  }
}
