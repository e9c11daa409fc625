import Foundation
import SettleCore
import SettleTestSupport
import Testing

@testable import SettleTestKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Each format of a report as whole text, read by independent parsers, and read back.
@Suite struct ReportFormatTests {
  // TST-6: JSON, word for word.
  @Test func theJSONIsThis() {
    #expect(ReportSamples.small().json() == ReportGoldens.json)
  }

  // TST-6: JUnit, word for word; failure is told from error and from skipped.
  @Test func theJUnitIsThis() {
    #expect(ReportSamples.small().junit() == ReportGoldens.junit)
  }

  // TST-6: Markdown, word for word.
  @Test func theMarkdownIsThis() {
    #expect(ReportSamples.small().markdown() == ReportGoldens.markdown)
  }

  // TST-6: the page, word for word after its style sheet.
  @Test func thePageIsThis() throws {
    let page = ReportSamples.small().html()
    let end = try #require(page.range(of: "</head>"))
    #expect(page[end.lowerBound...] == ReportGoldens.html)
    #expect(page.contains(HTMLStyle.text))
  }

  // TST-6: what is read back is the same value, also with characters that mean something.
  @Test func jsonIsReadBackByTheSameType() throws {
    var report = ReportSamples.small()
    #expect(try AcceptanceReport(json: Array(report.json().utf8)) == report)
    report.title = ReportSamples.evil
    report.interruption = ReportSamples.evil
    report.environment = ReportEnvironment()
    report.cells[0].reason = ReportSamples.evil
    report.cells[0].observation.problems = [ReportSamples.evil, ""]
    #expect(try AcceptanceReport(json: Array(report.json().utf8)) == report)
    report.cells = []
    #expect(try AcceptanceReport(json: Array(report.json().utf8)) == report)
    let current = AcceptanceReport(title: "here")
    #expect(try AcceptanceReport(json: Array(current.json().utf8)) == current)
  }

  // TST-6: a text that is no report is refused with what is wrong, never half read.
  @Test(arguments: [
    ("", "no JSON"), ("[]", "the report is no object"), ("{}", "schema"),
    (#"{"schema":"settle-acceptance","version":2}"#, "version"),
    (#"{"schema":"settle-acceptance","version":1}"#, "no environment"),
    (#"{"schema":"settle-acceptance","version":1,"environment":{}}"#, "cells must be a list"),
    (
      #"{"schema":"settle-acceptance","version":1,"environment":{"cores":-1},"cells":[]}"#,
      "cores must be a whole number"
    ),
    (
      #"{"schema":"settle-acceptance","version":1,"environment":{},"cells":[{"action":"a"}]}"#,
      "cell 1 has no fileType"
    ),
    (
      #"{"schema":"settle-acceptance","version":1,"environment":{},"cells":[{"action":"a","#
        + #""fileType":"b","source":"c","expected":"done","verdict":"asExpected"}]}"#,
      "cell 1: expected must be an outcome"
    ),
  ])
  func whatIsNoReportIsRefused(text: String, said: String) {
    let error = #expect(throws: ReportError.self) { try AcceptanceReport(json: Array(text.utf8)) }
    #expect(error?.description.contains(said) == true, "\(error?.description ?? "")")
  }

  // TST-6: every byte that is cut off or changed gives an error or a report, never a crash.
  @Test func cutTextIsRefused() {
    let bytes = Array(ReportSamples.small().json().utf8)
    for count in stride(from: 0, to: bytes.count - 2, by: 7) {
      #expect(throws: ReportError.self) { try AcceptanceReport(json: Array(bytes[..<count])) }
    }
  }

  // TST-6: Foundation reads the JSON and each of the JSON Lines.
  @Test func anotherJSONReaderAgrees() throws {
    let report = ReportSamples.small()
    let whole = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
    #expect((whole?["cells"] as? [[String: Any]])?.count == 4)
    let lines = report.jsonLines().split(separator: "\n")
    let types = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return (object as? [String: Any])?["type"] as? String
    }
    #expect(types == ["environment", "cell", "cell", "cell", "cell", "totals"])
  }

  // TST-6: an XML parser reads JUnit, also one that was written cell by cell and then closed.
  @Test func anXMLParserReadsTheJUnit() {
    let report = ReportSamples.small()
    let streamed =
      JUnitReport.head(of: report) + report.cells.map(JUnitReport.testCase).joined()
      + JUnitReport.tail
    for text in [report.junit(), streamed] {
      let parser = XMLParser(data: Data(text.utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      let counts = elements(text)
      #expect(counts["testcase"] == 4)
      #expect(counts["failure"] == 1 && counts["error"] == 1)
      #expect(counts["skipped"] == 1)
    }
  }

  // TST-6: the page is well formed down to each element, has no script and fetches nothing.
  @Test func thePageIsWellFormedAndSelfContained() throws {
    let page = ReportSamples.small().html(comparedTo: ReportSamples.small())
    var text = page.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "")
    // HTML's void elements, closed for the XML parser.
    text = text.replacing(/<meta ([^>]*)>/) { "<meta \($0.1)/>" }
    let parser = XMLParser(data: Data(text.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError)) line \(parser.lineNumber)")
    let counts = elements(page)
    #expect(counts["script"] == nil && counts["link"] == nil)
    #expect(counts["img"] == nil && counts["iframe"] == nil)
    for word in ["http:", "https:", "url(", "@import", "javascript:"] {
      #expect(!page.contains(word), "\(word)")
    }
    for word in ["prefers-color-scheme: dark", "@media print", "overflow-x: auto", "viewport"] {
      #expect(page.contains(word), "\(word)")
    }
  }

  // TST-6, FIL-6: no format but JSON, which is data, lets a name turn text round.
  @Test func noFormatForPeopleShowsAControlCharacter() {
    let report = ReportSamples.small()
    for text in [report.html(), report.markdown(), report.junit()] {
      let bad = text.unicodeScalars.first {
        $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
      }
      #expect(bad == nil)
    }
  }

  // TST-6: ten thousand cells are written, read and compared, and a comment keeps its limit.
  @Test func tenThousandCellsFit() throws {
    let cells = (0..<10_000).map { number in
      ReportSamples.cell("type \(number % 100)", "fault \(number / 100)") {
        $0.actual = number.isMultiple(of: 3) ? .failed("x \(ReportSamples.evil)") : .succeeded
        $0.fired = true
      }
    }
    let report = AcceptanceReport(
      title: "large", environment: ReportEnvironment(), result: MatrixResult(cells))
    #expect(try AcceptanceReport(json: Array(report.json().utf8)) == report)
    let comparison = report.compared(to: ReportSamples.small())
    #expect(comparison.newCells.count == 10_000 && comparison.goneCells.count == 4)
    let comment = report.markdown(comparedTo: ReportSamples.small())
    #expect(comment.utf8.count < 65_536 && comment.contains("more"), "\(comment.utf8.count)")
    #expect(report.html().contains("id=\"c10000\""))
    #expect(report.junit().contains("tests=\"10000\" failures=\"3334\""))
  }
}

/// How often each element begins, in text whose marks are all escaped.
private func elements(_ text: String) -> [String: Int] {
  text.matches(of: /<([a-z0-9]+)/).reduce(into: [:]) { $0[String($1.1), default: 0] += 1 }
}
