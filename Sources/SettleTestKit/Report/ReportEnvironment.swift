import CSettleSystem
import SettleCore
import SettleFiles

/// The machine and the versions that a report is about. What is not known is nil, never guessed.
public struct ReportEnvironment: Sendable, Hashable {
  /// The operating system with its version.
  public var os: String?
  /// The operating system's build.
  public var build: String?
  /// The kernel with its release and build.
  public var kernel: String?
  /// The processor's architecture.
  public var architecture: String?
  /// Processors that can be used.
  public var coreCount: Int?
  /// The Swift compiler that made the program.
  public var swift: String?
  /// `debug` or `release`.
  public var configuration: String?
  /// The kind of file system of the folder that was tested in.
  public var fileSystem: String?
  /// Whether that folder tells large letters from small ones.
  public var isCaseSensitive: Bool?
  /// Bytes free there.
  public var freeByteCount: Int64?
  /// The package under test, with its version.
  public var package: String?
  /// The commit that the program was built from.
  public var commit: String?
  /// The seed of everything random.
  public var seed: UInt64?

  /// Nothing is known.
  public init() {}

  /// Each value with its JSON key and a heading, as text; nil is unknown.
  var facts: [(key: String, heading: String, value: String?)] {
    [
      ("package", "Package", package), ("commit", "Commit", commit), ("os", "System", os),
      ("build", "System build", build), ("kernel", "Kernel", kernel),
      ("architecture", "Architecture", architecture),
      ("cores", "Processors", coreCount.map(String.init)), ("swift", "Swift", swift),
      ("configuration", "Configuration", configuration),
      ("fileSystem", "File system", fileSystem),
      ("caseSensitive", "Case-sensitive", isCaseSensitive.map { $0 ? "yes" : "no" }),
      ("freeBytes", "Free bytes", freeByteCount.map(String.init)),
      ("seed", "Seed", seed.map(String.init)),
    ]
  }
}

extension ReportEnvironment {
  /// This machine. With a folder also its file system, free space, and whether it tells large
  /// letters from small ones, for which a file is made in it and removed.
  ///
  /// The commit is what the variable `SETTLE_COMMIT` says, if that is one.
  ///
  /// **After a crash** one empty file whose name begins with `.settle-case-` may be left.
  public static func current(in folder: BytePath? = nil) -> ReportEnvironment {
    var result = ReportEnvironment()
    (result.os, result.build) = SystemRelease.read()
    var names = utsname()
    if uname(&names) == 0 {
      result.kernel = [text(names.sysname), text(names.release), text(names.version)]
        .joined(separator: " ")
      result.architecture = text(names.machine)
    }
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    result.coreCount = cores > 0 ? cores : nil
    result.swift = compiler
    result.configuration = isDebug ? "debug" : "release"
    result.commit = getenv("SETTLE_COMMIT").flatMap { commit(String(cString: $0)) }
    if let folder { result.look(at: folder) }
    return result
  }

  private mutating func look(at folder: BytePath) {
    let files = PosixFileSystem()
    guard let handle = try? files.openFolder(at: folder) else { return }
    defer { files.close(handle) }
    let kind = String(cString: settle_file_system_kind(handle.number))
    fileSystem = kind == "unknown" ? nil : kind
    freeByteCount = try? files.freeByteCount(handle)
    let name = ".settle-case-\(getpid())"
    let (small, large) = (FileName(own: name), FileName(own: name.uppercased()))
    guard let file = try? files.createFile(small, in: handle, mode: 0o600) else { return }
    files.close(file)
    do throws(FileError) {
      _ = try files.status(large, in: handle)
      isCaseSensitive = false
    } catch { isCaseSensitive = error.isNotFound ? true : nil }
    try? files.remove(small, in: handle)
  }

  /// A commit id, perhaps with the mark of a tree that was changed since; nil for anything else.
  static func commit(_ text: String) -> String? {
    let id = text.prefix { $0.isASCII && $0.isHexDigit }
    let rest = text[id.endIndex...]
    return (7...64).contains(id.count) && (rest.isEmpty || rest == "-dirty") ? text : nil
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// As far as a program can know by which compiler it was made.
  private static var compiler: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3.2)
      "6.3.2 or later"
    #elseif compiler(>=6.3.1)
      "6.3.1"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "before 6.3"
    #endif
  }
}

/// Name and build of the operating system, from the files in which systems keep them.
enum SystemRelease {
  static func read() -> (os: String?, build: String?) {
    let files = PosixFileSystem()
    if let text = contents(of: "/etc/os-release", files) { return linux(text) }
    return contents(of: "/System/Library/CoreServices/SystemVersion.plist", files)
      .map(apple) ?? (nil, nil)
  }

  /// Lines of `NAME="value"`.
  static func linux(_ text: String) -> (os: String?, build: String?) {
    var values: [Substring: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let pair = line.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      let quotes: Set<Character> = ["\"", "'"]
      let isQuoted =
        pair[1].count > 1 && pair[1].first == pair[1].last
        && pair[1].first.map(quotes.contains) == true
      values[pair[0]] = String(isQuoted ? pair[1].dropFirst().dropLast() : pair[1])
    }
    return (values["PRETTY_NAME"] ?? values["NAME"], values["BUILD_ID"])
  }

  /// A property list in which a `<key>` is followed by its `<string>`.
  static func apple(_ text: String) -> (os: String?, build: String?) {
    func value(_ key: String) -> String? {
      let parts = text.split(separator: "<key>\(key)</key>", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let rest = parts[1].drop(while: \.isWhitespace)
      guard rest.hasPrefix("<string>") else { return nil }
      return String(rest.dropFirst("<string>".count).prefix { $0 != "<" })
    }
    let name = [value("ProductName"), value("ProductVersion")].compactMap { $0 }
    return (name.isEmpty ? nil : name.joined(separator: " "), value("ProductBuildVersion"))
  }

  private static func contents(of path: String, _ files: PosixFileSystem) -> String? {
    guard let handle = try? files.openSource(BytePath(Array(path.utf8)), followsLink: true) else {
      return nil
    }
    defer { files.close(handle) }
    return (try? files.readStart(of: handle, byteCount: 65_536)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
