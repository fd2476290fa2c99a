/// The loops over 64-bit limbs that the arithmetic of `LargeInteger` is made of.
///
/// A magnitude is a sequence of limbs, the least significant first. What is read comes as a `Span`,
/// what is written as an array with a range or an offset.
///
/// `Limbs` is the only type of the number code with unsafe expressions: through buffer pointers these
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
}
