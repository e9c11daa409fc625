import Foundation
import SettleCore

// @unchecked: its properties are constants.
final class Resize: Operation, @unchecked Sendable {
  let (item, source, target): (Int, URL, URL)
  let probe: any Probe

  init(_ item: Int, from source: URL, to target: URL, probe: any Probe = NoProbe()) {
    (self.item, self.source, self.target, self.probe) = (item, source, target, probe)
  }

  override func main() {
    tell("entered")
    var outcome = "cancelled"
    do {
      let picture = try Data(contentsOf: source)
      probe.reach(Checkpoint("processing", item: item))
      probe.reach(Checkpoint("before-publish", item: item))
      if !isCancelled {
        probe.reach(Checkpoint("publish", item: item))
        tell("effect.publish")
        try picture.write(to: target, options: .atomic)
        outcome = "succeeded"
      }
    } catch {
      outcome = "failed"
    }
    tell("outcome." + outcome)
    tell("completion")
  }

  private func tell(_ event: String) { probe.event(ProbeEvent(event, item: item)) }
}
