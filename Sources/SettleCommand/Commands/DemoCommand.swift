import CSettleSystem
import SettleCore
import SettleFiles

/// `settle demo`.
enum DemoCommand {
  static func run(_ context: Context) async throws -> Ending {
    let program = try ownProgram()
    let around = Surroundings.ofThisProcess()
    let base = BytePath(around.value("TMPDIR") ?? Array("/tmp".utf8))
    let folder = try DemoFolder(below: base)
    defer { folder.remove() }
    let interruptions = context.interruptions
    interruptions.handle(
      with: Interruptions.Handler(
        cancel: { _ in context.console.urgent("Stopping the tour and removing its folder.") },
        lastLines: { Interruptions.lastLines(of: .demo, $0) }))
    let child = DemoChild(
      program: program, library: folder.path.appending(Array("library".utf8)),
      isCancelled: { interruptions.first != nil })
    let tour = DemoTour(folder: folder, child: child, console: context.console)
    // An interrupted station ends the tour by an error; the signal then ends the process.
    try await WorkerThread.run { () throws(SettleError) in try tour.run() }
    context.console.json([("type", .text("summary")), ("exit_code", .int(0))])
    return .exit(.success)
  }

  /// The path of this very program, so that the tour runs what the user has.
  private static func ownProgram() throws(SettleError) -> BytePath {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = settle_executable_path(&buffer, buffer.count)
    guard count > 0, count < buffer.count else {
      throw SettleError(.toolMissing, subject: Array("settle".utf8), detail: "its own path")
    }
    return BytePath(buffer[..<count].map { UInt8(bitPattern: $0) })
  }
}
