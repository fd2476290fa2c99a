import Foundation
import TenonGrammarSupport
import Testing

@testable import TenonNumerics

/// Division and steps of floats, compared with exact fractions.
@Suite struct FloatStepsTests {
  private typealias Ratio = FloatDivision.Ratio

  /// Ten times as many in full size.
  private static let scale =
    ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] == nil ? 1 : 10

  private func ratio(_ value: Double) -> Ratio {
    LargeInteger.fraction(of: value) ?? (.zero, .one)
  }

  private func sum(_ a: Ratio, _ b: Ratio) -> Ratio {
    (a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }

  private func product(_ integer: LargeInteger, _ a: Ratio) -> Ratio {
    (integer * a.numerator, a.denominator)
  }

  private func nearest(_ a: Ratio) -> Double {
    LargeInteger.nearestDouble(numerator: a.numerator, denominator: a.denominator)
  }

  /// Whether a fraction is at most another.
  private func isAtMost(_ a: Ratio, _ b: Ratio) -> Bool {
    let difference = a.numerator * b.denominator - b.numerator * a.denominator
    return difference.isNegative || difference.isZero
  }

  private func float(_ random: inout RandomNumbers) -> Double {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let value = Double(bitPattern: random.next())
      return value.isFinite ? value : .greatestFiniteMagnitude
    case 1:
      return random.pick(
        [
          .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e308, -1e308, 0.1, -0.1, 3, 1 / 12,
          1e16,
        ], 1)
    default: return Double(Int.random(in: -100_000...100_000, using: &random)) / 1000
    }
  }

  @Test func quotientsAndRemaindersBelongTogether() {
    var random = RandomNumbers(seed: testSeed)
    for _ in 0..<5_000 * Self.scale {
      let (a, b) = (float(&random), float(&random))
      guard b != 0 else { continue }
      for rounding in [FloatDivision.Rounding.down, .towardZero] {
        let remainder = FloatDivision.remainder(a, b, rounding)
        guard let quotient = FloatDivision.quotient(a, b, rounding) else {
          Issue.record("no quotient of \(a) and \(b)")
          continue
        }
        let exact = sum(ratio(a), product(-quotient, ratio(b)))
        // The remainder is exact, but for one rounding where the divisor was added to it.
        let value = nearest(exact)
        let isSame = remainder == value || remainder.magnitude == b.magnitude.nextDown
        #expect(isSame, "\(a) \(b) \(rounding): \(remainder), not \(value)")
        #expect(remainder.magnitude < b.magnitude, "\(a) \(b) \(rounding): \(remainder)")
        let sign = rounding == .down ? b : a
        #expect(remainder == 0 || (remainder < 0) == (sign < 0), "\(a) \(b) \(rounding)")
        // The exact remainder too, so the quotient is not off by one.
        #expect(
          isAtMost(exact, ratio(b.magnitude)) && isAtMost(ratio(-b.magnitude), exact),
          "\(a) \(b) \(rounding): \(quotient)")
      }
    }
  }

  @Test func stepsAreThoseOfExactArithmetic() {
    var random = RandomNumbers(seed: testSeed)
    for _ in 0..<10_000 * Self.scale {
      let digits = random.pick([1.0, 10, 100, 1000, 3, 7], 1)
      func number(_ most: Int) -> Double {
        Double(Int.random(in: -most...most, using: &random)) / digits
      }
      let start = number(1000)
      var step = random.happens(0.1) ? number(1000) * start.ulp : number(300)
      if step == 0 { step = 1 / digits }
      // Often a stop that is an element, or beside one.
      var stop =
        random.happens(0.5)
        ? start + step * Double(Int.random(in: 0...500, using: &random)) : number(2000)
      if random.happens(0.2) { stop = random.happens(0.5) ? stop.nextUp : stop.nextDown }
      check(FloatSteps(from: start, to: stop, by: step), start, stop, step)
    }
  }

  private func check(_ steps: FloatSteps, _ start: Double, _ stop: Double, _ step: Double) {
    let text = "\(start) to: \(stop) by: \(step)"
    func exact(_ offset: Int) -> Ratio {
      sum(ratio(start), product(LargeInteger(offset), ratio(step)))
    }
    func isWithin(_ value: Ratio) -> Bool {
      step > 0 ? isAtMost(value, ratio(stop)) : isAtMost(ratio(stop), value)
    }
    let count = steps.count
    guard count > 0 else {
      #expect(!isWithin(ratio(start)), "\(text) has no elements")
      return
    }
    guard steps.exactCount?.exactInt == count else { return }
    // One more than exact arithmetic gives at most, and then it is the stop.
    #expect(!isWithin(exact(count)), "\(text) has more than \(count) elements")
    if !isWithin(exact(count - 1)) {
      #expect(count == 1 || isWithin(exact(count - 2)), "\(text) has fewer than \(count) elements")
      #expect(steps[count - 1] == stop, "\(text) ends with \(steps[count - 1])")
    }
    for offset in Set([0, 1, 2, count / 2, count - 2, count - 1]) where 0..<count ~= offset {
      #expect(steps[offset] == nearest(exact(offset)), "\(text): element \(offset)")
      #expect(isWithin(ratio(steps[offset])), "\(text): element \(offset) is beyond the end")
    }
  }

  @Test func loopsWithoutAnEndHaveNoCount() {
    #expect(FloatSteps(from: 0, to: .infinity, by: 1).exactCount == nil)
    #expect(FloatSteps(from: 0, to: .infinity, by: -1).count == 0)
    #expect(FloatSteps(from: 0, to: .nan, by: 1).count == 0)
    #expect(FloatSteps(from: 0, to: 5, by: .infinity).count == 1)
    let huge = FloatSteps(
      from: -.greatestFiniteMagnitude, to: .greatestFiniteMagnitude, by: .leastNonzeroMagnitude)
    #expect(huge.exactCount?.bitLength == 2099)
    #expect(huge.count == .max)
  }
}
