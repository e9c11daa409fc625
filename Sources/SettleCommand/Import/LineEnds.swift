import CSettleSystem
import Settle

/// Lists of paths from other systems end their lines with CR LF, and then each path seems to end
/// with a CR. It may be part of a name, so it is never cut off, only pointed out.
struct LineEnds {
  private static let carriageReturn: UInt8 = 0x0D
  private let isList: Bool

  /// Explains the paths of `--files-from` when they are lines.
  init(_ invocation: Invocation) {
    isList = invocation.options[.filesFrom] != nil && !invocation.has(.null)
  }

  /// The item with a hint when its path is there only without the CR at its end.
  func explained(_ item: ImportedItem) -> ImportedItem {
    guard isList, case .failed(var error) = item.outcome, error.code == .notFound,
      item.source.bytes.last == Self.carriageReturn
    else { return item }
    let short = BytePath(Array(item.source.bytes.dropLast()))
    guard short.withCString({ access($0, F_OK) }) == 0 else { return item }
    error.detail = "without the CR at its end there is one: the list has CR LF line ends"
    var item = item
    item.outcome = .failed(error)
    return item
  }
}
