import TenonGrammarSupport
import Testing

@testable import TenonNumerics

@Suite struct FloatTextTests {
  /// Reads what `shortest` prints, without the standard library's help.
  private func parse(_ text: String) -> Double? {
    let parts = text.drop { $0 == "-" }.split(separator: "e")
    let digits = parts[0].split(separator: ".")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    return FloatText.value(
      digits: (digits[0] + digits[1]).utf8, exponent: exponent - digits[1].count,
      isNegative: text.hasPrefix("-"))
  }

  @Test func roundTrips() {
    var generator = RandomNumbers(seed: testSeed)
    var count = 0
    while count < 100_000 {
      let value = Double(bitPattern: generator.next())
      guard let text = FloatText.shortest(value) else {
        #expect(!value.isFinite)
        continue
      }
      count += 1
      if parse(text)?.bitPattern != value.bitPattern {
        Issue.record("\(value) printed as \(text), TENON_TEST_SEED=\(testSeed)")
      }
    }
  }

  @Test func layout() {
    let texts: [(Double, String)] = [
      (0, "0.0"), (-0.0, "-0.0"), (100, "100.0"), (37.5, "37.5"), (-37.5, "-37.5"),
      (1e100, "1.0e100"), (-1e100, "-1.0e100"), (1e-7, "1.0e-7"), (1.5e-7, "1.5e-7"),
      (0.1, "0.1"), (0.00001, "0.00001"), (0.000012345, "0.000012345"), (0.000001, "1.0e-6"),
      (1e15, "1000000000000000.0"), (1e16, "1.0e16"), (1234567890123456, "1234567890123456.0"),
      (9007199254740992, "9007199254740992.0"), (12345678901234568, "1.2345678901234568e16"),
      (0.30000000000000004, "0.30000000000000004"), (.leastNonzeroMagnitude, "5.0e-324"),
      (1.7976931348623157e308, "1.7976931348623157e308"), (123.456, "123.456"),
      (1e22, "1.0e22"), (123e20, "1.23e22"), (10, "10.0"), (1.25, "1.25"),
    ]
    for (value, text) in texts { #expect(FloatText.shortest(value) == text) }
    #expect(FloatText.shortest(.nan) == nil)
    #expect(FloatText.shortest(-.infinity) == nil)
  }

  /// One digit less, rounded either way, would be another number.
  @Test func isShortest() throws {
    var generator = RandomNumbers(seed: testSeed)
    for i in 0..<1000 {
      let bits = i % 4 == 0 ? generator.next() >> 12 : generator.next() & (1 << 63 - 1)
      let value = Double(bitPattern: bits)
      guard let (digits, exponent) = FloatText.shortestDigits(value), digits.count > 1 else {
        continue
      }
      let shorter = try #require(LargeInteger(digits: digits.dropLast(), radix: 10, poll: {}))
      for candidate in [shorter, shorter + 1] {
        let read = FloatText.value(
          digits: candidate.description.utf8, exponent: exponent - digits.count + 2)
        #expect(read != value, "\(value) is \(candidate)")
      }
    }
  }

  @Test func literals() throws {
    for line in try fixture("floats") where line[0] == "literal" {
      let parts = line[1].split(separator: "e")
      let digits = parts[0].split(separator: ".")
      let fraction = digits.count > 1 ? digits[1] : ""
      let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
      let value = FloatText.value(digits: (digits[0] + fraction).utf8, exponent: exponent)
      #expect(value.map { String($0.bitPattern, radix: 16) } == String(line[2]), "\(line[1])")
    }
  }

  /// What the standard library reads is what division of integers says.
  @Test func literalsAgainstFractions() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<1500 {
      let count = Int.random(in: 1...40, using: &generator)
      let digits = (0..<count).map { _ in UInt8.random(in: 48...57, using: &generator) }
      let exponent = Int.random(in: -345...310, using: &generator) - count
      let value = FloatText.value(digits: digits, exponent: exponent)
      let text = String(decoding: digits, as: UTF8.self)
      #expect(value == FloatText.exactlyNearest(digits, exponent), "\(text)e\(exponent)")
    }
  }

  @Test func extremeLiterals() {
    func value(_ digits: String, _ exponent: Int) -> Double? {
      FloatText.value(digits: digits.utf8, exponent: exponent)
    }
    #expect(value("1", 400) == .infinity)
    #expect(value("1", Int.max) == .infinity)
    #expect(value("1", Int.min) == 0)
    #expect(value("0", Int.max) == 0)
    #expect(value("17976931348623159", 292) == .infinity)
    #expect(value("17976931348623158", 292) == .greatestFiniteMagnitude)
    #expect(FloatText.value(digits: "1".utf8, exponent: 400, isNegative: true) == -.infinity)
    #expect(FloatText.value(digits: "0".utf8, exponent: 0, isNegative: true)?.sign == .minus)
    #expect(value("", 0) == nil)
    #expect(value("1.5", 0) == nil)
    let million = String(repeating: "9", count: 1_000_000)
    #expect(value(million, 0) == .infinity)
    #expect(value(million, -1_000_000) == 1)
    #expect(value(million, -1_000_310) == Double("1e-310"))
    #expect(value("1" + String(repeating: "0", count: 1_000_000), -1_000_000) == 1)
    #expect(value(String(repeating: "0", count: 1_000_000) + "25", -1) == 2.5)
    // The middle between 1 and the next float, and a millionth digit that is more than that.
    let middle = "100000000000000011102230246251565404236316680908203125"
    let zeros = String(repeating: "0", count: 1_000_000)
    #expect(value(middle, -53) == 1)
    #expect(value(middle + zeros, -1_000_053) == 1)
    #expect(value(middle + zeros + "1", -1_000_054) == Double(1).nextUp)
  }
}
