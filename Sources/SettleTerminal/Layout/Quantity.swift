/// Quantities as text: plain ASCII, the same in every locale, always rounded down.
package enum Quantity {
  /// A count with separators: `1,204`.
  package static func count(_ value: some BinaryInteger) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A count with its noun: `1 file`, `2 files`.
  package static func count(_ value: some BinaryInteger, _ one: String, _ many: String) -> String {
    count(value) + " " + (value == 1 ? one : many)
  }

  /// Bytes in decimal units: `999 B`, `1.2 kB`, `85 MB`.
  package static func bytes(_ value: Int64) -> String {
    let value = max(0, value)
    guard value >= 1000 else { return "\(value) B" }
    var unit: Int64 = 1000
    var name = 0
    while name < unitNames.count - 1, value / unit >= 1000 {
      unit *= 1000
      name += 1
    }
    let tenths = value / (unit / 10)
    if tenths >= 100 { return "\(tenths / 10) \(unitNames[name])" }
    return "\(tenths / 10).\(tenths % 10) \(unitNames[name])"
  }

  /// Bytes per second; nil for a rate that is no number.
  package static func rate(_ bytesPerSecond: Double) -> String? {
    guard bytesPerSecond.isFinite, bytesPerSecond >= 0, bytesPerSecond < 1e18 else { return nil }
    return bytes(Int64(bytesPerSecond)) + "/s"
  }

  /// A duration as `0:05`, `12:34` or `1:02:03`.
  package static func duration(_ value: Duration) -> String {
    let seconds = max(0, value.components.seconds)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
    return "\(minutes):\(twoDigits(seconds % 60))"
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

  private static let unitNames = ["kB", "MB", "GB", "TB", "PB", "EB"]
}
