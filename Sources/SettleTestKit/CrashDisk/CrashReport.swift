import SettleCore
import SettleFiles

/// How images are chosen.
public struct CrashOptions: Sendable {
  /// Up to so many choices at one operation are all taken; of more, so many are.
  public var choiceLimit = 256
  /// What decides between choices where there are too many.
  public var seed: UInt64 = 1

  /// All choices up to 256 at each operation.
  public init() {}
}

/// An image that the recovery did not make good.
public struct CrashFailure: Sendable, CustomStringConvertible {
  /// The image.
  public var image: CrashImage
  /// What the recovery, or the judgement on it, threw.
  public var error: String

  /// What was wrong, and how the disk came to be so.
  public var description: String { "\(error)\n\(image)" }
}

/// What became of every image.
public struct CrashReport: Sendable, CustomStringConvertible {
  /// Operations that changed the disk.
  public var operationCount = 0
  /// Different images, each of which was opened.
  public var imageCount = 0
  /// Choices that led to an image that was known already.
  public var duplicateCount = 0
  /// Operations at which not every choice was taken, because there were too many.
  public var sampledOperationCount = 0
  /// How long opening them took.
  public var duration = Duration.zero
  /// Images that were not made good, in the order of their operations.
  public var failures: [CrashFailure] = []

  /// Throws ``CrashFailures`` when an image failed or there was none.
  public func requirePassed() throws(CrashFailures) {
    if imageCount == 0 || !failures.isEmpty { throw CrashFailures(report: self) }
  }

  /// The numbers, then the failed images; of many, the first few.
  public var description: String {
    let milliseconds = Int(duration / .milliseconds(1))
    var text =
      "\(imageCount) images of \(operationCount) operations, each opened once (\(duplicateCount) "
      + "more were the same), in \(milliseconds) ms; \(failures.count) failed"
    if sampledOperationCount > 0 {
      text += "; at \(sampledOperationCount) operations only a part of all choices was taken"
    }
    let shown = failures.prefix(3).map(\.description)
    let rest = failures.count - shown.count
    let tail = rest > 0 ? ["and \(rest) more images failed"] : []
    return ([text] + shown + tail).joined(separator: "\n")
  }
}

/// A crash leaves something that the recovery does not make good, or nothing was recorded.
public struct CrashFailures: Error, Sendable, CustomStringConvertible {
  /// What was found.
  public var report: CrashReport

  /// The report.
  public var description: String {
    report.imageCount == 0 ? "no operation was recorded, so nothing was proven" : "\(report)"
  }
}

extension CrashDisk {
  /// Opens every image that a crash may leave, at every operation, through a recovery.
  ///
  /// `recovery` gets an image, does what the program does when it starts, and throws when what it
  /// finds is not what it should be. Equal images are opened once, where they come up first.
  public func reopen(
    _ options: CrashOptions = CrashOptions(), _ recovery: (CrashImage) async throws -> Void
  ) async -> CrashReport {
    await reopen(from: 0, options, recovery)
  }

  /// Opens every image that a crash may leave after the last operation: when the program has
  /// reported success, each of them must hold it.
  public func reopenLast(
    _ options: CrashOptions = CrashOptions(), _ recovery: (CrashImage) async throws -> Void
  ) async -> CrashReport {
    await reopen(from: max(0, history.count - 1), options, recovery)
  }

  private func reopen(
    from first: Int, _ options: CrashOptions, _ recovery: (CrashImage) async throws -> Void
  ) async -> CrashReport {
    let steps = history
    var report = CrashReport()
    report.operationCount = steps.count
    let start = ContinuousClock.now
    var known: Set<[UInt8]> = []
    for index in steps.indices where index >= first {
      let step = steps[index]
      let found = CrashChoices(
        on: step.disk, limit: options.choiceLimit, seed: options.seed &+ UInt64(index))
      if !found.isComplete { report.sampledOperationCount += 1 }
      for choice in found.choices {
        let disk = choice.apply(to: step.disk)
        guard known.insert(disk.digest()).inserted else {
          report.duplicateCount += 1
          continue
        }
        report.imageCount += 1
        let image = CrashImage(
          number: report.imageCount, steps: steps[...index], disk: disk, choice: choice)
        do {
          try await recovery(image)
        } catch {
          report.failures.append(CrashFailure(image: image, error: "\(error)"))
        }
      }
    }
    report.duration = start.duration(to: .now)
    return report
  }
}
