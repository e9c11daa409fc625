/// Finds the word that was probably meant.
enum Suggestion {
  /// The nearest word, or nil when none is near.
  static func nearest(to word: String, among words: [String]) -> String? {
    guard !word.isEmpty else { return nil }
    let limit = max(1, word.count / 3)
    let ranked = words.map { (word: $0, distance: distance(word, $0)) }
    let best = ranked.min { $0.distance < $1.distance }
    guard let best, best.distance <= limit else {
      return word.count >= 3 ? words.first { $0.hasPrefix(word) } : nil
    }
    return best.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left), Array(right))
    guard a.count <= 64, b.count <= 64 else { return Int.max }
    var rows = [Array(0...b.count)]
    for i in 1...max(1, a.count) where i <= a.count {
      var row = [i]
      for j in 1...max(1, b.count) where j <= b.count {
        var cost = min(rows[i - 1][j] + 1, row[j - 1] + 1)
        cost = min(cost, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cost = min(cost, rows[i - 2][j - 2] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
