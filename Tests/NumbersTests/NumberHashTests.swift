import TenonGrammarSupport
import Testing

@testable import TenonNumerics

/// Equal numbers have equal hashes, whatever their kind.
@Suite struct NumberHashTests {
  @Test func integersAndFloats() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<500 {
      let shift = Int.random(in: -1070...960, using: &generator)
      let significand = Int(truncatingIfNeeded: generator.next()) >> 12
      let value = Double(sign: .plus, exponent: shift, significand: Double(significand))
      guard let (numerator, denominator) = LargeInteger.fraction(of: value) else { continue }
      let hash = NumberHash.hash(value)
      #expect(NumberHash.hash(numerator: numerator, denominator: denominator) == hash, "\(value)")
      #expect(
        NumberHash.hash(numerator: numerator * -35, denominator: denominator * -35) == hash)
      if denominator == 1 { #expect(numerator.hashValue64 == hash) }
    }
  }

  @Test func machineIntegers() {
    for int in [0, 1, -1, 42, Int.max, Int.min, 1 << 61 - 1, 1 << 61, -(1 << 61)] {
      #expect(NumberHash.hash(int) == LargeInteger(int).hashValue64)
      #expect(NumberHash.hash(numerator: LargeInteger(int), denominator: 1) == NumberHash.hash(int))
    }
    #expect(NumberHash.hash(7) == 7)
    #expect(NumberHash.hash(-7) == -7)
    #expect(NumberHash.hash(-0.0) == 0)
    #expect(NumberHash.hash(.infinity) == -NumberHash.hash(-.infinity))
    #expect(NumberHash.hash(Double.nan) == NumberHash.hash(-Double.nan))
  }

  /// The values of CPython, whose scheme it is.
  @Test func knownValues() {
    #expect(NumberHash.hash(0.5) == 1_152_921_504_606_846_976)
    #expect(NumberHash.hash(-1e300) == -1_224_995_262_755_759_164)
    #expect(
      LargeInteger("123456789012345678901234567890")?.hashValue64 == 248_789_772_095_949_448)
  }
}
