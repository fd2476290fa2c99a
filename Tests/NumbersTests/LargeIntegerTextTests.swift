import TenonGrammarSupport
import Testing

@testable import TenonNumerics

@Suite struct LargeIntegerTextTests {
  @Test(arguments: 2...36) func roundTrips(radix: Int) {
    var generator = RandomNumbers(seed: testSeed + UInt64(radix))
    let power = LargeInteger(radix).power(40) {} ?? 0
    var numbers = [power, power - 1, -power, 0, 1, -1]
    for bits in [64, 200, 2000, 2000, 20_000] {
      numbers.append(TestOperand.random(upTo: bits, &generator))
    }
    numbers.append(TestOperand.random(bits: 9000, hasRuns: false, &generator))
    for number in numbers {
      let text = number.text(radix: radix) {}
      let digits = text.drop { $0 == "-" }
      #expect(
        LargeInteger(digits: digits.utf8, radix: radix, poll: {}) == number.absolute, "\(text)")
      #expect(
        LargeInteger(digits: digits.lowercased().utf8, radix: radix, poll: {}) == number.absolute)
      #expect(text.hasPrefix("-") == number.isNegative)
      #expect(digits.first != "0" || digits == "0")
    }
    #expect(power.text(radix: radix) {} == "1" + String(repeating: "0", count: 40))
    let largest = TextRadix.digit(UInt8(radix - 1))
    let nines = String(repeating: Character(UnicodeScalar(largest)), count: 40)
    #expect((power - 1).text(radix: radix) {} == nines)
  }

  /// Zeros inside must be written, at whatever place the number is cut.
  @Test func innerZeros() {
    let cut = 19 * LargeInteger.textThreshold
    for exponent in [18, 19, 20, cut - 1, cut, cut + 1, 2 * cut - 1, 2 * cut, 4 * cut, 9 * cut] {
      let power = LargeInteger(10).power(exponent) {} ?? 0
      let zeros = String(repeating: "0", count: exponent - 1)
      #expect((power + 1).description == "1" + zeros + "1")
      #expect((power * power + 7).description == "1" + zeros + "0" + zeros + "7")
      #expect(LargeInteger("1" + zeros + "1") == power + 1)
      #expect(LargeInteger("000" + zeros + "1") == 1)
    }
  }

  @Test func smallNumbers() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<500 {
      let int =
        Int(truncatingIfNeeded: generator.next()) >> Int.random(in: 0...63, using: &generator)
      let radix = Int.random(in: 2...36, using: &generator)
      let expected = String(int, radix: radix, uppercase: true)
      #expect(LargeInteger(int).text(radix: radix) {} == expected)
    }
  }

  @Test func refusedDigits() {
    #expect(LargeInteger(digits: "".utf8, radix: 10, poll: {}) == nil)
    #expect(LargeInteger(digits: "12a".utf8, radix: 10, poll: {}) == nil)
    #expect(LargeInteger(digits: "12A".utf8, radix: 11, poll: {}) == 11 * 11 + 22 + 10)
    #expect(LargeInteger(digits: "2".utf8, radix: 2, poll: {}) == nil)
    #expect(LargeInteger(digits: "1_000".utf8, radix: 10, poll: {}) == nil)
    #expect(LargeInteger(digits: "١".utf8, radix: 10, poll: {}) == nil)
    #expect(LargeInteger("-") == nil)
    #expect(LargeInteger("--1") == nil)
    #expect(LargeInteger("-0") == 0)
    #expect(LargeInteger(" 1") == nil)
  }
}
