/// Shifts.
extension Limbs {
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
}
