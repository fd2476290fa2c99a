import TenonGrammarSupport
import Testing

@testable import TenonNumerics

/// Each fast algorithm against the one it replaces, around the sizes at which it takes over.
@Suite struct LargeIntegerAlgorithmTests {
  private func limbs(_ count: Int, _ generator: inout RandomNumbers) -> [UInt64] {
    TestOperand.random(
      bits: 64 * count - Int.random(in: 0...63, using: &generator),
      hasRuns: Bool.random(using: &generator), &generator
    ).limbs
  }

  private func ones(_ count: Int) -> [UInt64] {
    [UInt64](repeating: UInt64.max, count: count)
  }

  /// Returns the product digit by digit, among limbs that must remain as they are.
  private func expected(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var product = [UInt64](repeating: 7, count: a.count + b.count + 4)
    Limbs.multiply(a.span, b.span, into: &product, at: 2)
    return product
  }

  @Test func productsByHalves() {
    var generator = RandomNumbers(seed: testSeed)
    for (m, n) in [
      (2, 2), (3, 3), (3, 2), (5, 4), (44, 44), (87, 45), (88, 88), (89, 46), (130, 90),
    ] {
      for (a, b) in [
        (limbs(m, &generator), limbs(n, &generator)), (ones(m), ones(n)),
        (limbs(m, &generator), ones(n)),
      ] {
        guard b.count > (a.count + 1) / 2, a.count >= b.count else { continue }
        var product = [UInt64](repeating: 7, count: a.count + b.count + 4)
        LargeInteger.multiplyByHalves(a.span, b.span, into: &product, at: 2) {}
        #expect(product == expected(a, b), "\(m) by \(n) limbs")
      }
    }
  }

  @Test func squares() {
    var generator = RandomNumbers(seed: testSeed)
    for n in Array(0...9) + [63, 64, 65, 127, 128, 200] {
      for a in [n == 0 ? [] : limbs(n, &generator), ones(n)] {
        var square = [UInt64](repeating: 7, count: 2 * a.count + 4)
        Limbs.square(a.span, into: &square, at: 2)
        #expect(square == expected(a, a), "\(n) limbs")
        guard a.count > 1 else { continue }
        square = [UInt64](repeating: 7, count: 2 * a.count + 4)
        LargeInteger.squareByHalves(a.span, into: &square, at: 2) {}
        #expect(square == expected(a, a), "\(n) limbs by halves")
        square = [UInt64](repeating: 7, count: 2 * a.count + 4)
        LargeInteger.squareByTransform(a.span, into: &square, at: 2) {}
        #expect(square == expected(a, a), "\(n) limbs by transform")
      }
    }
  }

  /// Whichever way the sizes choose.
  @Test func productsAroundThresholds() {
    var generator = RandomNumbers(seed: testSeed)
    let borders = [LargeInteger.halvesThreshold, LargeInteger.transformThreshold]
    for n in borders.flatMap({ [$0 - 1, $0, $0 + 1] }) {
      for m in [n, n + 1, 2 * n - 2, 2 * n - 1, 2 * n, 2 * n + 1, 3 * n + 5] {
        let (a, b) = (limbs(m, &generator), limbs(n, &generator))
        let product = LargeInteger(limbs: a) * LargeInteger(limbs: b)
        #expect(product.limbs == Limbs.product(a.span, b.span), "\(m) by \(n) limbs")
        #expect(LargeInteger(limbs: b) * LargeInteger(limbs: a) == product)
      }
    }
    let squareBorders = [LargeInteger.halvesSquareThreshold, LargeInteger.transformSquareThreshold]
    for n in squareBorders.flatMap({ [$0 - 1, $0, $0 + 1] }) {
      let a = limbs(n, &generator)
      #expect(
        LargeInteger(limbs: a).squared {}.limbs == Limbs.product(a.span, a.span), "\(n) limbs")
    }
  }

  /// All sizes of transforms up to some thousand places, with one part and with three.
  @Test func productsByTransform() {
    var generator = RandomNumbers(seed: testSeed)
    let sizes = [
      (1, 1), (2, 1), (2, 2), (3, 2), (5, 5), (8, 3), (11, 11), (17, 16), (40, 1), (33, 32),
      (60, 60), (90, 80), (150, 150), (200, 13), (300, 260), (500, 400), (1000, 90),
    ]
    for (m, n) in sizes {
      for (a, b) in [(limbs(m, &generator), limbs(n, &generator)), (ones(m), ones(n))] {
        var product = [UInt64](repeating: 7, count: a.count + b.count + 4)
        LargeInteger.multiplyByTransform(a.span, b.span, into: &product, at: 2) {}
        #expect(product == expected(a, b), "\(m) by \(n) limbs")
      }
    }
  }

  /// Products of numbers of all ones have the largest coefficients: (2^a - 1) * (2^b - 1).
  @Test func hugeProductsOfOnes() {
    for (m, n) in [(500, 500), (3000, 2000), (9000, 9000), (20_000, 600)] {
      let product = LargeInteger(limbs: ones(m)) * LargeInteger(limbs: ones(n))
      let one = LargeInteger.one
      let expected =
        one.shiftedLeft(by: 64 * (m + n)) - one.shiftedLeft(by: 64 * m)
        - one.shiftedLeft(by: 64 * n) + 1
      #expect(product == expected, "\(m) by \(n) limbs")
      if m == n { #expect(LargeInteger(limbs: ones(m)).squared {} == expected) }
    }
  }

  @Test func fieldOfTheTransform() {
    let prime = TransformField.prime
    var generator = RandomNumbers(seed: testSeed)
    func remainder(_ high: UInt64, _ low: UInt64) -> UInt64 {
      prime.dividingFullWidth((high % prime, low)).remainder
    }
    let borders = [0, 1, 2, prime - 1, prime - 2, 1 << 61, 1 << 46]
    for _ in 0..<200 {
      let a = borders.randomElement(using: &generator) ?? 0
      let b = Bool.random(using: &generator) ? generator.next() % prime : a
      let exact = b.multipliedFullWidth(by: a)
      let product = TransformField.canonical(
        TransformField.product(b, TransformField.Factor(a)))
      #expect(product == remainder(exact.high, exact.low))
      // The scaled product times 2^64 is the product.
      let scaled = TransformField.canonical(TransformField.scaledProduct(a, b))
      #expect(remainder(scaled, 0) == product)
      #expect(a == 0 || TransformField.power(a, prime - 1) == 1)
    }
    let root = TransformField.cubeRoot
    #expect(root.value != 1 && root.times(root).times(root).value == 1)
    let roots = TransformField.roots(size: 64) {}
    for (i, factor) in roots.enumerated() where i > 0 {
      #expect(factor.times(roots[TransformField.inverseIndex(i)]).value == prime - 1)
      let parent = i % 2 == 0 ? roots[i / 2] : roots[i / 2].negated
      #expect(factor.times(factor).value == parent.value)
    }
  }

  @Test func divisionByHalves() {
    var generator = RandomNumbers(seed: testSeed)
    let t = LargeInteger.recursiveDivisionThreshold
    for (m, n) in [
      (2 * t - 1, t), (2 * t, t), (2 * t + 1, t + 1), (3 * t, t + 1), (4 * t, 2 * t), (5 * t, t),
      (8 * t + 3, 2 * t + 3), (4 * t, 4 * t - t / 2), (6 * t, t + 1), (9 * t, 4 * t + 1),
    ] {
      for divisor in [
        limbs(n, &generator), ones(n), [1] + ones(n - 1),
        [UInt64](repeating: 0, count: n - 1) + [1 << 63],
      ] {
        for dividend in [limbs(m, &generator), ones(m)] {
          let (quotient, remainder) = LargeInteger.divide(dividend.span, by: divisor.span) {}
          let q = LargeInteger(limbs: quotient)
          let r = LargeInteger(limbs: remainder)
          let d = LargeInteger(limbs: divisor)
          #expect(q * d + r == LargeInteger(limbs: dividend), "\(m) by \(n) limbs")
          #expect(r < d, "\(m) by \(n) limbs")
        }
      }
    }
  }

  /// Quotients of all ones, where the upper part of the divisor equals that of the dividend, so that
  /// an estimate has one limb too many.
  @Test func divisionWithOverflowingEstimates() {
    var generator = RandomNumbers(seed: testSeed)
    let t = LargeInteger.recursiveDivisionThreshold
    for n in [t, t + 1, 2 * t, 2 * t + 5, 4 * t, 7 * t] {
      for rows in [t - 1, t, t + 1, 2 * t, 3 * t + 1, 5 * t] {
        for low in [
          limbs(n - 1, &generator), ones(n - 1), [1] + [UInt64](repeating: 0, count: n - 2),
        ] {
          let top: [UInt64] = [generator.next() | 1 << 63]
          let divisor = LargeInteger(
            limbs: low + [UInt64](repeating: 0, count: n - 1 - low.count) + top)
          let dividend = divisor.shiftedLeft(by: 64 * rows) - 1
          let division = dividend.dividedTruncating(by: divisor, poll: {})
          #expect(division?.quotient.limbs == ones(rows), "\(rows) limbs of a quotient by \(n)")
          #expect(division?.remainder == divisor - 1)
        }
      }
    }
  }

  @Test func divisionByLimbs() {
    var generator = RandomNumbers(seed: testSeed)
    let borders: [UInt64] = [
      1, 2, 3, 10, 1 << 63, 1 << 63 + 1, UInt64.max, UInt64.max - 1, 1 << 32,
    ]
    for divisor in borders + (0..<200).map({ _ in generator.next() | 1 }) {
      let prepared = LimbDivisor(divisor)
      for limb in [0, 1, UInt64.max, generator.next()] {
        for rest in [0, divisor - 1, generator.next() % divisor] {
          var remainder = rest
          let quotient = prepared.divide(limb, &remainder)
          let expected = divisor.dividingFullWidth((rest, limb))
          #expect(quotient == expected.quotient && remainder == expected.remainder)
        }
      }
    }
  }

  @Test func sumsOfLimbs() {
    for count in 0...9 {
      // All ones and one more carry through all limbs, and back.
      var number = ones(count)
      #expect(Limbs.add(1, to: &number, in: number.indices))
      #expect(number.allSatisfy { $0 == 0 })
      #expect(Limbs.subtract(1, from: &number, in: number.indices))
      #expect(number == ones(count))
      let one: [UInt64] = [1]
      guard count > 0 else { continue }
      #expect(Limbs.add(one.span, to: &number, in: number.indices))
      #expect(Limbs.subtract(one.span, from: &number, in: number.indices))
      #expect(number == ones(count))
      #expect(Limbs.sum(number.span, one.span) == [UInt64](repeating: 0, count: count) + [1])
    }
  }
}
