/// Shifts, and the operations on bits, as if numbers were written in two's complement with
/// infinitely many sign bits.
extension LargeInteger {
  /// The number of bits of the magnitude, without leading zeros; zero for zero.
  @inlinable public var bitLength: Int {
    guard let top = limbs.last else { return 0 }
    return limbs.count * 64 - top.leadingZeroBitCount
  }

  /// The number of zero bits at the low end; zero for zero.
  package var trailingZeroBitCount: Int {
    guard let index = limbs.firstIndex(where: { $0 != 0 }) else { return 0 }
    return 64 * index + limbs[index].trailingZeroBitCount
  }

  /// The 64 leading bits of the magnitude, of which the highest is set; zero for zero.
  var leadingLimb: UInt64 {
    guard let top = limbs.last else { return 0 }
    let shift = UInt64(top.leadingZeroBitCount)
    let next = limbs.count > 1 ? limbs[limbs.count - 2] : 0
    return top << shift | (next >> 1) >> (63 - shift)
  }

  /// Returns the number times two to the power of `count`; for a negative `count` the quotient by
  /// two to the power of `-count`, rounded down.
  ///
  /// - Requires: The result fits in memory: it has `bitLength + count` bits.
  /// - Complexity: O(n) for a result of n limbs.
  package func shiftedLeft(by count: Int) -> LargeInteger {
    guard count >= 0 else { return shiftedRight(by: count == Int.min ? Int.max : -count) }
    guard !isZero else { return self }
    if count < 64, limbs.count <= 2 {
      let (low, high) = (limbs[0], limbs.count > 1 ? limbs[1] : 0)
      let (left, right) = (UInt64(count), UInt64(63 - count))
      return LargeInteger(
        isNegative: isNegative, low << left, high << left | (low >> 1) >> right,
        (high >> 1) >> right)
    }
    return LargeInteger(
      isNegative: isNegative,
      limbs: Limbs.shiftedLeft(limbs.span, limbs: count >> 6, bits: count & 63))
  }

  /// Returns the quotient by two to the power of `count`, rounded down; for a negative `count` the
  /// product with two to the power of `-count`.
  ///
  /// - Complexity: O(n) for n limbs.
  package func shiftedRight(by count: Int) -> LargeInteger {
    guard count >= 0 else { return shiftedLeft(by: count == Int.min ? Int.max : -count) }
    let limbCount = count >> 6
    guard limbCount < limbs.count else { return isNegative ? LargeInteger(-1) : .zero }
    var quotient = Limbs.shiftedRight(limbs.span, limbs: limbCount, bits: count & 63)
    // Rounding down makes a negative number's magnitude larger if a bit is lost.
    if isNegative, trailingZeroBitCount < count,
      Limbs.add(1, to: &quotient, in: quotient.indices)
    {
      quotient.append(1)
    }
    return LargeInteger(isNegative: isNegative, limbs: quotient)
  }

  /// Returns whether a bit is set; the lowest has the index 0.
  ///
  /// - Requires: The index is not negative.
  package func bit(at index: Int) -> Bool {
    precondition(index >= 0, "negative index of a bit")
    let limbIndex = index >> 6
    guard limbIndex < limbs.count else { return isNegative }
    let mask: UInt64 = 1 << UInt64(index & 63)
    guard isNegative else { return limbs[limbIndex] & mask != 0 }
    // Of a negated number the lowest set bit remains, those above it are inverted.
    let zeros = trailingZeroBitCount
    return index == zeros || index > zeros && limbs[limbIndex] & mask == 0
  }

  /// Returns the number with all bits inverted.
  package static prefix func ~ (operand: LargeInteger) -> LargeInteger {
    -operand - 1
  }

  package static func & (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    combineBits(left, right, &)
  }

  package static func | (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    combineBits(left, right, |)
  }

  package static func ^ (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    combineBits(left, right, ^)
  }

  @inline(__always)
  private static func combineBits(
    _ left: LargeInteger, _ right: LargeInteger, _ operation: (UInt64, UInt64) -> UInt64
  ) -> LargeInteger {
    let count = max(left.limbs.count, right.limbs.count)
    let isNegative = operation(left.isNegative ? 1 : 0, right.isNegative ? 1 : 0) == 1
    var result = [UInt64]()
    result.reserveCapacity(count + 1)
    var leftCarry = left.isNegative
    var rightCarry = right.isNegative
    var carry = isNegative
    for i in 0..<count {
      let a = twosComplement(left, i, &leftCarry)
      let b = twosComplement(right, i, &rightCarry)
      let combined = operation(a, b)
      result.append(isNegative ? Limbs.sum(~combined, 0, &carry) : combined)
    }
    if carry { result.append(1) }
    return LargeInteger(isNegative: isNegative, limbs: result)
  }

  /// Returns a limb of the two's complement of a number, asked for from the lowest on; `carry` is
  /// whether the number is negative and the limbs so far were zero.
  @inline(__always)
  private static func twosComplement(
    _ number: LargeInteger, _ index: Int, _ carry: inout Bool
  ) -> UInt64 {
    let limb = index < number.limbs.count ? number.limbs[index] : 0
    return number.isNegative ? Limbs.sum(~limb, 0, &carry) : limb
  }
}
