import CSQLite

/// A value of a column.
enum Value: Sendable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  /// Text, or null.
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// A prepared statement. It belongs to its ``Connection``, which finalizes it.
final class Statement {
  private let handle: OpaquePointer

  /// Wraps a prepared statement.
  init(_ handle: OpaquePointer) { self.handle = handle }

  /// Binds one value; the first question mark is 1. Returns SQLite's code.
  func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let number): return sqlite3_bind_int64(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // The empty string may have no address, which SQLite would read as null.
        guard let start = bytes.baseAddress else {
          return settle_sqlite_bind_text(handle, index, "", 0)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          settle_sqlite_bind_text(handle, index, $0, Int32(bytes.count))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
      return bytes.withUnsafeBytes {
        settle_sqlite_bind_blob(handle, index, $0.baseAddress, Int32($0.count))
      }
    }
  }

  /// Goes to the next row. Returns SQLite's code.
  func step() -> Int32 { sqlite3_step(handle) }

  /// Ready to run again, with nothing bound, so that no large value is kept.
  func reset() {
    // The code repeats the failure that step has reported.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Ends the statement.
  func finalize() { sqlite3_finalize(handle) }

  /// True when the column is null.
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The column as a number.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The column as a number, nil when null.
  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// The column as text; empty when null.
  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The column as text, nil when null.
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// The column as bytes; empty when null.
  func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}
