/// Division by a limb or a number, and steps of the greatest common divisor.
extension Limbs {
  /// Divides a part of an array by one limb and returns the remainder.
  ///
  /// - Requires: `remainder`, what is left of the limbs above the part, is less than the divisor.
  static func divide(
    _ target: inout [UInt64], in range: Range<Int>, by divisor: LimbDivisor,
    remainder: UInt64 = 0
  ) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= target.count, "part outside")
    return unsafe target.withUnsafeMutableBufferPointer { target in
      var rest = remainder
      var k = range.upperBound &- 1
      while k >= range.lowerBound {
        unsafe target[k] = divisor.divide(target[k], &rest)
        k &-= 1
      }
      return rest
    }
  }

  /// Returns the remainder of a number after the division by one limb.
  static func remainder(_ limbs: Span<UInt64>, by divisor: LimbDivisor) -> UInt64 {
    unsafe limbs.withUnsafeBufferPointer { limbs in
      var rest: UInt64 = 0
      var k = limbs.count &- 1
      while k >= 0 {
        _ = unsafe divisor.divide(limbs[k], &rest)
        k &-= 1
      }
      return rest
    }
  }

  /// Computes some of the limbs of a quotient, the highest first, digit by digit.
  ///
  /// For each `j` of `rows`, downwards, the limbs of `dividend` from `offset + j` on are divided by
  /// `divisor`: the quotient goes to `quotient[target + j]`, the remainder stays in their place.
  ///
  /// - Requires: The divisor has two limbs or more and its highest bit is set. What stands above
  ///   the rows in the dividend is less than the divisor.
  /// - Complexity: O(`rows.count * divisor.count`).
  ///
  /// Algorithm: Knuth, "The Art of Computer Programming", volume 2, 1997, 4.3.1, algorithm D. The
  /// quotient's limb is found by `LimbDivisor.divide`, which sees one limb more of both numbers
  /// than Knuth's first estimate, so that the correction is hardly ever needed.
  static func divide(
    _ dividend: inout [UInt64], at offset: Int, by divisor: Span<UInt64>, inverse: UInt64,
    quotient: inout [UInt64], at target: Int, rows: Range<Int>
  ) {
    precondition(divisor.count >= 2, "divisor too short")
    precondition(
      offset >= 0 && rows.lowerBound >= 0
        && offset + rows.upperBound + divisor.count <= dividend.count, "dividend too short")
    precondition(target >= 0 && target + rows.upperBound <= quotient.count, "quotient outside")
    unsafe divisor.withUnsafeBufferPointer { divisor in
      unsafe dividend.withUnsafeMutableBufferPointer { dividend in
        unsafe quotient.withUnsafeMutableBufferPointer { quotient in
          let count = divisor.count
          let d1 = unsafe divisor[count &- 1]
          let d0 = unsafe divisor[count &- 2]
          var j = rows.upperBound &- 1
          while j >= rows.lowerBound {
            let base = offset &+ j
            let u2 = unsafe dividend[base &+ count]
            let u1 = unsafe dividend[base &+ count &- 1]
            let u0 = unsafe dividend[base &+ count &- 2]
            var digit =
              u2 > d1 || (u2 == d1 && u1 >= d0)
              ? UInt64.max
              : LimbDivisor.quotient(u2, u1, u0, by: d1, d0, inverse: inverse)
            var carry: UInt64 = 0
            var i = 0
            while i < count {
              let low = unsafe product(divisor[i], digit, &carry)
              let (rest, borrow) = unsafe dividend[base &+ i].subtractingReportingOverflow(low)
              unsafe dividend[base &+ i] = rest
              carry &+= borrow ? 1 : 0
              i &+= 1
            }
            let (top, isNegative) = u2.subtractingReportingOverflow(carry)
            unsafe dividend[base &+ count] = top
            if isNegative {
              digit &-= 1
              var carry = false
              i = 0
              while i < count {
                unsafe dividend[base &+ i] = sum(dividend[base &+ i], divisor[i], &carry)
                i &+= 1
              }
              unsafe dividend[base &+ count] &+= carry ? 1 : 0
            }
            unsafe quotient[target &+ j] = digit
            j &-= 1
          }
        }
      }
    }
  }

  // MARK: Greatest common divisor

  /// Replaces two numbers of equally many limbs by `a * x - b * y` and `d * y - c * x`.
  ///
  /// - Requires: Both results are neither negative nor longer than the operands.
  static func combine(
    _ x: inout [UInt64], _ y: inout [UInt64], _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64
  ) {
    precondition(x.count == y.count, "numbers of different length")
    unsafe x.withUnsafeMutableBufferPointer { x in
      unsafe y.withUnsafeMutableBufferPointer { y in
        var ax: UInt64 = 0
        var by: UInt64 = 0
        var cx: UInt64 = 0
        var dy: UInt64 = 0
        var firstBorrow = false
        var secondBorrow = false
        var i = 0
        while i < x.count {
          let left = unsafe x[i]
          let right = unsafe y[i]
          unsafe x[i] = difference(product(left, a, &ax), product(right, b, &by), &firstBorrow)
          unsafe y[i] = difference(product(right, d, &dy), product(left, c, &cx), &secondBorrow)
          i &+= 1
        }
      }
    }
  }
}
