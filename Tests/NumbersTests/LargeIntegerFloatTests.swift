import TenonGrammarSupport
import Testing

@testable import TenonNumerics

@Suite struct LargeIntegerFloatTests {
  private let extremes: [Double] = [
    0, -0.0, 1, -1, 0.5, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
    .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    0x1p53, 0x1p53 - 1, 0x1p63, 0x1p64, -0x1p63, 0x1p64.nextDown, 0x1.fffffffffffffp1022,
  ]

  private func random(_ generator: inout RandomNumbers) -> Double {
    while true {
      let value = Double(bitPattern: generator.next())
      if value.isFinite { return value }
    }
  }

  @Test func fractionsOfFloats() {
    var generator = RandomNumbers(seed: testSeed)
    for value in extremes + (0..<1500).map({ _ in random(&generator) }) {
      guard let (numerator, denominator) = LargeInteger.fraction(of: value) else {
        Issue.record("\(value) has no fraction")
        continue
      }
      #expect(denominator > 0)
      #expect(denominator == 1 || !numerator.isEven)
      let back = LargeInteger.nearestDouble(numerator: numerator, denominator: denominator)
      #expect(back == value, "\(value)")
      // The same fraction, not in lowest terms.
      let scaled = LargeInteger.nearestDouble(
        numerator: numerator * -300, denominator: denominator * -300)
      #expect(scaled == value, "\(value)")
    }
    #expect(LargeInteger.fraction(of: .nan) == nil)
    #expect(LargeInteger.fraction(of: .infinity) == nil)
  }

  @Test func truncation() {
    var generator = RandomNumbers(seed: testSeed)
    #expect(LargeInteger(truncating: .nan) == nil)
    #expect(LargeInteger(truncating: -.infinity) == nil)
    for value in extremes + (0..<1000).map({ _ in random(&generator) }) {
      guard let integer = LargeInteger(truncating: value) else {
        Issue.record("\(value) has no integer part")
        continue
      }
      #expect(integer.nearestDouble == value.rounded(.towardZero), "\(value)")
      #expect((LargeInteger(exactly: value) == nil) == (value != value.rounded()), "\(value)")
    }
    for value in [-1.5, -0.5, 0.99, 2.5, 1e15 + 0.5, -4503599627370495.5] {
      #expect(LargeInteger(truncating: value)?.exactInt == Int(value))
    }
  }

  /// Integers between two floats go to the nearer one, in the middle to the even one.
  @Test func roundingOfIntegers() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<600 {
      let shift = Int.random(in: 1...900, using: &generator)
      let significand = 1 << 52 | Int(generator.next() >> 12)
      let unit = LargeInteger.one.shiftedLeft(by: shift)
      let below = LargeInteger(significand) * unit
      let middle = below + unit.shiftedRight(by: 1)
      let float = Double(sign: .plus, exponent: shift, significand: Double(significand))
      #expect(below.nearestDouble == float)
      #expect((-below).nearestDouble == -float)
      #expect(middle.nearestDouble == (significand & 1 == 0 ? float : float.nextUp))
      #expect(
        (middle + 1).nearestDouble
          == (shift == 1 && significand & 1 == 0 ? float.nextUp : float.nextUp))
      if shift > 1 { #expect((middle - 1).nearestDouble == float) }
    }
    let beyond = LargeInteger.one.shiftedLeft(by: 1024)
    #expect(beyond.nearestDouble == .infinity)
    #expect((-beyond).nearestDouble == -.infinity)
    let half = LargeInteger.one.shiftedLeft(by: 970)
    #expect((beyond - half).nearestDouble == .infinity)
    #expect((beyond - half - 1).nearestDouble == .greatestFiniteMagnitude)
    #expect(LargeInteger(0).nearestDouble == 0)
  }

  /// Fractions next to the middle between two floats, down to the smallest.
  @Test func roundingOfFractions() {
    var generator = RandomNumbers(seed: testSeed)
    let large = LargeInteger.one.shiftedLeft(by: 3000)
    for i in 0..<600 {
      let value =
        i % 3 == 0
        ? Double(bitPattern: generator.next() >> 12) : random(&generator).magnitude
      guard value.nextUp.isFinite, let low = LargeInteger.fraction(of: value),
        let high = LargeInteger.fraction(of: value.nextUp)
      else { continue }
      let numerator = low.numerator * high.denominator + high.numerator * low.denominator
      let denominator = (low.denominator * high.denominator).shiftedLeft(by: 1)
      let isEven = value.bitPattern & 1 == 0
      func nearest(_ offset: Int) -> Double {
        LargeInteger.nearestDouble(
          numerator: numerator * large + offset, denominator: denominator * large)
      }
      #expect(nearest(0) == (isEven ? value : value.nextUp), "\(value)")
      #expect(nearest(-1) == value, "\(value)")
      #expect(nearest(1) == value.nextUp, "\(value)")
    }
  }

  /// A middle and one bit more, which is the last of a quotient without remainder.
  @Test func roundingOfWholeQuotients() {
    for shift in 60...70 {
      for offset in [-1, 0, 1] {
        let number =
          LargeInteger.one.shiftedLeft(by: shift)
          + LargeInteger.one.shiftedLeft(by: shift - 53) + offset
        let quotient = LargeInteger.nearestDouble(numerator: number * 3, denominator: 3)
        let float = Double(sign: .plus, exponent: shift, significand: 1)
        #expect(quotient == (offset > 0 ? float.nextUp : float), "\(number)")
        #expect(number.nearestDouble == quotient)
      }
    }
  }

  @Test func fractionsWithoutValue() {
    #expect(LargeInteger.nearestDouble(numerator: 1, denominator: 0) == .infinity)
    #expect(LargeInteger.nearestDouble(numerator: -1, denominator: 0) == -.infinity)
    #expect(LargeInteger.nearestDouble(numerator: 0, denominator: 0).isNaN)
    #expect(LargeInteger.nearestDouble(numerator: 0, denominator: -5) == 0)
    let huge = LargeInteger.one.shiftedLeft(by: 5000)
    #expect(LargeInteger.nearestDouble(numerator: 1, denominator: huge) == 0)
    #expect(LargeInteger.nearestDouble(numerator: huge, denominator: -1) == -.infinity)
    #expect(LargeInteger.nearestDouble(numerator: huge, denominator: huge + 1) == 1)
  }

  @Test func ratios() throws {
    for line in try fixture("floats") where line[0] == "ratio" {
      let parts = line[1].split(separator: "/")
      let value = LargeInteger.nearestDouble(
        numerator: LargeInteger(digits: parts[0].utf8, radix: 16, poll: {}) ?? 0,
        denominator: LargeInteger(digits: parts[1].utf8, radix: 16, poll: {}) ?? 0)
      #expect(String(value.bitPattern, radix: 16) == String(line[2]), "\(line[1])")
    }
  }

  @Test func comparisonWithFloats() {
    let one = LargeInteger(1)
    #expect(one.compared(to: 1.0) == 0)
    #expect(one.compared(to: 1.5) == -1)
    #expect(one.compared(to: 0.5) == 1)
    #expect((-one).compared(to: -1.5) == 1)
    #expect((-one).compared(to: -0.5) == -1)
    #expect(one.compared(to: .infinity) == -1)
    #expect(one.compared(to: -.infinity) == 1)
    #expect(one.compared(to: .nan) == nil)
    let odd = LargeInteger.one.shiftedLeft(by: 53) + 1
    #expect(odd.compared(to: 0x1p53) == 1)
    #expect(odd.compared(to: 0x1p53 + 2) == -1)
    #expect((odd - 1).compared(to: 0x1p53) == 0)
    #expect(LargeInteger(0).compared(to: -0.0) == 0)
    #expect(LargeInteger(0).compared(to: .leastNonzeroMagnitude) == -1)
  }
}
