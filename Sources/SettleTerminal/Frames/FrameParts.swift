import SettleCore

/// Rate and time left as they are shown: nil is not shown.
package struct FrameEstimate: Sendable, Equatable {
  /// Bytes per second.
  package var bytesPerSecond: Double?
  /// Time left.
  package var timeLeft: Duration?

  /// An estimate; nothing is known by default.
  package init(bytesPerSecond: Double? = nil, timeLeft: Duration? = nil) {
    self.bytesPerSecond = bytesPerSecond
    self.timeLeft = timeLeft
  }
}

/// The words of a snapshot, from which frames and plain lines are put together (OBS-2).
struct FrameParts {
  let snapshot: RunSnapshot
  let estimate: FrameEstimate

  /// True while no honest percentage exists (PRG-6).
  var isCounting: Bool {
    !snapshot.state.isSettled
      && (snapshot.phase == .counting || snapshot.progress.isIndeterminate)
  }

  /// What the run is doing. A percentage next to it speaks of this phase only (PRG-7).
  var activity: String {
    switch snapshot.state {
    case .cancelling: "cancelling"
    case .cancelled, .failed, .succeeded: snapshot.state.rawValue
    case .waiting, .running: isCounting ? "counting" : snapshot.phase.rawValue
    }
  }

  /// `1,204 files so far`.
  var counted: String {
    Quantity.count(snapshot.items.count, "file", "files") + " so far"
  }

  /// The percentage, rounded down: 100 only together with the run's outcome (PRG-9).
  var percent: Int? {
    guard !isCounting, let fraction = snapshot.progress.fractionCompleted else { return nil }
    if fraction >= 1, snapshot.state.isSettled { return 100 }
    // The addend only mends products such as 0.29 * 100, which is 28.999999999999996.
    return min(Int(min(max(fraction, 0), 1) * 100 + 1e-9), 99)
  }

  /// The bar's filled share of a width; full only at 100 %.
  func filledColumns(of width: Int) -> Int {
    guard let fraction = snapshot.progress.fractionCompleted, let percent else { return 0 }
    if percent == 100 { return width }
    return min(Int(min(max(fraction, 0), 1) * Double(width) + 1e-9), max(0, width - 1))
  }

  /// One fact about the run, with its rank when there is no room for all: 0 stays longest.
  struct Detail {
    var text: String
    var rank: Int
  }

  /// The facts, in reading order.
  var details: [Detail] {
    var list = [Detail(text: itemText, rank: 1)]
    if let bytes = byteText { list.append(Detail(text: bytes, rank: 3)) }
    if !snapshot.state.isSettled {
      if let rate = estimate.bytesPerSecond.flatMap(Quantity.rate) {
        list.append(Detail(text: rate, rank: 4))
      }
      if snapshot.state != .cancelling, let left = estimate.timeLeft {
        list.append(Detail(text: Quantity.duration(left) + " left", rank: 2))
      }
    }
    let counts = snapshot.counts
    if counts.failed > 0 {
      list.append(Detail(text: Quantity.count(counts.failed) + " failed", rank: 0))
    }
    if counts.skipped > 0 {
      list.append(Detail(text: Quantity.count(counts.skipped) + " skipped", rank: 5))
    }
    if counts.cancelled > 0 {
      list.append(Detail(text: Quantity.count(counts.cancelled) + " cancelled", rank: 6))
    }
    return list
  }

  /// The facts that fit, least important ones dropped first, in reading order.
  func details(columns: Int) -> String {
    let list = details
    var kept: Set<Int> = []
    for index in list.indices.sorted(by: { list[$0].rank < list[$1].rank }) {
      let attempt = kept.union([index])
      if ColumnWidth.of(joined(list, attempt)) <= columns { kept = attempt }
    }
    return joined(list, kept)
  }

  private func joined(_ list: [Detail], _ kept: Set<Int>) -> String {
    kept.sorted().map { list[$0].text }.joined(separator: ", ")
  }

  private var itemText: String {
    let settled = Quantity.count(snapshot.counts.settled)
    return "\(settled) of \(Quantity.count(snapshot.items.count, "item", "items"))"
  }

  private var byteText: String? {
    let bytes = snapshot.progress.bytes
    guard bytes.total.isExact, bytes.total.count > 0 else { return nil }
    let total = bytes.attainableTotal.count
    return Quantity.bytes(bytes.completedCount) + " of " + Quantity.bytes(total)
  }
}
