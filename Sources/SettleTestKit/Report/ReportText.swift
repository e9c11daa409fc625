/// Text of reports: nothing in it moves a cursor, turns text around or ends an element.
enum ReportText {
  /// The same text with controls, bidirectional and invisible characters as escapes, and line ends
  /// as slashes. Quotation marks and backslashes stay as they are.
  static func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n": result += " / "
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
        .surrogate:
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Visible text for HTML and XML, in elements and in quoted attributes.
  static func markup(_ text: String) -> String {
    var result = ""
    for scalar in visible(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Visible text for Markdown, also in a table: no markup, no mention, no reference.
  static func markdown(_ text: String) -> String {
    var result = ""
    for scalar in visible(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "@": result += "&#64;"
      case "#": result += "&#35;"
      case "\\", "`", "*", "_", "[", "]", "|", "~":
        result += "\\"
        result.unicodeScalars.append(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Seconds with six digits: a duration is written to the microsecond.
  static func seconds(_ duration: Duration) -> String {
    let microseconds = duration.wholeMicroseconds
    let rest = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
  }
}

extension Duration {
  /// Rounded down; nothing below zero.
  var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}
