import SettleVerify

/// Files for the demo that are no whole documents; the whole ones are `SampleDocument`s.
enum DemoDocument {
  /// A download that broke off: the first half of a right PDF.
  static func cutOff() -> [UInt8] {
    let whole = SampleDocument.pdf(title: "cut off")
    return Array(whole.prefix(whole.count / 2))
  }

  /// A web page that was saved under the name of a PDF.
  static let webPage = Array("<html><body>404 Not Found</body></html>\n".utf8)
}
