/// Sums and differences, in linear time.
extension LargeInteger {
  static prefix func - (operand: LargeInteger) -> LargeInteger {
    LargeInteger(isNegative: !operand.isNegative, limbs: operand.limbs)
  }

  static func + (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    sum(left.limbs, left.isNegative, right.limbs, right.isNegative)
  }

  static func - (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    sum(left.limbs, left.isNegative, right.limbs, !right.isNegative)
  }

  static func + (left: LargeInteger, right: Int) -> LargeInteger {
    sum(left.limbs, left.isNegative, UInt64(right.magnitude), right < 0)
  }

  static func - (left: LargeInteger, right: Int) -> LargeInteger {
    sum(left.limbs, left.isNegative, UInt64(right.magnitude), right > 0)
  }

  /// Returns the exact sum of two numbers of machine size.
  static func sum(_ left: Int, _ right: Int) -> LargeInteger {
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard overflow else { return LargeInteger(sum) }
    // What overflows differs from the true sum by 2^64.
    return right < 0
      ? LargeInteger(
        isNegative: true, high: sum == 0 ? 1 : 0, low: 0 &- UInt64(truncatingIfNeeded: sum))
      : LargeInteger(limb: UInt64(truncatingIfNeeded: sum))
  }

  /// Returns the exact difference of two numbers of machine size.
  static func difference(_ left: Int, _ right: Int) -> LargeInteger {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard overflow else { return LargeInteger(difference) }
    let magnitude = UInt64(truncatingIfNeeded: difference)
    return right > 0
      ? LargeInteger(isNegative: true, limb: 0 &- magnitude) : LargeInteger(limb: magnitude)
  }

  private static func sum(
    _ a: [UInt64], _ aIsNegative: Bool, _ b: [UInt64], _ bIsNegative: Bool
  ) -> LargeInteger {
    if aIsNegative == bIsNegative {
      let limbs =
        a.count >= b.count ? Limbs.sum(a.span, b.span) : Limbs.sum(b.span, a.span)
      return LargeInteger(isNegative: aIsNegative, limbs: limbs)
    }
    switch compareMagnitudes(a.span, b.span) {
    case 0: return zero
    case 1:
      return LargeInteger(isNegative: aIsNegative, limbs: Limbs.difference(a.span, b.span))
    default:
      return LargeInteger(isNegative: bIsNegative, limbs: Limbs.difference(b.span, a.span))
    }
  }

  private static func sum(
    _ a: [UInt64], _ aIsNegative: Bool, _ b: UInt64, _ bIsNegative: Bool
  ) -> LargeInteger {
    guard a.count > 1 else {
      let own = a.first ?? 0
      guard aIsNegative != bIsNegative else {
        let (sum, carry) = own.addingReportingOverflow(b)
        return LargeInteger(isNegative: bIsNegative, high: carry ? 1 : 0, low: sum)
      }
      return own >= b
        ? LargeInteger(isNegative: aIsNegative, limb: own - b)
        : LargeInteger(isNegative: bIsNegative, limb: b - own)
    }
    var limbs = a
    if aIsNegative != bIsNegative {
      Limbs.subtract(b, from: &limbs, in: limbs.indices)
    } else if Limbs.add(b, to: &limbs, in: limbs.indices) {
      limbs.append(1)
    }
    return LargeInteger(isNegative: aIsNegative, limbs: limbs)
  }
}
