import SettleCore

/// An open file or folder of a ``FileSystem``.
package struct Handle: Sendable, Hashable {
  /// The descriptor, or the in-memory file system's own number.
  package let number: Int32

  /// Wraps a descriptor.
  package init(_ number: Int32) { self.number = number }
}

/// What a name is.
package enum FileKind: Sendable, Hashable {
  case regular, folder, link, pipe, socket, device, unknown
}

/// What is known of a file without reading it.
package struct FileStatus: Sendable, Hashable {
  package var kind: FileKind
  package var device: UInt64
  package var inode: UInt64
  package var byteCount: Int64
  package var modifiedSeconds: Int64
  package var modifiedNanoseconds: Int64
  package var mode: UInt32

  /// The status of an empty file; size, time and mode are set afterwards.
  package init(kind: FileKind, device: UInt64, inode: UInt64) {
    self.kind = kind
    self.device = device
    self.inode = inode
    byteCount = 0
    modifiedSeconds = 0
    modifiedNanoseconds = 0
    mode = 0
  }

  /// True when both describe the same file with the same content, as far as its stamp tells.
  package func isSameContent(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode && byteCount == other.byteCount
      && modifiedSeconds == other.modifiedSeconds
      && modifiedNanoseconds == other.modifiedNanoseconds
  }
}

/// A failed file operation.
package struct FileError: Error, Sendable, Hashable {
  /// The system call.
  package var call: String
  /// Its error number.
  package var number: Int32

  package init(_ call: String, _ number: Int32) {
    self.call = call
    self.number = number
  }
}

/// Everything that Settle does to a disk, so that tests can make each step fail.
///
/// Calls block. Names inside a library are single components below an open folder and links are
/// never followed there; only a user's own path (`at:`) may pass through links.
/// Implementations are in `FileSystems/`; one conformance suite runs over all of them.
package protocol FileSystem: Sendable {
  // MARK: Folders

  /// Opens a folder at a user's path, following links.
  func openFolder(at path: BytePath) throws(FileError) -> Handle
  /// Opens a folder by name; a link fails with ELOOP or ENOTDIR.
  func openFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Handle
  /// Makes a folder (mode 0700) at a user's path; true when it was made, false when it existed.
  func makeFolder(at path: BytePath) throws(FileError) -> Bool
  /// Makes a folder (mode 0700); true when it was made, false when the name existed.
  func makeFolder(_ name: FileName, in folder: Handle) throws(FileError) -> Bool
  /// Names and kinds in a folder, unsorted, without `.` and `..`; the body returns false to stop.
  func list(_ folder: Handle, _ body: (FileName, FileKind) -> Bool) throws(FileError)
  /// Makes the names in a folder durable.
  func syncFolder(_ folder: Handle) throws(FileError)
  /// Removes an empty folder.
  func removeFolder(_ name: FileName, in folder: Handle) throws(FileError)

  // MARK: Sources

  /// Opens a user's file for reading without ever blocking on a pipe.
  func openSource(_ path: BytePath, followsLink: Bool) throws(FileError) -> Handle
  /// The status of a user's path.
  func status(at path: BytePath, followsLink: Bool) throws(FileError) -> FileStatus

  // MARK: Files

  /// Opens a file for reading; a link fails with ELOOP.
  func openFile(_ name: FileName, in folder: Handle) throws(FileError) -> Handle
  /// Creates a file for reading and writing; an existing name fails with EEXIST. The umask counts
  /// only for modes that give rights to others.
  func createFile(_ name: FileName, in folder: Handle, mode: UInt32) throws(FileError) -> Handle
  /// The status of an open file or folder.
  func status(of handle: Handle) throws(FileError) -> FileStatus
  /// The status of a name, links not followed.
  func status(_ name: FileName, in folder: Handle) throws(FileError) -> FileStatus
  /// Reads at the handle's position; 0 at the end.
  func read(_ handle: Handle, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int
  /// Goes back to the beginning of an open file.
  func rewind(_ handle: Handle) throws(FileError)
  /// Writes at the handle's position; may write less than asked.
  func write(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) throws(FileError) -> Int
  /// Shares the source's blocks with an empty target; false where the file system cannot.
  func clone(_ source: Handle, to target: Handle) -> Bool
  func setMode(_ handle: Handle, _ mode: UInt32) throws(FileError)
  /// Starts writing back without waiting; a hint that may do nothing.
  func startWriteback(_ handle: Handle)
  /// Makes a file's content durable. After a failure the content is lost: never sync again.
  func sync(_ handle: Handle) throws(FileError)
  /// Ends a handle, whatever happens.
  func close(_ handle: Handle)
  /// Gives a file its final name without ever replacing one; EEXIST when the name is taken.
  func publish(
    _ name: FileName, in folder: Handle, as target: FileName, in targetFolder: Handle
  ) throws(FileError)
  /// Removes a file's name.
  func remove(_ name: FileName, in folder: Handle) throws(FileError)

  // MARK: The volume

  /// Bytes free for this user on the handle's volume.
  func freeByteCount(_ handle: Handle) throws(FileError) -> Int64
  /// True on NFS, SMB and their like.
  func isNetwork(_ handle: Handle) throws(FileError) -> Bool
  /// Takes an exclusive lock for this open file; false when somebody else has it.
  func lock(_ handle: Handle) throws(FileError) -> Bool
  /// Gives a lock back at once. Closing alone gives it back only when a child process that is just
  /// being started has lost its copy of the handle, too. Harmless without a lock.
  func unlock(_ handle: Handle)
  /// True when somebody has the exclusive lock, this process included. Takes it from nobody.
  func isLocked(_ handle: Handle) throws(FileError) -> Bool
}
