import CSettleSystem
import SettleCore
import SettleFiles
import SettleTestSupport
import Testing

@testable import SettleVerify

/// What a case of ``documentCases`` should end in.
enum Expected: Sendable, Equatable {
  case accepted(Int, Set<Verdict.Flag>)
  case refused(SettleError.Code)

  init?(_ verdict: Verdict) {
    switch verdict {
    case .accepted(let pageCount, let flags): self = .accepted(pageCount, flags)
    case .refused(let code, _): self = .refused(code)
    case .cancelled: return nil
    }
  }
}

/// One document and its verdict.
struct DocumentCase: Sendable, CustomTestStringConvertible {
  let name: String
  let expected: Expected
  let bytes: @Sendable () -> [UInt8]

  init(
    _ name: String, _ expected: Expected, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8]
  ) {
    self.name = name
    self.expected = expected
    self.bytes = bytes
  }

  var testDescription: String { name }
}

let documentCases: [DocumentCase] = [
  .init("plain", .accepted(1, []), Documents.plain()),
  .init("three pages", .accepted(3, []), Documents.plain(pageCount: 3, byteCount: 200_000)),
  .init("large", .accepted(2, []), Documents.plain(pageCount: 2, byteCount: 6_000_000)),
  .init("large, cut", .refused(.incomplete), Documents.cut(at: 0.9, byteCount: 6_000_000)),
  .init("junk of 3", .accepted(1, []), Documents.leadingJunk(3)),
  .init("junk of 200", .accepted(1, []), Documents.leadingJunk(200)),
  .init("junk of 1023", .accepted(1, []), Documents.leadingJunk(1_023)),
  .init("junk of 1024", .refused(.notAPDF), Documents.leadingJunk(1_024)),
  .init("wrong startxref", .accepted(1, [.repaired]), Documents.wrongStart()),
  .init("trailing zeros", .accepted(1, [.repaired]), Documents.trailingZeros()),
  .init("more trailing zeros", .accepted(1, [.repaired]), Documents.trailingZeros(300_000)),
  .init("a hole at the end", .refused(.incomplete), Documents.trailingZeros(2_000_000)),
  .init("cut at 0.3", .refused(.incomplete), Documents.cut(at: 0.3)),
  .init("cut at 0.9", .refused(.incomplete), Documents.cut(at: 0.9)),
  .init("cut, large", .refused(.incomplete), Documents.cut(at: 0.9, byteCount: 300_000)),
  .init("linearized", .accepted(1, []), Documents.linearized()),
  .init("linearized, cut", .refused(.incomplete), Documents.linearizedCut()),
  .init("linearized, barely cut", .refused(.incomplete), Documents.linearizedCut(at: 0.97)),
  .init("overwritten table", .refused(.damaged), Documents.overwrittenTable()),
  .init("empty kids", .refused(.noPages), Documents.noKids()),
  .init("no page tree", .refused(.noPages), Documents.noPages()),
  .init("lying count", .accepted(1, []), Documents.lyingCount()),
  .init("owner password", .accepted(1, [.encrypted]), Documents.encrypted()),
  .init(
    "user password", .refused(.passwordRequired), Documents.encrypted(userPassword: "secret")),
  .init("deep page tree", .refused(.tooComplex), Documents.deepTree()),
  .init("object stream bomb", .refused(.tooComplex), Documents.objectStreamBomb()),
  .init(
    "harmless object stream", .accepted(1, []),
    Documents.objectStreamBomb(inflatedByteCount: 1_000_000)),
  .init("web page", .refused(.notAPDF), Documents.html),
  .init("zeros", .refused(.notAPDF), Documents.zeros()),
  .init("empty", .refused(.notAPDF), []),
]

@Suite struct VerdictTests {
  // IMP-4, IMP-9
  @Test(arguments: documentCases) func everyDocumentGetsItsVerdict(_ document: DocumentCase) throws
  {
    let folder = DocumentFolder()
    let pool = try testPool()
    let verdict = try pool.verify(folder.write(document.bytes(), as: "a.pdf")) { false }
    #expect(Expected(verdict) == document.expected, "\(pool.engine): \(verdict)")
  }

  // IMP-4
  @Test func afterEveryDocumentTheNextOneWorks() throws {
    let folder = DocumentFolder()
    let pool = try testPool()
    let good = folder.write(Documents.plain(pageCount: 2, seed: 9), as: "good.pdf")
    for document in documentCases {
      let path = folder.write(document.bytes(), as: "a.pdf")
      #expect(Expected(try pool.verify(path) { false }) == document.expected, "\(document.name)")
      let next = try pool.verify(good) { false }
      #expect(next == .accepted(pageCount: 2, flags: []), "after \(document.name): \(pool.engine)")
    }
  }

  // IMP-4
  @Test func aLegalFileOfManyPagesIsNotTooComplex() throws {
    let folder = DocumentFolder()
    let pool = try testPool()
    let path = folder.write(Documents.plain(pageCount: 100_000), as: "a.pdf")
    let verdict = try pool.verify(path) { false }
    #expect(verdict == .accepted(pageCount: 100_000, flags: []), "\(pool.engine)")
  }

  // FIL-6
  @Test func aPathOfOddBytesIsVerified() throws {
    let folder = DocumentFolder()
    let pool = try testPool()
    let name: [UInt8] = Array("-a\n\r\t \"%'\\".utf8) + [0xFF, 0xFE, 0x80, 0x01]
    let path = folder.write(Documents.plain(), as: name)
    #expect(try pool.verify(path) { false } == .accepted(pageCount: 1, flags: []))
  }

  // IMP-10
  @Test func whatCannotBeOpenedSaysWhy() throws {
    let folder = DocumentFolder()
    let pool = try testPool()
    let target = folder.write(Documents.plain(), as: "a.pdf")
    let link = folder.adopt("link.pdf")
    #expect(target.withCString { from in link.withCString { symlink(from, $0) } } == 0)
    let pipe = folder.adopt("pipe.pdf")
    #expect(pipe.withCString { mkfifo($0, 0o600) } == 0)
    let cases: [(BytePath, SettleError.Code)] = [
      (folder.path.appending("none".utf8), .notFound), (BytePath([]), .notFound),
      (BytePath([0x61, 0]), .notFound), (folder.path, .notARegularFile),
      (link, .notARegularFile), (pipe, .notARegularFile),
    ]
    for (path, code) in cases {
      #expect(Expected(try pool.verify(path) { false }) == .refused(code), "\(path)")
    }
    #expect(pool.idleProcesses.count == 1, "one process served them all")
  }
}

/// A pool on the helper that was just built; the helper is part of this package, so it is there.
func testPool(_ change: (inout VerifierPool.Limits) -> Void = { _ in }) throws -> VerifierPool {
  let program = try #require(BuiltProducts.verifier, "settle-verify is not built")
  return pool(on: program, change)
}

/// A pool on any program.
func pool(
  on program: BytePath, _ change: (inout VerifierPool.Limits) -> Void = { _ in }
) -> VerifierPool {
  var limits = VerifierPool.Limits()
  change(&limits)
  return VerifierPool(location: VerifierLocation(chosen: program.bytes), limits: limits)
}
