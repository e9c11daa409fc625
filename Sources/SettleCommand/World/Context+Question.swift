import SettleCore
import SettleFiles

extension Context {
  /// Asks on the terminal; anything but yes is no.
  func agrees(_ question: String) async -> Bool {
    console.errors.write(question)
    let answer = try? await WorkerThread.run { () throws(SettleError) in readLine() }
    return ["y", "yes"].contains(answer?.lowercased() ?? "")
  }
}
