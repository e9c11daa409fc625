import SettleCore
import SettleFiles

/// The frozen batch of one import (RUN-6): what the scan found, packed.
struct ImportItems: Sendable {
  private var paths = PathTable()
  private var sizes: [Int64] = []
  private var named: [Bool] = []
  /// Pipes, sockets, devices and links: opening some of them has effects, so they never are.
  private var special: Set<Int> = []
  private var problems: [Int: SettleError] = [:]
  /// Bytes of all items together; stated sizes may be absurd, so the sum saturates.
  private(set) var byteCount: Int64 = 0

  /// How many items there are.
  var count: Int { sizes.count }

  /// Adds what the scan found.
  mutating func append(_ found: ScannedItem) {
    // A pipe or a device has no size that means anything.
    var size: Int64 = 0
    switch found.content {
    case .failed(let error): problems[count] = error
    case .file(.regular, let byteCount): size = max(0, byteCount)
    case .file: special.insert(count)
    }
    paths.append(found.path.bytes)
    sizes.append(size)
    named.append(found.origin == .named)
    byteCount = byteCount.addingSaturating(size)
  }

  /// The weight of one item in the run's progress, in KiB: its bytes, and a part for verification
  /// and publication, which cost something, too (PRG-9). Limited so that the weights of a whole
  /// batch add up within the tree's range whatever sizes the files state.
  func weight(of index: Int) -> Int64 {
    min(sizes[index] >> 10, (1 << 54) / Int64(max(1, count))) + 64
  }

  /// The weight of all items together.
  var totalWeight: Int64 { (0..<count).reduce(0) { $0 + weight(of: $1) } }

  /// The stated size of one item.
  func byteCount(of index: Int) -> Int64 { sizes[index] }

  subscript(index: Int) -> ImportItem {
    ImportItem(
      index: index, path: paths[index], isNamed: named[index],
      isRegular: !special.contains(index), problem: problems[index])
  }
}

/// One item of the frozen batch.
struct ImportItem: Sendable {
  let index: Int
  let path: BytePath
  /// Named by hand: links are followed, and what is no document has failed. Else found in a folder.
  let isNamed: Bool
  /// A regular file when the batch was frozen.
  let isRegular: Bool
  /// Why the scan could not read it.
  let problem: SettleError?

  /// True when somebody means this to be a document: it was named by hand, or its name says so.
  /// Such a file is never passed over in silence when it is none.
  var isDocumentByName: Bool {
    isNamed || path.bytes.suffix(4).map { $0 | 0x20 } == Array(".pdf".utf8).map { $0 | 0x20 }
  }

  /// An error about this item.
  func error(_ code: SettleError.Code, stage: SettleError.Stage = .access) -> SettleError {
    SettleError(code, stage: stage, subject: path.bytes)
  }
}

extension Int64 {
  /// A sum that stays at the largest number instead of trapping on data.
  func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, isOverflow) = addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}
