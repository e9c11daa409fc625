import CSettleSystem
import SettleFiles
import SettleProcess

/// A temporary folder for documents that ends with this object.
package final class DocumentFolder {
  /// The folder.
  package let path: BytePath
  private var names: [[UInt8]] = []

  /// Makes a new, empty folder below the system's temporary one.
  package init() {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/settle-documents-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    precondition(made, "no temporary folder below \(base): error \(settle_errno())")
    path = BytePath(template.dropLast().map(UInt8.init(bitPattern:)))
  }

  deinit {
    for name in names { _ = path.appending(name).withCString { unlink($0) } }
    let removed = path.withCString { rmdir($0) }
    precondition(removed == 0, "a test left files in \(path): error \(settle_errno())")
  }

  /// Writes a file and returns its path.
  package func write(_ bytes: [UInt8], as name: [UInt8], mode: mode_t = 0o600) -> BytePath {
    let file = path.appending(name)
    let descriptor = file.withCString {
      settle_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_TRUNC, mode)
    }
    precondition(descriptor >= 0, "cannot create \(file): error \(settle_errno())")
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        CSettleSystem.write(descriptor, $0.baseAddress! + done, bytes.count - done)
      }
      precondition(count > 0, "cannot write \(file): error \(settle_errno())")
      done += count
    }
    close(descriptor)
    names.append(name)
    return file
  }

  /// Writes a file under a plain name.
  package func write(_ bytes: [UInt8], as name: String, mode: mode_t = 0o600) -> BytePath {
    write(bytes, as: Array(name.utf8), mode: mode)
  }

  /// Writes a shell script and makes it a program.
  ///
  /// Another process writes it: a descriptor of this one could be inherited by a child that a
  /// parallel test is just starting, and the script would be "busy".
  package func program(_ script: String, as name: String = "program") throws -> BytePath {
    let file = adopt(name)
    let writer = Command(
      Array("/bin/sh".utf8),
      ["-c", "cat > \"$0\" && chmod 700 \"$0\""].map { Array($0.utf8) } + [file.bytes])
    let result = try writer.run(input: Array("#!/bin/sh\n\(script)\n".utf8))
    precondition(result.ending == .exited(0), "cannot write \(file): \(result)")
    return file
  }

  /// Remembers a file that something else made here, so that it is removed in the end.
  package func adopt(_ name: String) -> BytePath {
    names.append(Array(name.utf8))
    return path.appending(name.utf8)
  }
}
