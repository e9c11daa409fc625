/// Chooses few rows so that every pair of values of two dimensions occurs.
enum AllPairs {
  /// Rows of a product of dimensions, in the product's order, that hold every pair which any
  /// possible row holds.
  ///
  /// Greedy: always a row with the most pairs that are still missing. That number only falls while
  /// rows are chosen, so one pass over the rows for each number finds the same rows as a search for
  /// the best one each time. Complexity: linear in the size of the product.
  static func rows(_ sizes: [Int], isPossible: ([Int]) -> Bool) -> [[Int]] {
    precondition(sizes.count > 1, "pairs need two dimensions")
    let possible = product(sizes).filter { isPossible(row($0, sizes)) }
    var missing = Missing(sizes)
    var chosen: [Int] = []
    for wanted in stride(from: missing.pairsPerRow, to: 0, by: -1) {
      for code in possible {
        let row = row(code, sizes)
        guard missing.count(in: row) >= wanted else { continue }
        missing.remove(row)
        chosen.append(code)
      }
    }
    return chosen.sorted().map { row($0, sizes) }
  }

  /// The codes of all rows.
  static func product(_ sizes: [Int]) -> Range<Int> { 0..<sizes.reduce(1, *) }

  /// The row of a code: its digits, the last dimension turning fastest.
  static func row(_ code: Int, _ sizes: [Int]) -> [Int] {
    var rest = code
    var row = sizes
    for index in sizes.indices.reversed() {
      row[index] = rest % sizes[index]
      rest /= sizes[index]
    }
    return row
  }

  /// The pairs that no chosen row holds, as a table for each two dimensions.
  private struct Missing {
    private let sizes: [Int]
    private let dimensions: [(left: Int, right: Int)]
    private var isMissing: [[Bool]]

    var pairsPerRow: Int { dimensions.count }

    init(_ sizes: [Int]) {
      self.sizes = sizes
      dimensions = sizes.indices.flatMap { left in
        sizes.indices.dropFirst(left + 1).map { (left, $0) }
      }
      isMissing = dimensions.map {
        [Bool](repeating: true, count: sizes[$0.left] * sizes[$0.right])
      }
    }

    private func place(_ row: [Int], _ index: Int) -> Int {
      let (left, right) = dimensions[index]
      return row[left] * sizes[right] + row[right]
    }

    func count(in row: [Int]) -> Int {
      dimensions.indices.count { isMissing[$0][place(row, $0)] }
    }

    mutating func remove(_ row: [Int]) {
      for index in dimensions.indices { isMissing[index][place(row, index)] = false }
    }
  }
}
