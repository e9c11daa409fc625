import CQPDF
import CSettleSystem
import SettleVerify

/// One reading of one file by qpdf's C API.
struct PDFParser {
  /// Where the bytes are.
  enum Source {
    /// All of them, for as long as the parser reads.
    case memory(UnsafeRawBufferPointer)
    /// Behind a descriptor.
    case file(descriptor: Int32, byteCount: UInt64)

    /// The size of the document.
    var byteCount: UInt64 {
      switch self {
      case .memory(let bytes): UInt64(bytes.count)
      case .file(_, let byteCount): byteCount
      }
    }
  }

  /// The engine with its version.
  static var engine: String { "qpdf " + String(cString: qpdf_get_qpdf_version()) }

  private static let warningLimit = 50

  /// Opens a document and counts its pages.
  static func answer(_ source: Source, isRecovering: Bool) -> DocumentFacts.ParserAnswer {
    var data = qpdf_init()
    defer { qpdf_cleanup(&data) }
    guard let parser = data else { return .outOfMemory }
    qpdf_silence_errors(parser)
    qpdf_set_suppress_warnings(parser, QPDF_BOOL(1))
    qpdf_set_attempt_recovery(parser, QPDF_BOOL(isRecovering ? 1 : 0))
    switch source {
    case .memory(let bytes):
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = qpdf_read_memory(parser, "document", start, UInt64(bytes.count), nil)
    case .file(let descriptor, _):
      _ = qpdf_read(parser, "/dev/fd/\(descriptor)", nil)
    }
    var failure = error(of: parser)
    var pageCount: Int32 = -1
    if failure == nil {
      pageCount = qpdf_get_num_pages(parser)
      failure = error(of: parser)
    }
    // A failed allocation arrives as a warning while the rest reads like damage.
    if failure?.isOutOfMemory == true || hasMemoryWarning(parser) { return .outOfMemory }
    if let failure {
      return failure.isPassword ? .passwordRequired : .failed(detail: failure.detail)
    }
    guard pageCount >= 0 else { return .failed(detail: "the pages cannot be counted") }
    return .opened(pageCount: Int(pageCount), isEncrypted: qpdf_is_encrypted(parser) != 0)
  }

  private struct Failure {
    let isPassword: Bool
    let detail: String
    var isOutOfMemory: Bool { PDFParser.isOutOfMemory(detail) }
  }

  private static func error(of parser: qpdf_data) -> Failure? {
    guard qpdf_has_error(parser) != 0, let error = qpdf_get_error(parser) else { return nil }
    let detail = qpdf_get_error_message_detail(parser, error).map { String(cString: $0) }
    return Failure(
      isPassword: qpdf_get_error_code(parser, error) == qpdf_e_password, detail: detail ?? "")
  }

  private static func hasMemoryWarning(_ parser: qpdf_data) -> Bool {
    for _ in 0..<warningLimit where qpdf_more_warnings(parser) != 0 {
      guard let warning = qpdf_next_warning(parser),
        let text = qpdf_get_error_full_text(parser, warning)
      else { return false }
      if isOutOfMemory(String(cString: text)) { return true }
    }
    return false
  }

  private static func isOutOfMemory(_ text: String) -> Bool {
    let word = Array("bad_alloc".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count >= word.count else { return false }
    return (0...(bytes.count - word.count)).contains {
      bytes[$0..<($0 + word.count)].elementsEqual(word)
    }
  }
}
