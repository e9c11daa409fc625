import SettleCore
import SettleFiles

/// 1 MiB kept back so that the ledger can still be written when the disk is full (FIL-7).
///
/// It is for deleting, which must work when others have filled the disk. Imports leave a margin, so
/// that they do not use it up themselves; it is made again after whatever may have freed space.
enum Reserve {
  static let byteCount = 1 << 20
  /// Bytes that an import leaves free beside a document: the reserve, the ledger's growth, and
  /// copies that other workers are just writing.
  static let margin: Int64 = 4 << 20

  /// The smallest reserve with which the ledger can record a removal: some pages and its log.
  private static let leastByteCount = 256 << 10
  /// What is left free beside a reserve that is made on an almost full disk.
  private static let slack: Int64 = 64 << 10

  /// Makes the reserve when it is missing, as large as there is room for: on a disk that is full
  /// again and again every removal must find one. Best effort: without it everything works until
  /// the disk is full.
  static func refill(_ folders: LibraryFolders) {
    let files = folders.files
    let free = (try? files.freeByteCount(folders.root)) ?? 0
    let present = try? files.status(LibraryFolders.reserveName, in: folders.root)
    if let present {
      // A small one, made when there was little room, is replaced once there is enough.
      guard present.byteCount < byteCount, free > Int64(2 * byteCount) else { return }
      try? files.remove(LibraryFolders.reserveName, in: folders.root)
    }
    let count = min(byteCount, Int(clamping: free - slack))
    guard count >= leastByteCount,
      let handle = try? files.createFile(LibraryFolders.reserveName, in: folders.root, mode: 0o600)
    else { return }
    defer { files.close(handle) }
    do throws(FileError) {
      try files.writeAll(handle, [UInt8](repeating: 0, count: count))
    } catch {
      // A reserve that did not fit would only take the last room.
      try? files.remove(LibraryFolders.reserveName, in: folders.root)
    }
  }

  /// Runs something that writes the ledger; when the disk is full, gives up the reserve and tries
  /// once more.
  static func lend<Value>(
    _ folders: LibraryFolders, _ body: () throws(SettleError) -> Value
  ) throws(SettleError) -> Value {
    do throws(SettleError) {
      return try body()
    } catch {
      guard error.code == .noSpace else { throw error }
      do throws(FileError) {
        try folders.files.remove(LibraryFolders.reserveName, in: folders.root)
      } catch { throw SettleError(.noSpace, stage: .record, subject: folders.path.bytes) }
      return try body()
    }
  }
}
