import Testing

@testable import TenonRuntime

/// Values as words: what is immediate comes back as it was, and nothing is taken for something else.
@Suite struct ValueTests {
  /// Doubles at the borders of what is immediate, with both signs.
  static let doubles: [Double] = {
    var doubles: [Double] = [
      0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .infinity,
      .ulpOfOne, 1, 1.5, 98.6, .pi, 1e-77, 1e77, 1e100, 1e-100, 1e300,
    ]
    for exponent in 0...0x7FF {
      for significand: UInt64 in [0, 1, 0xF_FFFF_FFFF_FFFF] {
        doubles.append(Double(bitPattern: UInt64(exponent) << 52 | significand))
      }
    }
    return doubles.flatMap { [$0, -$0] }
  }()

  @Test func immediateFloatsComeBack() {
    var count = 0
    for double in Self.doubles {
      guard let value = Value(immediate: double) else { continue }
      count += 1
      #expect(value.immediateFloat.bitPattern == double.bitPattern)
      #expect(value.isImmediateFloat && value.isPlainFloat != value.isZeroFloat)
      #expect(!value.isSmallInteger && !value.isObject && !value.isCharacter)
      #expect(!value.isNil && !value.isBoolean && !value.isUnwind && !value.isUndefined)
      let operand = FloatOperand(value)
      #expect(operand.isFloat && operand.double.bitPattern == double.bitPattern)
    }
    // A quarter of all exponents, each with three significands and two signs, and the zeros.
    #expect(count >= 512 * 6 + 2)
  }

  /// The common magnitudes are immediate, the others and what is no number are not.
  @Test func theCommonMagnitudesAreImmediate() {
    for double in [0.0, -0.0, 1e-76, 1e76, 98.6, -273.15, 1.0 / 3] {
      #expect(Value(immediate: double) != nil)
    }
    for double in [1e-78, 1e78, .infinity, -.infinity, .nan, .leastNonzeroMagnitude] {
      #expect(Value(immediate: double) == nil)
    }
  }

  @Test func otherValuesAreNoFloats() {
    for value in [
      Value.nil, .true, .false, .unwind, .undefined, Value(small: 0), Value(small: -1),
      Value(small: Value.smallIntegerMax), Value(small: Value.smallIntegerMin),
      Value("a" as Unicode.Scalar), Value("\u{10FFFF}" as Unicode.Scalar),
    ] {
      #expect(!value.isImmediateFloat)
      #expect(!FloatOperand(value).isFloat && FloatOperand(value).value == value)
    }
  }

  /// Operations on words against the same on wider integers.
  @Test func smallIntegers() {
    let integers = [
      0, 1, -1, 2, -2, 7, -7, 62, 63, -63, 1 << 31, -(1 << 31), 1 << 61, -(1 << 61),
      Value.smallIntegerMax, Value.smallIntegerMin, Value.smallIntegerMax - 1,
    ]
    func value(_ integer: Int128) -> Value? {
      guard integer >= Value.smallIntegerMin, integer <= Value.smallIntegerMax else { return nil }
      return Value(small: Int(integer))
    }
    for a in integers {
      for b in integers {
        let (left, right) = (Value(small: a), Value(small: b))
        let (wideA, wideB) = (Int128(a), Int128(b))
        #expect(Value.adding(left, right) == value(wideA + wideB))
        #expect(Value.subtracting(left, right) == value(wideA - wideB))
        #expect(Value.multiplying(left, right) == value(wideA * wideB))
        #expect(Value.and(left, right) == Value(small: a & b))
        #expect(Value.or(left, right) == Value(small: a | b))
        #expect(Value.exclusiveOr(left, right) == Value(small: a ^ b))
        let isWhole = b != 0 && wideA % wideB == 0
        #expect(Value.dividing(left, right) == (isWhole ? value(wideA / wideB) : nil))
        let remainder = b == 0 ? 0 : ((wideA % wideB) + wideB) % wideB
        #expect(Value.remainder(left, right) == (b == 0 ? nil : value(remainder)))
        #expect(
          Value.flooring(left, right) == (b == 0 ? nil : value((wideA - remainder) / wideB)))
        // Greater counts are left to the send.
        if b < 62 {
          let shifted = b >= 0 ? wideA << Int128(b) : wideA >> Int128(-max(b, -100))
          #expect(Value.shifting(left, right) == value(shifted))
        }
      }
    }
    #expect(Value.shifting(Value(small: 1), Value(small: Value.smallIntegerMax)) == nil)
    #expect(Value.adding(Value(small: 1), .nil) == nil)
    #expect(Value.dividing(.true, Value(small: 1)) == nil)
  }
}
