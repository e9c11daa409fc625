import CSettleSystem
import SettleCore
import SettleFiles
import Synchronization

/// An adapter with a breakage around it.
struct SabotagedAdapter<Base: BatchAdapter>: BatchAdapter {
  let base: Base
  let sabotage: Sabotage
  /// What it does to the code's reports, and whether it has come to it.
  let reports: SabotagedReports

  init(_ base: Base, _ sabotage: Sabotage) {
    self.base = base
    self.sabotage = sabotage
    reports = SabotagedReports(sabotage)
  }

  var checkpoints: BatchCheckpoints { base.checkpoints }
  var lacks: [BatchAbility: String] { base.lacks }
  var waitLimit: Duration { base.waitLimit }

  func prepare(_ request: BatchRequest) async throws -> PreparedBatch {
    var changed = request
    changed.probe = SabotagedProbe(
      base: request.probe, trace: request.kit.trace, reports: reports)
    changed.items = items(request.items)
    if changed.items != request.items { reports.apply() }
    let batch = try await base.prepare(changed)
    let files = SabotagedFiles(sabotage, reports, batch)
    return PreparedBatch(
      run: { try await run(batch, request.kit.trace) }, cancel: { await cancel(batch) },
      look: { try await files.look() }, reopen: { try await files.reopen() })
  }

  /// What the code is asked for.
  private func items(_ items: [BatchItem]) -> [BatchItem] {
    switch sabotage {
    case .lostItem: items.dropLast()
    case .dependentAfterFailure: items.map { BatchItem($0.number, mustFail: $0.mustFail) }
    default: items
    }
  }

  private func run(_ batch: PreparedBatch, _ trace: Trace) async throws {
    if sabotage == .earlySuccess {
      trace.record(.outcome, item: "0", name: OutcomeKind.succeeded.rawValue)
      trace.record(.completion, item: "0")
    }
    try await batch.run()
    if sabotage == .lateCancel { _ = await batch.cancel() }
  }

  private func cancel(_ batch: PreparedBatch) async -> CancelAnswer? {
    guard sabotage == .swallowedCancel || sabotage == .lateCancel else {
      return await batch.cancel()
    }
    reports.apply()
    return .accepted
  }
}

/// What sabotage does to the files: on disk where they are there, else to what is shown of them.
final class SabotagedFiles: Sendable {
  private let sabotage: Sabotage
  private let reports: SabotagedReports
  private let batch: PreparedBatch
  /// What was found first; nil before.
  private let found = Mutex<BatchFiles?>(nil)

  init(_ sabotage: Sabotage, _ reports: SabotagedReports, _ batch: PreparedBatch) {
    self.sabotage = sabotage
    self.reports = reports
    self.batch = batch
  }

  /// Everything is opened anew, after what a crash takes.
  func reopen() async throws {
    let files = found.withLock { $0 }
    if sabotage == .lostByCrash, let path = files?.paths[0], files?.result(0) == .whole {
      try remove(path)
      reports.apply()
    }
    try await batch.reopen()
  }

  /// Looks, after the disk was disturbed.
  func look() async throws -> BatchFiles {
    var files = try await batch.look()
    let isFirst = found.withLock { found in
      defer { found = files }
      return found == nil
    }
    switch sabotage {
    case .leftoverFile where isFirst:
      if let folder = files.folder {
        try write(folder.appending("settle-sabotage.part".utf8), [0])
        files = try await batch.look()
      } else {
        files.leftovers.append("settle-sabotage.part")
      }
      reports.apply()
    case .missingResult: try await leave(nil, .absent, &files)
    case .emptiedResult: try await leave([], .damaged, &files)
    case .publicationAfterCancel where files.result(0) == .absent:
      try await leave([0x73], .whole, &files)
    case .lostByCrash where !isFirst && files.paths[0] == nil && files.result(0) == .whole:
      files.results[0] = .absent
      reports.apply()
    default: break
    }
    return files
  }

  /// Leaves these bytes as the result of item 0, or nothing.
  private func leave(
    _ bytes: [UInt8]?, _ result: BatchResult, _ files: inout BatchFiles
  ) async throws {
    if let path = files.paths[0] {
      if files.result(0) != .absent { try remove(path) }
      if let bytes { try write(path, bytes) }
      files = try await batch.look()
    } else {
      files.results[0] = result
    }
    reports.apply()
  }

  private func remove(_ path: BytePath) throws(SettleError) {
    if path.withCString({ unlink($0) }) != 0 { throw failure("unlink", path) }
  }

  private func write(_ path: BytePath, _ bytes: [UInt8]) throws(SettleError) {
    let descriptor = path.withCString {
      settle_openat(AT_FDCWD, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes {
      CSettleSystem.write(descriptor, $0.baseAddress, $0.count)
    }
    guard count == bytes.count else { throw failure("write", path) }
  }

  private func failure(_ call: String, _ path: BytePath) -> SettleError {
    SettleError(.ioError, subject: path.bytes, cause: .init(call: call, number: settle_errno()))
  }
}
