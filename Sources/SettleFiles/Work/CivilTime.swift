/// A moment in UTC, by the calendar's own arithmetic: no locale, no time zone file.
package enum CivilTime {
  /// ISO 8601 with milliseconds, such as `2026-11-30T01:48:17.042Z`.
  package static func iso8601(milliseconds: Int64) -> String {
    let parts = split(milliseconds)
    return date(parts.days) + "T" + clock(parts.seconds) + "." + padded(parts.milliseconds, 3) + "Z"
  }

  /// For people, to the minute: `2026-11-30 01:48`.
  package static func short(milliseconds: Int64) -> String {
    let parts = split(milliseconds)
    return date(parts.days) + " " + String(clock(parts.seconds).prefix(5))
  }

  private static func split(
    _ value: Int64
  ) -> (days: Int64, seconds: Int64, milliseconds: Int64) {
    let seconds = floorDivided(value, 1000)
    let days = floorDivided(seconds, 86_400)
    return (days, seconds - days * 86_400, value - seconds * 1000)
  }

  private static func clock(_ seconds: Int64) -> String {
    [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
  }

  /// Days since 1970 as a date: years are counted from March, so that a leap day comes last.
  private static func date(_ days: Int64) -> String {
    let shifted = days + 719_468
    let era = floorDivided(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
  }

  private static func floorDivided(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
