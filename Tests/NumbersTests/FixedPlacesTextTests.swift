import TenonGrammarSupport
import Testing

@testable import TenonNumerics

@Suite struct FixedPlacesTextTests {
  @Test func fixtures() throws {
    for line in try fixture("places") {
      let places = Int(line[2]) ?? 0
      let text: String?
      if line[0] == "float" {
        let value = Double(bitPattern: UInt64(line[1], radix: 16) ?? 0)
        text = FixedPlacesText.text(value, places: places) {}
      } else {
        let parts = line[1].split(separator: "/")
        text = FixedPlacesText.text(
          numerator: LargeInteger(String(parts[0])) ?? 0,
          denominator: LargeInteger(String(parts[1])) ?? 0, places: places, poll: {})
      }
      #expect(text == String(line[3]), "\(line.joined(separator: " "))")
    }
  }

  /// A float and the fraction that it is have the same text.
  @Test func floatsAsFractions() {
    var generator = RandomNumbers(seed: testSeed)
    for _ in 0..<300 {
      let value = Double.random(in: -1000...1000, using: &generator)
      guard let fraction = LargeInteger.fraction(of: value) else { continue }
      for places in [0, 1, 5, 40, 80] {
        let text = FixedPlacesText.text(
          numerator: fraction.numerator, denominator: fraction.denominator, places: places, poll: {}
        )
        #expect(FixedPlacesText.text(value, places: places) {} == text)
      }
    }
  }

  @Test func borders() {
    func text(_ n: LargeInteger, _ d: LargeInteger, _ places: Int) -> String? {
      FixedPlacesText.text(numerator: n, denominator: d, places: places, poll: {})
    }
    #expect(text(1, 0, 2) == nil)
    #expect(text(7, 1, 3) == "7.000")
    #expect(text(-7, 1, 0) == "-7")
    #expect(text(7, -1, 2) == "-7.00")
    #expect(text(0, 5, 2) == "0.00")
    #expect(text(5, 2, -3) == "3")
    #expect(text(-5, 2, 0) == "-3")
    #expect(text(1, -1000, 2) == "0.00")
    #expect(text(1, 8, 2) == "0.13")
    #expect(text(2, 3, 30) == "0." + String(repeating: "6", count: 29) + "7")
    #expect(FixedPlacesText.text(.nan, places: 2) {} == nil)
    #expect(FixedPlacesText.text(-.infinity, places: 2) {} == nil)
    #expect(FixedPlacesText.text(2.5, places: -1) {} == "3")
    #expect(FixedPlacesText.text(1e300, places: 1) {}?.utf8.count == 303)
    let tiny = FixedPlacesText.text(.leastNonzeroMagnitude, places: 2000) {}
    #expect(tiny?.hasPrefix("0.000") == true && tiny?.utf8.count == 2002)
  }
}
