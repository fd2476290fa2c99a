import TenonGrammarSupport
import Testing

@testable import TenonNumerics

/// Long operations ask their poll, end when it throws, and leave small operands alone.
@Suite struct InterruptionTests {
  private struct Interrupted: Error {}

  private typealias Poll = () throws(Interrupted) -> Void

  /// Returns how often an operation asks the poll.
  private func pollCount(_ operation: (Poll) throws(Interrupted) -> Void) -> Int {
    var count = 0
    do throws(Interrupted) {
      try operation { () throws(Interrupted) in count += 1 }
    } catch {
      Issue.record("interrupted by nobody")
    }
    return count
  }

  /// Expects an operation to ask at least some times, and to end at once when it is interrupted.
  private func expectInterruptible(
    _ polls: Int, _ operation: (Poll) throws(Interrupted) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let count = pollCount(operation)
    #expect(count >= polls, sourceLocation: sourceLocation)
    for limit in [1, count / 2 + 1, count] {
      var calls = 0
      #expect(throws: Interrupted.self, sourceLocation: sourceLocation) {
        try operation { () throws(Interrupted) in
          calls += 1
          if calls == limit { throw Interrupted() }
        }
      }
      #expect(calls == limit, sourceLocation: sourceLocation)
    }
  }

  private func number(_ bits: Int) -> LargeInteger {
    var generator = RandomNumbers(seed: testSeed)
    return TestOperand.random(bits: bits, hasRuns: false, &generator)
  }

  @Test func longOperations() {
    let (huge, large, medium) = (number(400_000), number(150_000), number(20_000))
    expectInterruptible(4) { poll throws(Interrupted) in
      _ = try huge.multiplied(by: large, poll: poll)
    }
    expectInterruptible(4) { poll throws(Interrupted) in _ = try huge.squared(poll: poll) }
    expectInterruptible(2) { poll throws(Interrupted) in
      _ = try huge.multiplied(by: medium, poll: poll)
    }
    expectInterruptible(1) { poll throws(Interrupted) in
      _ = try number(2_000_000).multiplied(by: number(2000), poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try huge.dividedTruncating(by: large, poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try huge.dividedFlooring(by: -medium, poll: poll)
    }
    expectInterruptible(4) { poll throws(Interrupted) in
      _ = try number(6_000_000).dividedTruncating(by: number(1000), poll: poll)
    }
    expectInterruptible(1) { poll throws(Interrupted) in
      _ = try number(20_000_000).dividedTruncating(by: 7, poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try LargeInteger.greatestCommonDivisor(number(70_001), number(70_000), poll: poll)
    }
    expectInterruptible(5) { poll throws(Interrupted) in
      _ = try LargeInteger(3).power(100_000, poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try number(300).power(number(300), modulo: number(301), poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in _ = try huge.squareRoot(poll: poll) }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try huge.text(radix: 10, poll: poll)
    }
    let digits = String(repeating: "7", count: 50_000).utf8
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try LargeInteger(digits: digits, radix: 10, poll: poll)
    }
    expectInterruptible(10) { poll throws(Interrupted) in
      _ = try FixedPlacesText.text(numerator: 1, denominator: 7, places: 50_000, poll: poll)
    }
  }

  @Test func smallOperandsDoNotAsk() {
    let (a, b) = (number(2000), number(1500))
    #expect(pollCount { poll throws(Interrupted) in _ = try a.multiplied(by: b, poll: poll) } == 0)
    #expect(pollCount { poll throws(Interrupted) in _ = try a.squared(poll: poll) } == 0)
    #expect(pollCount { poll throws(Interrupted) in _ = try a.text(radix: 10, poll: poll) } == 0)
    #expect(
      pollCount { poll throws(Interrupted) in _ = try a.dividedFlooring(by: b, poll: poll) } == 0)
    #expect(
      pollCount { poll throws(Interrupted) in
        _ = try LargeInteger.greatestCommonDivisor(a, b, poll: poll)
      } == 0)
  }
}
