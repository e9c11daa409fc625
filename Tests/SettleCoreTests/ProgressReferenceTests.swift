import SettleCore
import Testing

/// The reference case of PRG-2, in every order in which the two phases can advance.
@Suite struct ProgressReferenceTests {
  /// A run of total 100: convert (4 files) has 60, verify (2 files) has 40.
  private struct Case {
    let tree = ProgressTree(total: .exactly(100))
    let convert: WorkProgress
    let verify: WorkProgress

    init() throws {
      convert = try tree.root.share(weight: 60).start(total: .exactly(4), unit: .items)
      verify = try tree.root.share(weight: 40).start(total: .exactly(2), unit: .pages)
    }

    var fraction: Double? { tree.snapshot().fractionCompleted }
  }

  // PRG-2
  @Test func twoOfFourThenOneOfTwoReadExactly() throws {
    let work = try Case()
    #expect(work.fraction == 0)
    work.convert.complete(2)
    #expect(work.fraction == 0.30)
    work.verify.complete()
    #expect(work.fraction == 0.50)
    work.convert.complete(2)
    work.verify.complete()
    #expect(work.fraction == 1.0.nextDown)
    work.convert.settle(.succeeded)
    work.verify.settle(.succeeded)
    #expect(work.fraction == 1.0.nextDown)
    work.tree.root.settle(.succeeded)
    #expect(work.fraction == 1)
  }

  // PRG-2, PRG-9: the order in which the phases advance and settle does not matter.
  @Test func everyOrderEndsAtOneAndReadsTheSameInBetween() throws {
    let expected: [[Double]] = [
      [0, 0.2, 0.4], [0.15, 0.35, 0.55], [0.3, 0.5, 0.7], [0.45, 0.65, 0.85], [0.6, 0.8, 1],
    ]
    // Each bit of `order` says which phase takes the next of the six steps.
    for order in 0..<64 where order.nonzeroBitCount == 2 {
      let work = try Case()
      var (converted, verified) = (0, 0)
      for step in 0..<6 {
        if order >> step & 1 == 1 {
          work.verify.complete()
          verified += 1
          if verified == 2 { work.verify.settle(.succeeded) }
        } else {
          work.convert.complete()
          converted += 1
          if converted == 4 { work.convert.settle(.succeeded) }
        }
        let fraction = min(expected[converted][verified], 1.0.nextDown)
        #expect(work.fraction == fraction, "order \(order), step \(step)")
      }
      work.tree.root.settle(.succeeded)
      #expect(work.fraction == 1)
    }
  }
}
