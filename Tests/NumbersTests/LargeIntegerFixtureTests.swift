import Testing

@testable import TenonNumerics

/// Results that Python computed.
@Suite struct LargeIntegerFixtureTests {
  @Test func expressions() throws {
    for line in try fixture("expressions") {
      let (operation, a, expected) = (line[0], TestOperand.parse(line[1]), line[3])
      let result =
        operation == "text"
        ? fixtureHash(a.text(radix: Int(line[2]) ?? 0) {}.utf8.map { UInt64($0) })
        : evaluate(operation, a, line[2]).map { number in
          fixtureHash(number.limbs) ^ (number.isNegative ? 1 : 0)
        }
      #expect(
        result.map { String($0, radix: 16) } == String(expected),
        "\(line.joined(separator: " "))")
    }
  }

  private func evaluate(
    _ operation: Substring, _ a: LargeInteger, _ argument: Substring
  ) -> LargeInteger? {
    let count = Int(argument) ?? 0
    func b() -> LargeInteger { TestOperand.parse(argument) }
    switch operation {
    case "add": return a + b()
    case "sub": return a - b()
    case "mul": return a * b()
    case "sqr": return a.squared {}
    case "quo": return a.dividedTruncating(by: b(), poll: {})?.quotient
    case "rem": return a.dividedTruncating(by: b(), poll: {})?.remainder
    case "div": return a.dividedFlooring(by: b(), poll: {})?.quotient
    case "mod": return a.dividedFlooring(by: b(), poll: {})?.remainder
    case "gcd": return LargeInteger.greatestCommonDivisor(a, b()) {}
    case "and": return a & b()
    case "or": return a | b()
    case "xor": return a ^ b()
    case "cmp": return LargeInteger(a.compared(to: b()))
    case "sqrt": return a.squareRoot {}
    case "shl": return a.shiftedLeft(by: count)
    case "shr": return a.shiftedRight(by: count)
    case "bits": return LargeInteger(a.bitLength)
    case "bit": return LargeInteger(a.bit(at: count) ? 1 : 0)
    case "pow": return a.power(count) {}
    case "powmod":
      let parts = argument.split(separator: ",")
      return a.power(TestOperand.parse(parts[0]), modulo: TestOperand.parse(parts[1])) {}
    default: return nil
    }
  }
}
