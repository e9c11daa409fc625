/// Exact arithmetic on the ticks of a progress tree.
///
/// The root owns ``ProgressSnapshot/fullWeight`` ticks. 2^60 rather than 2^53, so that the rounding
/// of a few ticks is far below what a `Double` can show and 0.30 reads exactly 0.30 (PRG-2).
enum Ticks {
  /// The part of `ticks` that `units` out of `whole` make, rounded down.
  ///
  /// Needs `0 <= units <= whole` and `ticks >= 0`. Nothing of nothing is nothing.
  static func part(_ units: Int64, of whole: Int64, in ticks: Int64) -> Int64 {
    guard units < whole else { return whole == 0 ? 0 : ticks }
    let product = ticks.multipliedFullWidth(by: units)
    return whole.dividingFullWidth(product).quotient
  }
}

extension Int64 {
  /// Adds without ever trapping: data may be absurd, the sum then stays at the largest value.
  func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
