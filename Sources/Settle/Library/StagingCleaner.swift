import SettleCore
import SettleFiles

/// Removes staging folders of runs, and only what a run of ours can have put there (FIL-3).
///
/// The caller holds the writer lock, so no living run owns what is found.
struct StagingCleaner {
  let folders: LibraryFolders

  /// Removes one run's folder with its files. Best effort: the next open tries again.
  /// Returns how many files were removed.
  @discardableResult
  func remove(_ run: FileName) -> Int {
    guard let folder = try? folders.files.openFolder(run, in: folders.staging) else { return 0 }
    defer { folders.files.close(folder) }
    var names: [FileName] = []
    try? folders.files.list(folder) { name, kind in
      if kind == .regular, EntryID(bytes: name.bytes) != nil { names.append(name) }
      return true
    }
    var removed = 0
    for name in names where (try? folders.files.remove(name, in: folder)) != nil { removed += 1 }
    try? folders.files.removeFolder(run, in: folders.staging)
    return removed
  }

  /// The folders of runs, sorted.
  func runs() throws(SettleError) -> [FileName] {
    var names: [FileName] = []
    do throws(FileError) {
      try folders.files.list(folders.staging) { name, kind in
        if kind == .folder, RunID(bytes: name.bytes) != nil { names.append(name) }
        return true
      }
    } catch { throw SettleError(error, stage: nil, subject: folders.path.bytes) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// How many files of ours a run's folder holds.
  func fileCount(_ run: FileName) -> Int {
    guard let folder = try? folders.files.openFolder(run, in: folders.staging) else { return 0 }
    defer { folders.files.close(folder) }
    var count = 0
    try? folders.files.list(folder) { name, kind in
      if kind == .regular, EntryID(bytes: name.bytes) != nil { count += 1 }
      return true
    }
    return count
  }
}
