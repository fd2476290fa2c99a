import TenonGrammarSupport
import Testing

@testable import TenonNumerics

/// Laws that hold for all integers, tried on random numbers and on those around powers of two.
@Suite struct LargeIntegerLawTests {
  /// Calls a test with pairs of numbers of up to some bits.
  private func forPairs(
    _ count: Int, upTo bits: Int = 3000, _ test: (LargeInteger, LargeInteger) -> Void
  ) {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<count {
      test(
        TestOperand.random(upTo: bits, &generator), TestOperand.random(upTo: bits, &generator))
    }
    for a in TestOperand.borders {
      test(a, TestOperand.borders.randomElement(using: &generator) ?? 0)
      test(a, TestOperand.random(upTo: 400, &generator))
      test(TestOperand.random(upTo: 400, &generator), a)
    }
  }

  @Test func sumsAndDifferences() {
    forPairs(4000) { a, b in
      let sum = a + b
      #expect(sum - b == a)
      #expect(sum - a == b)
      #expect(b + a == sum)
      #expect(a - b == -(b - a))
      #expect((a - b).sign == a.compared(to: b), "\(a) \(b)")
      #expect((a < b) == (b > a))
      #expect((a == b) == (a - b).isZero)
      #expect(sum.limbs.last != 0)
    }
  }

  @Test func productsAndSquares() {
    forPairs(2000, upTo: 8000) { a, b in
      let product = a * b
      #expect(product == b * a)
      #expect((a + 1) * b == product + b)
      #expect(product == LargeInteger(limbs: digitByDigit(a, b)) * (a.sign * b.sign))
      #expect(a.squared {} == a * a)
      // (a + b)^2 - (a - b)^2 = 4ab
      #expect((a + b).squared {} - (a - b).squared {} == product.shiftedLeft(by: 2))
    }
  }

  private func digitByDigit(_ a: LargeInteger, _ b: LargeInteger) -> [UInt64] {
    Limbs.product(a.limbs.span, b.limbs.span)
  }

  @Test func quotientsAndRemainders() {
    forPairs(4000, upTo: 9000) { a, b in
      guard let truncated = a.dividedTruncating(by: b, poll: {}),
        let floored = a.dividedFlooring(by: b, poll: {})
      else {
        #expect(b.isZero)
        return
      }
      #expect(truncated.quotient * b + truncated.remainder == a, "\(a) \(b)")
      #expect(truncated.remainder.absolute < b.absolute, "\(a) \(b)")
      #expect(truncated.remainder.isZero || truncated.remainder.sign == a.sign)
      #expect(floored.quotient * b + floored.remainder == a)
      #expect(floored.remainder.absolute < b.absolute)
      #expect(floored.remainder.isZero || floored.remainder.sign == b.sign)
    }
  }

  /// Quotients whose limbs are first estimated too large, and those of all ones.
  @Test func quotientsAtBorders() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<8000 {
      let bits = Int.random(in: 64...700, using: &generator)
      let divisor = TestOperand.random(bits: bits, hasRuns: true, &generator)
      let quotient = TestOperand.random(bits: bits, hasRuns: true, &generator)
      for remainder in [0, 1, divisor - 1] where remainder < divisor {
        let division = (divisor * quotient + remainder).dividedTruncating(by: divisor, poll: {})
        #expect(division?.quotient == quotient)
        #expect(division?.remainder == remainder)
      }
    }
  }

  @Test func machineOperands() {
    var generator = RandomNumbers(seed: testSeed)
    let small = [0, 1, -1, 2, 10, Int.max, Int.min, Int.min + 1, Int.max - 1, 1 << 32, -(1 << 62)]
    let ints = small + (0..<40).map { _ in Int(truncatingIfNeeded: generator.next()) }
    let numbers =
      ints.map { LargeInteger($0) }
      + (0..<40).map { _ in TestOperand.random(upTo: 400, &generator) }
    for int in ints {
      let large = LargeInteger(int)
      #expect(large.exactInt == int)
      for number in numbers {
        #expect(number + int == number + large)
        #expect(number - int == number - large)
        #expect(number * int == number * large)
        #expect(number.compared(to: int) == number.compared(to: large), "\(number) \(int)")
        let truncated = number.dividedTruncating(by: int)
        let expected = number.dividedTruncating(by: large, poll: {})
        #expect(truncated?.quotient == expected?.quotient)
        #expect(truncated.map { LargeInteger($0.remainder) } == expected?.remainder)
        let floored = number.dividedFlooring(by: int)
        let expectedFloored = number.dividedFlooring(by: large, poll: {})
        #expect(floored?.quotient == expectedFloored?.quotient)
        #expect(floored.map { LargeInteger($0.remainder) } == expectedFloored?.remainder)
      }
      for other in ints {
        #expect(LargeInteger.sum(int, other) == large + LargeInteger(other), "\(int) \(other)")
        #expect(LargeInteger.difference(int, other) == large - LargeInteger(other))
        #expect(LargeInteger.product(int, other) == large * LargeInteger(other))
      }
    }
  }

  @Test func bordersOfInt() {
    #expect((LargeInteger(Int.max) + 1).exactInt == nil)
    #expect((LargeInteger(Int.min) - 1).exactInt == nil)
    #expect((LargeInteger(Int.max) + 1 - 1).exactInt == Int.max)
    #expect((-LargeInteger(Int.min)).exactInt == nil)
    #expect((-(-LargeInteger(Int.min))).exactInt == Int.min)
    #expect(LargeInteger(isNegative: true, limbs: [0, 0]) == 0)
    #expect(!LargeInteger(isNegative: true, limbs: []).isNegative)
    #expect(LargeInteger(limbs: [5, 0, 0]) == 5)
  }

  @Test func shifts() {
    forPairs(600) { a, b in
      let count = Int((b.limbs.first ?? 0) & 511)
      let factor = LargeInteger(2).power(count) {} ?? 0
      #expect(a.shiftedLeft(by: count) == a * factor)
      #expect(a.shiftedLeft(by: count).shiftedRight(by: count) == a)
      let floored = a.dividedFlooring(by: factor, poll: {})
      #expect(a.shiftedRight(by: count) == floored?.quotient, "\(a) >> \(count)")
      #expect(a.shiftedLeft(by: -count) == floored?.quotient)
      #expect(a.shiftedRight(by: -count) == a * factor)
    }
    #expect(LargeInteger(5).shiftedRight(by: Int.max) == 0)
    #expect(LargeInteger(-5).shiftedRight(by: Int.max) == -1)
    #expect(LargeInteger(-5).shiftedLeft(by: Int.min) == -1)
    #expect(LargeInteger(0).shiftedLeft(by: Int.max) == 0)
    #expect(LargeInteger(0).shiftedRight(by: Int.min) == 0)
  }

  @Test func bits() {
    forPairs(600, upTo: 1500) { a, b in
      #expect((a & b) + (a | b) == a + b, "\(a) \(b)")
      #expect((a ^ b) == (a | b) - (a & b))
      #expect(~(a & b) == (~a | ~b))
      #expect(~(~a) == a)
      #expect((a & ~a) == 0)
      #expect((a ^ ~b) == ~(a ^ b))
      #expect((a & -a).bitLength == (a.isZero ? 0 : a.trailingZeroBitCount + 1))
      for index in [0, 1, 63, 64, 65, 127, 200, a.bitLength, a.trailingZeroBitCount] {
        let shifted = a.shiftedRight(by: index)
        #expect(a.bit(at: index) == !shifted.isEven, "\(a) \(index)")
      }
    }
  }

  @Test func greatestCommonDivisors() {
    forPairs(1000, upTo: 3000) { a, b in
      let divisor = LargeInteger.greatestCommonDivisor(a, b) {}
      guard !divisor.isZero else {
        #expect(a.isZero && b.isZero)
        return
      }
      #expect(!divisor.isNegative)
      #expect(a.dividedTruncating(by: divisor, poll: {})?.remainder == 0)
      #expect(b.dividedTruncating(by: divisor, poll: {})?.remainder == 0)
      var (x, y) = (a, b)
      while let division = x.dividedFlooring(by: y, poll: {}) { (x, y) = (y, division.remainder) }
      #expect(x.absolute == divisor, "\(a) \(b)")
    }
  }

  @Test func powers() {
    for base in [0, 1, -1, 2, -2, 3, 10, -12, 1 << 20] {
      var expected: LargeInteger = 1
      for exponent in 0..<70 {
        #expect(LargeInteger(base).power(exponent) {} == expected, "\(base) ** \(exponent)")
        expected = expected * base
      }
    }
    #expect(LargeInteger(3).power(-1) {} == nil)
    #expect(LargeInteger(-1).power(Int.max) {} == -1)
    #expect(LargeInteger(1).power(Int.max) {} == 1)
    #expect(LargeInteger(0).power(Int.max) {} == 0)
  }

  @Test func bitLengthsOfPowers() {
    var generator = RandomNumbers(seed: testSeed)
    for base in (1...40).map({ LargeInteger($0) })
      + (0..<60).map({ _ in TestOperand.random(upTo: 300, &generator) }) + TestOperand.borders
    {
      for exponent in [0, 1, 2, 3, 17, 100] {
        let bits = base.power(exponent) {}?.bitLength ?? 0
        let bound = base.bitLengthOfPower(exponent)
        #expect(bound >= bits, "\(base) ** \(exponent)")
        #expect(bound <= bits + exponent / 64 + 2, "\(base) ** \(exponent)")
      }
    }
    #expect(LargeInteger(10).bitLengthOfPower(1000) == 3329)
    #expect(LargeInteger(2).bitLengthOfPower(Int.max - 1) == Int.max)
    #expect(LargeInteger(2).bitLengthOfPower(Int.max) == Int.max)
    #expect(LargeInteger(10).bitLengthOfPower(Int.max) == Int.max)
    #expect(LargeInteger(-1).bitLengthOfPower(Int.max) == 1)
    #expect(LargeInteger(0).bitLengthOfPower(Int.max) == 0)
  }

  @Test func modularPowers() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<60 {
      let base = TestOperand.random(upTo: 200, &generator)
      let exponent = Int.random(in: 0...50, using: &generator)
      let modulus = TestOperand.random(upTo: 200, &generator)
      let expected = base.power(exponent) {}?.dividedFlooring(by: modulus, poll: {})?.remainder
      #expect(
        base.power(LargeInteger(exponent), modulo: modulus) {} == expected,
        "\(base) ** \(exponent) \\\\ \(modulus)")
    }
    // Fermat: the prime 2^127 - 1.
    let prime = LargeInteger.one.shiftedLeft(by: 127) - 1
    #expect(LargeInteger(3).power(prime - 1, modulo: prime) {} == 1)
    #expect(LargeInteger(3).power(-1, modulo: 7) {} == nil)
    #expect(LargeInteger(3).power(2, modulo: 0) {} == nil)
  }

  @Test func squareRoots() {
    var generator = RandomNumbers(seed: testSeed)
    let numbers =
      TestOperand.borders
      + (0..<300).map { _ in TestOperand.random(upTo: 5000, &generator) }
    for number in numbers {
      guard let root = number.squareRoot(poll: {}) else {
        #expect(number.isNegative)
        continue
      }
      #expect(root * root <= number && (root + 1) * (root + 1) > number, "\(number)")
      let square = root * root
      #expect(square.squareRoot {} == root)
      if root > 0 { #expect((square - 1).squareRoot {} == root - 1) }
    }
    for low in UInt64(0)..<300 {
      let limb = UInt64.max - low
      let root = LargeInteger(limb: limb).squareRoot {}
      #expect(root == 0xFFFF_FFFF)
    }
  }
}
