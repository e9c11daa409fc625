import Foundation
import SettleCore

/// What the two pipelines do: download photos, convert them, and write them into a folder.
public struct PhotoJob: Sendable {
  /// Names of the photos, which are also the names of their files.
  public var photos: [String]
  /// Where they go to.
  public var folder: URL
  /// Gets a photo, or throws.
  public var download: @Sendable (String) throws -> Data
  /// Shows a bar, from 0 to 1.
  public var onProgress: @Sendable (Double) -> Void = { _ in }
  /// Tells the user how it ended.
  public var onEnd: @Sendable (OutcomeKind) -> Void = { _ in }
  /// All that the code was given for its tests.
  public var probe: any Probe = NoProbe()

  /// A job that nobody watches.
  public init(
    _ photos: [String], into folder: URL, download: @escaping @Sendable (String) throws -> Data
  ) {
    (self.photos, self.folder, self.download) = (photos, folder, download)
  }

  /// The number of a photo's first operation; its others follow.
  func number(_ index: Int) -> Int { 3 * index + 1 }

  /// The number of the operation that tells the end.
  var lastNumber: Int { 3 * photos.count + 1 }

  func target(_ photo: String) -> URL { folder.appendingPathComponent(photo) }

  func part(_ photo: String) -> URL { folder.appendingPathComponent(photo + ".part") }

  func convert(_ data: Data) -> Data { Data(data.reversed()) }
}
