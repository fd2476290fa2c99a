/// Sums and differences, in linear time.
extension LargeInteger {
  package static prefix func - (operand: LargeInteger) -> LargeInteger {
    LargeInteger(isNegative: !operand.isNegative, limbs: operand.limbs)
  }

  package static func + (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    sum(left.limbs, left.isNegative, right.limbs, right.isNegative)
  }

  package static func - (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    sum(left.limbs, left.isNegative, right.limbs, !right.isNegative)
  }

  package static func + (left: LargeInteger, right: Int) -> LargeInteger {
    sum(left.limbs, left.isNegative, UInt64(right.magnitude), right < 0)
  }

  package static func - (left: LargeInteger, right: Int) -> LargeInteger {
    sum(left.limbs, left.isNegative, UInt64(right.magnitude), right > 0)
  }

  /// Returns the exact sum of two numbers of machine size.
  package static func sum(_ left: Int, _ right: Int) -> LargeInteger {
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard overflow else { return LargeInteger(sum) }
    // What overflows differs from the true sum by 2^64.
    return right < 0
      ? LargeInteger(
        isNegative: true, 0 &- UInt64(truncatingIfNeeded: sum), sum == 0 ? 1 : 0)
      : LargeInteger(limb: UInt64(truncatingIfNeeded: sum))
  }

  /// Returns the exact difference of two numbers of machine size.
  package static func difference(_ left: Int, _ right: Int) -> LargeInteger {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard overflow else { return LargeInteger(difference) }
    let magnitude = UInt64(truncatingIfNeeded: difference)
    return right > 0
      ? LargeInteger(isNegative: true, limb: 0 &- magnitude) : LargeInteger(limb: magnitude)
  }

  private static func sum(
    _ a: [UInt64], _ aIsNegative: Bool, _ b: [UInt64], _ bIsNegative: Bool
  ) -> LargeInteger {
    if a.count <= 2 && b.count <= 2 {
      return shortSum(a, aIsNegative, b.first ?? 0, b.count > 1 ? b[1] : 0, bIsNegative)
    }
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
    guard a.count > 2 else { return shortSum(a, aIsNegative, b, 0, bIsNegative) }
    var limbs = a
    if aIsNegative != bIsNegative {
      Limbs.subtract(b, from: &limbs, in: limbs.indices)
    } else if Limbs.add(b, to: &limbs, in: limbs.indices) {
      limbs.append(1)
    }
    return LargeInteger(isNegative: aIsNegative, limbs: limbs)
  }

  /// Returns the sum of numbers of up to two limbs.
  private static func shortSum(
    _ a: [UInt64], _ aIsNegative: Bool, _ b0: UInt64, _ b1: UInt64, _ bIsNegative: Bool
  ) -> LargeInteger {
    let (a0, a1) = (a.first ?? 0, a.count > 1 ? a[1] : 0)
    var carry = false
    guard aIsNegative != bIsNegative else {
      let low = Limbs.sum(a0, b0, &carry)
      let high = Limbs.sum(a1, b1, &carry)
      return LargeInteger(isNegative: aIsNegative, low, high, carry ? 1 : 0)
    }
    var low = Limbs.difference(a0, b0, &carry)
    var high = Limbs.difference(a1, b1, &carry)
    guard carry else { return LargeInteger(isNegative: aIsNegative, low, high) }
    low = Limbs.sum(~low, 0, &carry)
    high = Limbs.sum(~high, 0, &carry)
    return LargeInteger(isNegative: bIsNegative, low, high)
  }
}
