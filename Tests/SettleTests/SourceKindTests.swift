import CSettleSystem
import Settle
import SettleTestSupport
import Testing

/// Every verdict and every kind of source, on real files through the real verifier.
@Suite struct SourceKindTests {
  private func code(_ outcome: Outcome) -> String {
    switch outcome {
    case .succeeded: "succeeded"
    case .failed(let error): error.code.rawValue
    case .skipped(let reason): "skipped(\(reason.code.rawValue))"
    case .cancelled: "cancelled"
    }
  }

  // IMP-4, IMP-9, IMP-10, FIL-3: each refused by name, and the next document always works.
  @Test func everyDocumentGetsItsVerdict() async throws {
    let cases: [(String, [UInt8], String)] = [
      ("plain", Documents.plain(), "succeeded"),
      ("junk 3", Documents.leadingJunk(3), "succeeded"),
      ("junk 200", Documents.leadingJunk(200), "succeeded"),
      ("junk 1023", Documents.leadingJunk(1_023), "succeeded"),
      ("junk 1024", Documents.leadingJunk(1_024), "notAPDF"),
      ("wrong startxref", Documents.wrongStart(seed: 2), "succeeded"),
      ("trailing zeros", Documents.trailingZeros(seed: 3), "succeeded"),
      ("cut", Documents.cut(at: 0.5), "incomplete"),
      ("table overwritten", Documents.overwrittenTable(), "damaged"),
      ("linearized", Documents.linearized(), "succeeded"),
      ("linearized, cut", Documents.linearizedCut(), "incomplete"),
      ("no kids", Documents.noKids(), "noPages"),
      ("no pages", Documents.noPages(), "noPages"),
      ("lying count", Documents.lyingCount(), "succeeded"),
      ("owner password", Documents.encrypted(), "succeeded"),
      ("user password", Documents.encrypted(userPassword: "secret"), "passwordRequired"),
      ("deep tree", Documents.deepTree(), "tooComplex"),
      ("bomb", Documents.objectStreamBomb(), "tooComplex"),
      ("HTML", Documents.html, "notAPDF"),
      ("zeros", Documents.zeros(), "notAPDF"),
      ("empty", [], "emptySource"),
      ("plain again", Documents.plain(seed: 99), "succeeded"),
    ]
    try await withBox { box in
      var paths: [BytePath] = []
      for (index, example) in cases.enumerated() {
        paths.append(try box.write(example.1, as: "\(100 + index) \(example.0).pdf"))
      }
      let (report, items) = try await box.importing(paths)
      #expect(items.count == cases.count)
      for (item, example) in zip(items, cases) {
        #expect(code(item.outcome) == example.2, "\(example.0): \(item.outcome)")
      }
      #expect(report.counts.settled == cases.count)
      try await box.expectConsistent()
    }
  }

  // IMP-9, FIL-6, FIL-7: none hangs, none ends the run, the source is never touched.
  @Test func everyKindOfSourceSettles() async throws {
    try await withBox { box in
      let plain = Documents.plain(seed: 5)
      let target = try box.write(plain, as: "target.pdf")
      func path(_ name: String) -> BytePath { box.sourcePath.appending(name.utf8) }
      func link(_ name: String, to target: String) {
        _ = path(name).withCString { name in target.withCString { symlink($0, name) } }
      }
      _ = path("pipe").withCString { mkfifo($0, 0o600) }
      let socketNumber = makeSocket(at: path("socket"))
      defer { close(socketNumber) }
      link("dangling", to: "nowhere.pdf")
      link("link.pdf", to: "target.pdf")
      link("loop", to: "loop")
      _ = path("empty folder").withCString { mkdir($0, 0o700) }
      _ = target.withCString { from in path("hard.pdf").withCString { CSettleSystem.link(from, $0) }
      }
      try makeSparse(path("sparse.pdf"))
      let named: [(BytePath, String)] = [
        (path("pipe"), "notARegularFile"), (path("socket"), "notARegularFile"),
        (path("dangling"), "notFound"), (path("loop"), "notARegularFile"),
        (path("nothing.pdf"), "notFound"), (target, "succeeded"),
        (path("link.pdf"), "skipped(duplicate)"), (path("hard.pdf"), "skipped(duplicate)"),
        (path("sparse.pdf"), "notAPDF"), ("/proc/self/status", "emptySource"),
        ("/dev/null", "notARegularFile"), ("/dev/zero", "notARegularFile"), ("", "notFound"),
        (BytePath(Array("a\0b".utf8)), "notFound"),
      ]
      let (_, items) = try await box.importing(named.map(\.0) + [path("empty folder")])
      #expect(items.count == named.count)
      for (item, example) in zip(items, named) {
        #expect(code(item.outcome) == example.1, "\(example.0): \(item.outcome)")
      }
      // The same things found in a folder are passed over, except documents.
      let (_, found) = try await box.importing()
      for item in found {
        let name = String(decoding: item.name, as: UTF8.self)
        let expected =
          name.hasSuffix(".pdf") && name != "sparse.pdf" && name != "link.pdf"
          ? "skipped(duplicate)"
          : name == "sparse.pdf" ? "notAPDF" : "skipped(unsupportedType)"
        #expect(code(item.outcome) == expected, "\(name): \(item.outcome)")
      }
      try await box.expectConsistent()
    }
  }

  // IMP-9: a source that grows or is replaced while it is copied is never stored as a mix.
  @Test(arguments: ["grows", "is replaced", "disappears"])
  func aSourceThatChangesWhileItIsCopiedFails(how: String) async throws {
    try await withBox { box in
      let source = try box.write(Documents.plain(seed: 3), as: "changing.pdf")
      let probe = CheckpointProbe()
      box.options.probe = probe
      probe.at("import.afterCopy") { _ in
        switch how {
        case "grows": append([0], to: source)
        case "is replaced":
          _ = source.withCString { unlink($0) }
          try? PosixFileSystem().makeFile(at: source, holding: Documents.plain(seed: 4))
        default: _ = source.withCString { unlink($0) }
        }
      }
      let (report, items) = try await box.importing([source])
      #expect(report.counts.failed == 1)
      let expected = how == "disappears" ? ["notFound", "sourceChanged"] : ["sourceChanged"]
      #expect(expected.contains(code(items[0].outcome)), "\(items[0].outcome)")
      #expect(items[0].attemptCount == (how == "disappears" ? 2 : 3))
      try await box.expectConsistent()
    }
  }

  // IMP-9, PRG-8: a source that changes once is copied again and stored whole.
  @Test func aSourceThatChangesOnceIsStoredAtTheSecondAttempt() async throws {
    try await withBox { box in
      let source = try box.write(Documents.plain(seed: 3), as: "settling.pdf")
      let probe = CheckpointProbe()
      box.options.probe = probe
      let changes = Collector<Int>()
      probe.at("import.afterCopy") { _ in
        guard changes.all.isEmpty else { return }
        changes.add(1)
        append(Array("%%EOF\n".utf8), to: source)
      }
      let (_, items) = try await box.importing([source])
      #expect(items[0].outcome == .succeeded)
      #expect(items[0].attemptCount == 2)
      let size = try PosixFileSystem().status(at: source, followsLink: false).byteCount
      #expect(items[0].entry?.byteCount == size)
      try await box.expectConsistent()
    }
  }

  // FIL-6, IMP-6: any name the file system allows is imported, kept as bytes and exported safely.
  @Test func everyNameIsImportedAndExported() async throws {
    let names: [[UInt8]] =
      [
        "new\nline.pdf", "es\u{1B}[31mcape.pdf", "-rf.pdf", "quote'\".pdf", "50%o.pdf",
        "cafe\u{301}.pdf", "caf\u{E9}.pdf", "\u{202E}fdp.exe.pdf", " ", "a\u{200B}b.pdf", "..pdf",
      ].map { Array($0.utf8) } + [
        [0xFF, 0xFE, 0x2E, 0x70, 0x64, 0x66], [UInt8](repeating: 0x61, count: 255),
      ]
    try await withBox { box in
      var paths: [BytePath] = []
      for (index, name) in names.enumerated() {
        paths.append(try box.write(Documents.plain(seed: UInt64(index)), as: name))
      }
      let (report, items) = try await box.importing(paths)
      #expect(report.counts.succeeded == names.count)
      #expect(items.map { $0.entry?.name } == names)
      let library = try await box.open()
      defer { library.close() }
      let target = box.folder.appending("out".utf8)
      let exported = Collector<ExportedItem>()
      let export = try await library.export(nil, to: target) { exported.add($0) }
      #expect(export.exportedCount == names.count)
      for item in exported.all {
        let name = try #require(item.name)
        #expect(name.count <= 255 && isUTF8(name))
        #expect(name.first != UInt8(ascii: "-") && name.first != UInt8(ascii: "."))
        #expect(!["\\x", "\\u", "\\n"].contains { shown(name).contains($0) })
      }
      #expect(Set(exported.all.map(\.name)).count == names.count)
      try await box.expectConsistent()
    }
  }
}

private func append(_ bytes: [UInt8], to path: BytePath) {
  let number = path.withCString { settle_openat(AT_FDCWD, $0, O_WRONLY | O_APPEND, 0) }
  precondition(number >= 0)
  let written = bytes.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
  precondition(written == bytes.count)
  close(number)
}

private func makeSparse(_ path: BytePath) throws {
  try PosixFileSystem().makeFile(at: path, holding: [])
  _ = path.withCString { truncate($0, 50 << 20) }
}

private func makeSocket(at path: BytePath) -> Int32 {
  let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { field in
    field.copyBytes(from: path.bytes.prefix(field.count - 1))
  }
  let bound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  precondition(bound == 0, "bind failed: \(settle_errno())")
  return number
}
