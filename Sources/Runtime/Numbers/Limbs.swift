/// The loops over 64-bit limbs that the arithmetic of `LargeInteger` is made of.
///
/// A magnitude is a sequence of limbs, the least significant first. What is read comes as a `Span`,
/// what is written as an array with a range or an offset.
///
/// This is the only file of the number code with unsafe expressions: through buffer pointers these
/// loops take 0.5 to 0.9 ns a limb, through `Span` and `MutableSpan` 2.5 to 6 ns (Swift 6.3,
/// x86-64), and a debug build is three times as fast, too. Every function checks the sizes it is
/// given once, before its loop, so that no loop leaves its buffers whatever it was called with.
enum Limbs {
  // MARK: Single steps

  /// Returns `a + b + carry` and leaves the carry out.
  @inline(__always)
  static func sum(_ a: UInt64, _ b: UInt64, _ carry: inout Bool) -> UInt64 {
    let (partial, first) = a.addingReportingOverflow(b)
    let (total, second) = partial.addingReportingOverflow(carry ? 1 : 0)
    carry = first != second
    return total
  }

  /// Returns `a - b - borrow` and leaves the borrow out.
  @inline(__always)
  static func difference(_ a: UInt64, _ b: UInt64, _ borrow: inout Bool) -> UInt64 {
    let (partial, first) = a.subtractingReportingOverflow(b)
    let (total, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
    borrow = first != second
    return total
  }

  /// Returns the low limb of `a * b + carry` and leaves the high limb in `carry`.
  @inline(__always)
  static func product(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    let (low, overflow) = product.low.addingReportingOverflow(carry)
    carry = product.high &+ (overflow ? 1 : 0)
    return low
  }

  /// Returns the low limb of `a * b + c + carry`, which never exceeds two limbs, and leaves the
  /// high limb in `carry`.
  @inline(__always)
  static func product(_ a: UInt64, _ b: UInt64, plus c: UInt64, _ carry: inout UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    let (partial, first) = product.low.addingReportingOverflow(carry)
    let (low, second) = partial.addingReportingOverflow(c)
    carry = product.high &+ (first ? 1 : 0) &+ (second ? 1 : 0)
    return low
  }

  // MARK: Counting and comparing

  /// Returns the number of limbs up to the highest that is not zero.
  static func significantCount(_ limbs: Span<UInt64>) -> Int {
    var count = limbs.count
    while count > 0, limbs[count - 1] == 0 { count -= 1 }
    return count
  }

  /// Returns -1, 0 or 1 as the first of two numbers of equally many limbs is less than, equal to,
  /// or greater than the second.
  static func compare(_ a: Span<UInt64>, _ b: Span<UInt64>) -> Int {
    precondition(a.count == b.count, "numbers of different length")
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        var i = a.count &- 1
        while i >= 0 {
          let left = unsafe a[i]
          let right = unsafe b[i]
          if left != right { return left < right ? -1 : 1 }
          i &-= 1
        }
        return 0
      }
    }
  }

  // MARK: Addition

  /// Adds to a part of an array and returns whether a carry left that part.
  @discardableResult
  static func add(
    _ addend: Span<UInt64>, to target: inout [UInt64], in range: Range<Int>
  ) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= target.count, "part outside")
    precondition(addend.count <= range.count, "addend longer than the part it is added to")
    let offset = range.lowerBound
    return unsafe addend.withUnsafeBufferPointer { addend in
      unsafe target.withUnsafeMutableBufferPointer { target in
        var carry = false
        var i = 0
        // Four limbs a round: the additions then run at the speed of the memory.
        while i &+ 4 <= addend.count {
          let k = offset &+ i
          unsafe target[k] = sum(target[k], addend[i], &carry)
          unsafe target[k &+ 1] = sum(target[k &+ 1], addend[i &+ 1], &carry)
          unsafe target[k &+ 2] = sum(target[k &+ 2], addend[i &+ 2], &carry)
          unsafe target[k &+ 3] = sum(target[k &+ 3], addend[i &+ 3], &carry)
          i &+= 4
        }
        while i < addend.count {
          unsafe target[offset &+ i] = sum(target[offset &+ i], addend[i], &carry)
          i &+= 1
        }
        var k = offset &+ i
        while carry, k < range.upperBound {
          unsafe target[k] &+= 1
          carry = unsafe target[k] == 0
          k &+= 1
        }
        return carry
      }
    }
  }

  /// Subtracts from a part of an array and returns whether a borrow left that part.
  @discardableResult
  static func subtract(
    _ subtrahend: Span<UInt64>, from target: inout [UInt64], in range: Range<Int>
  ) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= target.count, "part outside")
    precondition(subtrahend.count <= range.count, "subtrahend longer than what it is taken from")
    let offset = range.lowerBound
    return unsafe subtrahend.withUnsafeBufferPointer { subtrahend in
      unsafe target.withUnsafeMutableBufferPointer { target in
        var borrow = false
        var i = 0
        while i &+ 4 <= subtrahend.count {
          let k = offset &+ i
          unsafe target[k] = difference(target[k], subtrahend[i], &borrow)
          unsafe target[k &+ 1] = difference(target[k &+ 1], subtrahend[i &+ 1], &borrow)
          unsafe target[k &+ 2] = difference(target[k &+ 2], subtrahend[i &+ 2], &borrow)
          unsafe target[k &+ 3] = difference(target[k &+ 3], subtrahend[i &+ 3], &borrow)
          i &+= 4
        }
        while i < subtrahend.count {
          unsafe target[offset &+ i] = difference(target[offset &+ i], subtrahend[i], &borrow)
          i &+= 1
        }
        var k = offset &+ i
        while borrow, k < range.upperBound {
          borrow = unsafe target[k] == 0
          unsafe target[k] &-= 1
          k &+= 1
        }
        return borrow
      }
    }
  }

  /// Replaces a number by its difference from another of equal length, and returns whether a borrow
  /// was left.
  static func subtract(from minuend: Span<UInt64>, _ target: inout [UInt64]) -> Bool {
    precondition(minuend.count == target.count, "numbers of different length")
    return unsafe minuend.withUnsafeBufferPointer { minuend in
      unsafe target.withUnsafeMutableBufferPointer { target in
        var borrow = false
        var i = 0
        while i < target.count {
          unsafe target[i] = difference(minuend[i], target[i], &borrow)
          i &+= 1
        }
        return borrow
      }
    }
  }

  /// Writes the absolute difference of two numbers over `a.count` limbs of an array, and returns
  /// whether the difference is negative.
  ///
  /// - Requires: `b` is not longer than `a`.
  static func absoluteDifference(
    _ a: Span<UInt64>, _ b: Span<UInt64>, into target: inout [UInt64], at offset: Int
  ) -> Bool {
    precondition(a.count >= b.count, "the longer operand comes first")
    precondition(offset >= 0 && offset + a.count <= target.count, "difference outside")
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe target.withUnsafeMutableBufferPointer { target in
          var borrow = false
          var i = 0
          while i < b.count {
            unsafe target[offset &+ i] = difference(a[i], b[i], &borrow)
            i &+= 1
          }
          while i < a.count {
            unsafe target[offset &+ i] = difference(a[i], 0, &borrow)
            i &+= 1
          }
          guard borrow else { return false }
          var carry = true
          i = 0
          while i < a.count {
            unsafe target[offset &+ i] = sum(~target[offset &+ i], 0, &carry)
            i &+= 1
          }
          return true
        }
      }
    }
  }

  /// Adds one limb to a part of an array and returns whether a carry left that part.
  @discardableResult
  static func add(_ limb: UInt64, to target: inout [UInt64], in range: Range<Int>) -> Bool {
    var addend = limb
    for k in range {
      let (total, carry) = target[k].addingReportingOverflow(addend)
      target[k] = total
      if !carry { return false }
      addend = 1
    }
    return addend != 0
  }

  /// Subtracts one limb from a part of an array and returns whether a borrow left that part.
  @discardableResult
  static func subtract(_ limb: UInt64, from target: inout [UInt64], in range: Range<Int>) -> Bool {
    var subtrahend = limb
    for k in range {
      let (total, borrow) = target[k].subtractingReportingOverflow(subtrahend)
      target[k] = total
      if !borrow { return false }
      subtrahend = 1
    }
    return subtrahend != 0
  }

  /// Returns the sum of two numbers, the first at least as long as the second.
  static func sum(_ a: Span<UInt64>, _ b: Span<UInt64>) -> [UInt64] {
    precondition(a.count >= b.count, "the longer operand comes first")
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe [UInt64](unsafeUninitializedCapacity: a.count &+ 1) { result, count in
          var carry = false
          var i = 0
          while i &+ 4 <= b.count {
            unsafe result[i] = sum(a[i], b[i], &carry)
            unsafe result[i &+ 1] = sum(a[i &+ 1], b[i &+ 1], &carry)
            unsafe result[i &+ 2] = sum(a[i &+ 2], b[i &+ 2], &carry)
            unsafe result[i &+ 3] = sum(a[i &+ 3], b[i &+ 3], &carry)
            i &+= 4
          }
          while i < b.count {
            unsafe result[i] = sum(a[i], b[i], &carry)
            i &+= 1
          }
          while i < a.count {
            unsafe result[i] = sum(a[i], 0, &carry)
            i &+= 1
          }
          unsafe result[i] = carry ? 1 : 0
          count = i &+ (carry ? 1 : 0)
        }
      }
    }
  }

  /// Returns the difference of two numbers without leading zeros.
  ///
  /// - Requires: The first is not less than the second; the second is not the longer one.
  static func difference(_ a: Span<UInt64>, _ b: Span<UInt64>) -> [UInt64] {
    precondition(a.count >= b.count, "the longer operand comes first")
    return unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe [UInt64](unsafeUninitializedCapacity: a.count) { result, count in
          var borrow = false
          var i = 0
          while i &+ 4 <= b.count {
            unsafe result[i] = difference(a[i], b[i], &borrow)
            unsafe result[i &+ 1] = difference(a[i &+ 1], b[i &+ 1], &borrow)
            unsafe result[i &+ 2] = difference(a[i &+ 2], b[i &+ 2], &borrow)
            unsafe result[i &+ 3] = difference(a[i &+ 3], b[i &+ 3], &borrow)
            i &+= 4
          }
          while i < b.count {
            unsafe result[i] = difference(a[i], b[i], &borrow)
            i &+= 1
          }
          while i < a.count {
            unsafe result[i] = difference(a[i], 0, &borrow)
            i &+= 1
          }
          while i > 0, unsafe result[i &- 1] == 0 { i &-= 1 }
          count = i
        }
      }
    }
  }

  // MARK: Shifts

  /// Returns a number times two to the power of `64 * limbs + bits`, without leading zeros, or with
  /// one limb more than it had, `limbs` aside.
  ///
  /// - Requires: `bits` is in `0 ..< 64`; `limbs` is not negative.
  static func shiftedLeft(
    _ source: Span<UInt64>, limbs: Int, bits: Int, isTrimmed: Bool = true
  ) -> [UInt64] {
    precondition(limbs >= 0 && bits >= 0 && bits < 64, "shift out of range")
    return unsafe source.withUnsafeBufferPointer { source in
      unsafe [UInt64](unsafeUninitializedCapacity: source.count + limbs + 1) { result, count in
        var k = 0
        while k < limbs {
          unsafe result[k] = 0
          k &+= 1
        }
        var carry: UInt64 = 0
        var i = 0
        while i < source.count {
          let limb = unsafe source[i]
          // Two shifts, because a shift by 64 would not shift at all.
          unsafe result[k &+ i] = limb &<< UInt64(bits) | carry
          carry = (limb &>> 1) &>> UInt64(63 &- bits)
          i &+= 1
        }
        unsafe result[k &+ i] = carry
        count = k &+ i &+ 1
        while isTrimmed, count > 0, unsafe result[count &- 1] == 0 { count &-= 1 }
      }
    }
  }

  /// Returns a number divided by two to the power of `64 * limbs + bits`, rounded down, without
  /// leading zeros.
  ///
  /// - Requires: `bits` is in `0 ..< 64`; `limbs` is in `0 ... source.count`.
  static func shiftedRight(_ source: Span<UInt64>, limbs: Int, bits: Int) -> [UInt64] {
    precondition(limbs >= 0 && limbs <= source.count, "shift out of range")
    precondition(bits >= 0 && bits < 64, "shift out of range")
    return unsafe source.withUnsafeBufferPointer { source in
      unsafe [UInt64](unsafeUninitializedCapacity: source.count &- limbs) { result, count in
        var i = source.count &- 1
        var carry: UInt64 = 0
        while i >= limbs {
          let limb = unsafe source[i]
          unsafe result[i &- limbs] = limb &>> UInt64(bits) | carry
          carry = (limb &<< 1) &<< UInt64(63 &- bits)
          i &-= 1
        }
        count = source.count &- limbs
        while count > 0, unsafe result[count &- 1] == 0 { count &-= 1 }
      }
    }
  }

  /// Divides a number by two to the power of `bits`, rounded down.
  ///
  /// - Requires: `bits` is in `0 ..< 64`.
  static func shiftRight(_ target: inout [UInt64], bits: Int) {
    precondition(bits >= 0 && bits < 64, "shift out of range")
    unsafe target.withUnsafeMutableBufferPointer { target in
      var carry: UInt64 = 0
      var i = target.count &- 1
      while i >= 0 {
        let limb = unsafe target[i]
        unsafe target[i] = limb &>> UInt64(bits) | carry
        carry = (limb &<< 1) &<< UInt64(63 &- bits)
        i &-= 1
      }
    }
  }

  // MARK: Multiplication

  /// Multiplies a part of an array by one limb, adds another, and returns the limb that leaves the
  /// part at the top.
  static func multiply(
    _ target: inout [UInt64], in range: Range<Int>, by factor: UInt64, adding addend: UInt64 = 0
  ) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= target.count, "part outside")
    return unsafe target.withUnsafeMutableBufferPointer { target in
      var carry = addend
      var k = range.lowerBound
      while k < range.upperBound {
        unsafe target[k] = product(target[k], factor, &carry)
        k &+= 1
      }
      return carry
    }
  }

  /// Returns the product of a number and one limb, without leading zeros unless the factor is zero.
  static func product(_ a: Span<UInt64>, _ factor: UInt64) -> [UInt64] {
    unsafe a.withUnsafeBufferPointer { a in
      unsafe [UInt64](unsafeUninitializedCapacity: a.count &+ 1) { result, count in
        var carry: UInt64 = 0
        var i = 0
        while i < a.count {
          unsafe result[i] = product(a[i], factor, &carry)
          i &+= 1
        }
        unsafe result[i] = carry
        count = carry == 0 ? i : i &+ 1
      }
    }
  }

  /// Returns the product of two short numbers, computed digit by digit.
  ///
  /// - Complexity: O(`a.count * b.count`).
  static func product(_ a: Span<UInt64>, _ b: Span<UInt64>) -> [UInt64] {
    unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe [UInt64](unsafeUninitializedCapacity: a.count + b.count) { result, count in
          unsafe multiply(a, b, into: result, at: 0)
          count = a.count &+ b.count
          while count > 0, unsafe result[count &- 1] == 0 { count &-= 1 }
        }
      }
    }
  }

  /// Writes the product of two numbers, computed digit by digit, over `a.count + b.count` limbs of
  /// an array.
  ///
  /// - Complexity: O(`a.count * b.count`).
  static func multiply(
    _ a: Span<UInt64>, _ b: Span<UInt64>, into target: inout [UInt64], at offset: Int
  ) {
    precondition(offset >= 0 && offset + a.count + b.count <= target.count, "product outside")
    unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe target.withUnsafeMutableBufferPointer { target in
          unsafe multiply(a, b, into: target, at: offset)
        }
      }
    }
  }

  @inline(__always)
  private static func multiply(
    _ a: UnsafeBufferPointer<UInt64>, _ b: UnsafeBufferPointer<UInt64>,
    into target: UnsafeMutableBufferPointer<UInt64>, at offset: Int
  ) {
    // Rows are taken in pairs, so the first step sees to an odd number of them.
    let isOdd = b.count & 1 == 1
    if isOdd {
      let factor = unsafe b[0]
      var carry: UInt64 = 0
      var i = 0
      while i < a.count {
        unsafe target[offset &+ i] = product(a[i], factor, &carry)
        i &+= 1
      }
      unsafe target[offset &+ i] = carry
    } else {
      var i = 0
      while i < a.count {
        unsafe target[offset &+ i] = 0
        i &+= 1
      }
    }
    var j = isOdd ? 1 : 0
    while j < b.count {
      unsafe addTwoRows(
        a, from: 0, times: b[j], b[j &+ 1], to: target, at: offset &+ j, carry: 0)
      j &+= 2
    }
  }

  /// Adds `a * (low + high * 2^64) + carry`, where `a` is read from an index on, to a target.
  ///
  /// The two limbs above those that `a` reaches are overwritten. Two rows at a time save half of
  /// the loads and stores of the target: 0.55 instead of 0.9 ns a product.
  @inline(__always)
  private static func addTwoRows(
    _ a: UnsafeBufferPointer<UInt64>, from start: Int, times low: UInt64, _ high: UInt64,
    to target: UnsafeMutableBufferPointer<UInt64>, at offset: Int, carry: UInt64
  ) {
    var lowCarry = carry
    var highCarry: UInt64 = 0
    var previous: UInt64 = 0
    var i = start
    var k = offset
    while i < a.count {
      let limb = unsafe a[i]
      let partial = unsafe product(limb, low, plus: target[k], &lowCarry)
      unsafe target[k] = product(previous, high, plus: partial, &highCarry)
      previous = limb
      i &+= 1
      k &+= 1
    }
    unsafe target[k] = product(previous, high, plus: lowCarry, &highCarry)
    unsafe target[k &+ 1] = highCarry
  }

  /// Writes the square of a number, computed digit by digit, over `2 * a.count` limbs of an array.
  ///
  /// Each product of two different limbs is computed once and doubled, so that it takes a little
  /// more than half of the time of a product.
  ///
  /// - Complexity: O(`a.count` squared).
  static func square(_ a: Span<UInt64>, into target: inout [UInt64], at offset: Int) {
    precondition(offset >= 0 && offset + 2 * a.count <= target.count, "square outside")
    unsafe a.withUnsafeBufferPointer { a in
      unsafe target.withUnsafeMutableBufferPointer { target in
        var k = 0
        while k < 2 &* a.count {
          unsafe target[offset &+ k] = 0
          k &+= 1
        }
        var i = 0
        while i &+ 1 < a.count {
          let low = unsafe a[i]
          let high = unsafe a[i &+ 1]
          // The one product of the two rows that stands left of their common columns.
          var carry: UInt64 = 0
          k = offset &+ 2 &* i &+ 1
          unsafe target[k] = product(low, high, plus: target[k], &carry)
          unsafe addTwoRows(
            a, from: i &+ 2, times: low, high, to: target, at: k &+ 1, carry: carry)
          i &+= 2
        }
        var shiftedOut: UInt64 = 0
        var carry = false
        i = 0
        k = offset
        while i < a.count {
          let square = unsafe a[i].multipliedFullWidth(by: a[i])
          let low = unsafe target[k]
          let high = unsafe target[k &+ 1]
          unsafe target[k] = sum(low &<< 1 | shiftedOut, square.low, &carry)
          unsafe target[k &+ 1] = sum(high &<< 1 | low &>> 63, square.high, &carry)
          shiftedOut = high &>> 63
          i &+= 1
          k &+= 2
        }
      }
    }
  }

  // MARK: Division

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

  // MARK: Number-theoretic transform

  /// Cuts a number into pieces of some bits, one in each place of the result, and fills the rest
  /// with zeros.
  ///
  /// - Requires: `bits` is in `1 ... 32`; `count` is large enough for all pieces.
  static func pieces(_ limbs: Span<UInt64>, bits: Int, count: Int) -> [UInt64] {
    precondition(bits >= 1 && bits <= 32, "piece too large")
    let pieceCount = (limbs.count * 64 + bits - 1) / bits
    precondition(pieceCount <= count, "too few pieces")
    return unsafe limbs.withUnsafeBufferPointer { limbs in
      unsafe [UInt64](unsafeUninitializedCapacity: count) { result, initialized in
        let mask = UInt64(1) &<< UInt64(bits) &- 1
        var position = 0
        var i = 0
        while i < pieceCount {
          let limb = position &>> 6
          let shift = UInt64(position & 63)
          var piece = unsafe limbs[limb] &>> shift
          if Int(shift) &+ bits > 64, limb &+ 1 < limbs.count {
            piece |= unsafe limbs[limb &+ 1] &<< (64 &- shift)
          }
          unsafe result[i] = piece & mask
          position &+= bits
          i &+= 1
        }
        while i < count {
          unsafe result[i] = 0
          i &+= 1
        }
        initialized = count
      }
    }
  }

  /// Adds up pieces of which each stands some bits above the one before it, and writes the sum
  /// over a part of an array.
  ///
  /// - Requires: `bits` is in `1 ... 32`. The sum fits in the part.
  static func join(
    _ pieces: Span<UInt64>, bits: Int, into target: inout [UInt64], in range: Range<Int>
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= target.count, "part outside")
    precondition(bits >= 1 && bits <= 32, "piece too large")
    unsafe pieces.withUnsafeBufferPointer { pieces in
      unsafe target.withUnsafeMutableBufferPointer { target in
        let mask = UInt64(1) &<< UInt64(bits) &- 1
        var low: UInt64 = 0
        var high: UInt64 = 0
        var collected: UInt64 = 0
        var collectedBits = 0
        var i = 0
        var k = range.lowerBound
        while k < range.upperBound {
          if i < pieces.count {
            let (total, carry) = unsafe low.addingReportingOverflow(pieces[i])
            low = total
            high &+= carry ? 1 : 0
            i &+= 1
          }
          let piece = low & mask
          low = low &>> UInt64(bits) | high &<< UInt64(64 &- bits)
          high &>>= UInt64(bits)
          collected |= piece &<< UInt64(collectedBits)
          collectedBits &+= bits
          if collectedBits >= 64 {
            unsafe target[k] = collected
            k &+= 1
            collectedBits &-= 64
            collected = piece &>> UInt64(bits &- collectedBits)
          }
        }
      }
    }
  }

  /// Runs one level of the forward transform: of each pair `u`, `v` from the two halves of a part,
  /// `u + root * v` and `u - root * v` remain.
  static func splitHalves(
    _ values: inout [UInt64], in range: Range<Int>, root: TransformField.Factor
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= values.count, "part outside")
    unsafe values.withUnsafeMutableBufferPointer { values in
      unsafe splitHalves(values, at: range.lowerBound, half: range.count / 2, root: root)
    }
  }

  /// Runs one level of the backward transform: of each pair `u`, `v` from the two halves of a part,
  /// `u + v` and `root * (v - u)` remain.
  static func joinHalves(
    _ values: inout [UInt64], in range: Range<Int>, root: TransformField.Factor
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= values.count, "part outside")
    unsafe values.withUnsafeMutableBufferPointer { values in
      unsafe joinHalves(values, at: range.lowerBound, half: range.count / 2, root: root)
    }
  }

  /// Runs all levels of the forward transform on a part, the one of number `node` among the parts of
  /// its size.
  ///
  /// The first level, the third and so on take their roots from `roots`, those between from `next`.
  ///
  /// - Requires: The size of the part is a power of two.
  static func splitCompletely(
    _ values: inout [UInt64], in range: Range<Int>, node: Int, roots: Span<TransformField.Factor>,
    next: Span<TransformField.Factor>
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= values.count, "part outside")
    precondition(range.count.nonzeroBitCount == 1, "not a power of two")
    precondition(
      node >= 0 && (node + 1) * (range.count / 2) <= min(roots.count, next.count), "too few roots")
    unsafe roots.withUnsafeBufferPointer { roots in
      unsafe next.withUnsafeBufferPointer { next in
        unsafe values.withUnsafeMutableBufferPointer { values in
          var half = range.count / 2
          var root = node
          var partCount = 1
          // Two levels at a time, which halves the loads and stores.
          while half >= 2 {
            var start = range.lowerBound
            var i = root
            while i < root &+ partCount {
              unsafe splitQuarters(
                values, at: start, quarter: half / 2, roots[i], next[2 &* i], next[2 &* i &+ 1])
              start &+= 2 &* half
              i &+= 1
            }
            half /= 4
            root &*= 4
            partCount &*= 4
          }
          guard half == 1 else { return }
          var i = 0
          while i < partCount {
            unsafe splitHalves(
              values, at: range.lowerBound &+ 2 &* i, half: 1, root: roots[root &+ i])
            i &+= 1
          }
        }
      }
    }
  }

  /// Runs two levels of the forward transform on a part.
  @inline(__always)
  private static func splitQuarters(
    _ values: UnsafeMutableBufferPointer<UInt64>, at start: Int, quarter: Int,
    _ root: TransformField.Factor, _ lowRoot: TransformField.Factor,
    _ highRoot: TransformField.Factor
  ) {
    var i = start
    let end = start &+ quarter
    while i < end {
      let a = unsafe TransformField.reduced(values[i])
      let b = unsafe TransformField.reduced(values[i &+ quarter])
      let c = unsafe TransformField.product(values[i &+ 2 &* quarter], root)
      let d = unsafe TransformField.product(values[i &+ 3 &* quarter], root)
      let low = TransformField.reduced(TransformField.sum(a, c))
      let high = TransformField.reduced(TransformField.difference(a, c))
      let lowTurned = TransformField.product(TransformField.sum(b, d), lowRoot)
      let highTurned = TransformField.product(TransformField.difference(b, d), highRoot)
      unsafe values[i] = TransformField.sum(low, lowTurned)
      unsafe values[i &+ quarter] = TransformField.difference(low, lowTurned)
      unsafe values[i &+ 2 &* quarter] = TransformField.sum(high, highTurned)
      unsafe values[i &+ 3 &* quarter] = TransformField.difference(high, highTurned)
      i &+= 1
    }
  }

  /// Runs all levels of the backward transform on a part, the one of number `node` among the parts
  /// of its size.
  ///
  /// The last level, the third from the end and so on divide by the roots in `roots`, those between
  /// by the roots in `next`.
  ///
  /// - Requires: The size of the part is a power of two.
  static func joinCompletely(
    _ values: inout [UInt64], in range: Range<Int>, node: Int, roots: Span<TransformField.Factor>,
    next: Span<TransformField.Factor>
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= values.count, "part outside")
    precondition(range.count.nonzeroBitCount == 1, "not a power of two")
    precondition(
      node >= 0 && (node + 1) * (range.count / 2) <= min(roots.count, next.count), "too few roots")
    unsafe roots.withUnsafeBufferPointer { roots in
      unsafe next.withUnsafeBufferPointer { next in
        unsafe values.withUnsafeMutableBufferPointer { values in
          var partSize = 1
          if range.count.trailingZeroBitCount & 1 == 1 {
            let first = node &* (range.count / 2)
            var i = 0
            while i < range.count / 2 {
              unsafe joinHalves(
                values, at: range.lowerBound &+ 2 &* i, half: 1,
                root: negatedInverse(first &+ i, of: roots))
              i &+= 1
            }
            partSize = 2
          }
          while partSize < range.count {
            partSize &*= 4
            let first = node &* (range.count / partSize)
            var start = range.lowerBound
            var i = first
            while i < first &+ range.count / partSize {
              unsafe joinQuarters(
                values, at: start, quarter: partSize / 4, negatedInverse(i, of: roots),
                negatedInverse(2 &* i, of: next),
                negatedInverse(2 &* i &+ 1, of: next))
              start &+= partSize
              i &+= 1
            }
          }
        }
      }
    }
  }

  /// Returns the negated inverse of the root at an index of a table.
  @inline(__always)
  private static func negatedInverse(
    _ index: Int, of roots: UnsafeBufferPointer<TransformField.Factor>
  ) -> TransformField.Factor {
    unsafe index == 0 ? roots[0].negated : roots[TransformField.inverseIndex(index)]
  }

  /// Runs two levels of the backward transform on a part.
  @inline(__always)
  private static func joinQuarters(
    _ values: UnsafeMutableBufferPointer<UInt64>, at start: Int, quarter: Int,
    _ root: TransformField.Factor, _ lowRoot: TransformField.Factor,
    _ highRoot: TransformField.Factor
  ) {
    var i = start
    let end = start &+ quarter
    while i < end {
      let a = unsafe values[i]
      let b = unsafe values[i &+ quarter]
      let c = unsafe values[i &+ 2 &* quarter]
      let d = unsafe values[i &+ 3 &* quarter]
      let low = TransformField.reduced(TransformField.sum(a, b))
      let high = TransformField.reduced(TransformField.sum(c, d))
      let lowTurned = TransformField.product(TransformField.difference(b, a), lowRoot)
      let highTurned = TransformField.product(TransformField.difference(d, c), highRoot)
      unsafe values[i] = TransformField.reduced(TransformField.sum(low, high))
      unsafe values[i &+ quarter] = TransformField.reduced(
        TransformField.sum(lowTurned, highTurned))
      unsafe values[i &+ 2 &* quarter] = TransformField.product(
        TransformField.difference(high, low), root)
      unsafe values[i &+ 3 &* quarter] = TransformField.product(
        TransformField.difference(highTurned, lowTurned), root)
      i &+= 1
    }
  }

  @inline(__always)
  private static func splitHalves(
    _ values: UnsafeMutableBufferPointer<UInt64>, at start: Int, half: Int,
    root: TransformField.Factor
  ) {
    var i = start
    var k = start &+ half
    let end = k
    while i < end {
      let u = unsafe TransformField.reduced(values[i])
      let v = unsafe TransformField.product(values[k], root)
      unsafe values[i] = TransformField.sum(u, v)
      unsafe values[k] = TransformField.difference(u, v)
      i &+= 1
      k &+= 1
    }
  }

  @inline(__always)
  private static func joinHalves(
    _ values: UnsafeMutableBufferPointer<UInt64>, at start: Int, half: Int,
    root: TransformField.Factor
  ) {
    var i = start
    var k = start &+ half
    let end = k
    while i < end {
      let u = unsafe values[i]
      let v = unsafe values[k]
      unsafe values[i] = TransformField.reduced(TransformField.sum(u, v))
      unsafe values[k] = TransformField.product(TransformField.difference(v, u), root)
      i &+= 1
      k &+= 1
    }
  }

  /// Reduces three thirds of the values, the coefficients of a polynomial, by `x^n - z` for the
  /// three cube roots `z` of one, `n` being the size of a third.
  ///
  /// - Requires: The values are less than a quarter of the prime.
  static func splitThirds(_ values: inout [UInt64]) {
    precondition(values.count.isMultiple(of: 3), "not three thirds")
    let root = TransformField.cubeRoot
    unsafe values.withUnsafeMutableBufferPointer { values in
      let third = values.count / 3
      var i = 0
      while i < third {
        let a = unsafe values[i]
        let b = unsafe values[i &+ third]
        let c = unsafe values[i &+ 2 &* third]
        let turned = TransformField.product(TransformField.difference(b, c), root)
        let first = TransformField.reduced(TransformField.difference(a, c))
        let second = TransformField.reduced(TransformField.difference(a, b))
        unsafe values[i] = a &+ b &+ c
        unsafe values[i &+ third] = TransformField.sum(first, turned)
        unsafe values[i &+ 2 &* third] = TransformField.difference(second, turned)
        i &+= 1
      }
    }
  }

  /// Undoes `splitThirds`, up to a factor of three.
  static func joinThirds(_ values: inout [UInt64]) {
    precondition(values.count.isMultiple(of: 3), "not three thirds")
    let root = TransformField.cubeRoot
    unsafe values.withUnsafeMutableBufferPointer { values in
      let third = values.count / 3
      var i = 0
      while i < third {
        let a = unsafe values[i]
        let b = unsafe values[i &+ third]
        let c = unsafe values[i &+ 2 &* third]
        let turned = TransformField.product(TransformField.difference(b, c), root)
        let first = TransformField.reduced(TransformField.difference(a, c))
        let second = TransformField.reduced(TransformField.difference(a, b))
        let outer = TransformField.reduced(TransformField.sum(a, b))
        unsafe values[i] = TransformField.sum(outer, c)
        unsafe values[i &+ third] = TransformField.difference(second, turned)
        unsafe values[i &+ 2 &* third] = TransformField.sum(first, turned)
        i &+= 1
      }
    }
  }

  /// Multiplies each value by a factor; the products are canonical.
  static func multiplyEach(_ values: inout [UInt64], by factor: TransformField.Factor) {
    unsafe values.withUnsafeMutableBufferPointer { values in
      var i = 0
      while i < values.count {
        unsafe values[i] = TransformField.canonical(TransformField.product(values[i], factor))
        i &+= 1
      }
    }
  }

  /// Multiplies each value by its counterpart, scaled.
  static func multiplyEach(_ values: inout [UInt64], by others: Span<UInt64>) {
    precondition(values.count == others.count, "transforms of different size")
    unsafe others.withUnsafeBufferPointer { others in
      unsafe values.withUnsafeMutableBufferPointer { values in
        var i = 0
        while i < values.count {
          unsafe values[i] = TransformField.scaledProduct(
            TransformField.reduced(values[i]), TransformField.reduced(others[i]))
          i &+= 1
        }
      }
    }
  }

  /// Replaces each value by its square, scaled.
  static func squareEach(_ values: inout [UInt64]) {
    unsafe values.withUnsafeMutableBufferPointer { values in
      var i = 0
      while i < values.count {
        let value = unsafe TransformField.reduced(values[i])
        unsafe values[i] = TransformField.scaledProduct(value, value)
        i &+= 1
      }
    }
  }
}
