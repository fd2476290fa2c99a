/// Sums and differences.
extension Limbs {
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
}
