/// Greatest common divisors.
extension LargeInteger {
  /// The number of limbs that may be combined without asking the poll: 0.1 ms.
  private static let workBetweenPolls = 1 << 16

  /// Returns the greatest common divisor of two numbers, not negative; zero for two zeros.
  ///
  /// - Complexity: O(n squared) for numbers of n limbs.
  ///
  /// Algorithm: Lehmer, "Euclid's algorithm for large numbers", 1938, on the 64 leading bits, with
  /// the condition of Collins for correct quotients (Jebelean, "A double-digit Lehmer-Euclid
  /// algorithm for finding the GCD of long integers", Journal of Symbolic Computation, 1995).
  package static func greatestCommonDivisor<Failure: Error>(
    _ a: LargeInteger, _ b: LargeInteger, poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger {
    var (x, y) =
      compareMagnitudes(a.limbs.span, b.limbs.span) < 0
      ? (b.limbs, a.limbs) : (a.limbs, b.limbs)
    var work = 0
    while y.count > 1 {
      work += x.count
      if work > workBetweenPolls {
        try poll()
        work = 0
      }
      if x.count <= y.count + 1, let step = LehmerStep(x.span, y.span) {
        while y.count < x.count { y.append(0) }
        step.apply(&x, &y)
        while x.last == 0 { x.removeLast() }
        while y.last == 0 { y.removeLast() }
      } else {
        let (_, remainder) = try divide(x.span, by: y.span, poll: poll)
        (x, y) = (y, remainder)
        while y.last == 0 { y.removeLast() }
      }
    }
    guard let limb = y.first else { return LargeInteger(limbs: x) }
    let remainder = Limbs.remainder(x.span, by: LimbDivisor(limb))
    return LargeInteger(limb: greatestCommonDivisor(limb, remainder))
  }

  /// Returns the greatest common divisor of two numbers of one limb.
  ///
  /// Algorithm: Stein, "Computational problems associated with Racah algebra", 1967.
  package static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    guard a != 0, b != 0 else { return a | b }
    let shift = (a | b).trailingZeroBitCount
    var x = a >> UInt64(a.trailingZeroBitCount)
    var y = b >> UInt64(b.trailingZeroBitCount)
    while x != y {
      let difference = x > y ? x &- y : y &- x
      y = min(x, y)
      x = difference >> UInt64(difference.trailingZeroBitCount)
    }
    return x << UInt64(shift)
  }

  /// Some steps of Euclid's algorithm, taken at once.
  private struct LehmerStep {
    /// The number of steps is odd.
    private var isOdd = false
    private var a: UInt64 = 1
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 1

    /// Finds the steps for two numbers from their leading bits, nil if these do not tell even one.
    ///
    /// - Requires: `y` is not greater than `x`, neither has leading zeros, `x` is not empty.
    init?(_ x: Span<UInt64>, _ y: Span<UInt64>) {
      let shift = x[x.count - 1].leadingZeroBitCount
      var first = LehmerStep.limb(x, at: x.count - 1, shift: shift)
      var second = LehmerStep.limb(y, at: x.count - 1, shift: shift)
      while second != 0 {
        let quotient = first / second
        let rest = first - quotient * second
        let (u, overflow) = quotient.multipliedReportingOverflow(by: c)
        let (v, secondOverflow) = quotient.multipliedReportingOverflow(by: d)
        guard !overflow, !secondOverflow else { break }
        let (nextC, thirdOverflow) = u.addingReportingOverflow(a)
        let (nextD, fourthOverflow) = v.addingReportingOverflow(b)
        guard !thirdOverflow, !fourthOverflow else { break }
        // The quotient is that of the whole numbers if the cofactors are small against what the
        // leading bits leave.
        let (margin, fifthOverflow) = nextD.addingReportingOverflow(d)
        guard !fifthOverflow, rest >= nextD, second - rest >= margin else { break }
        (a, b, c, d) = (c, d, nextC, nextD)
        (first, second) = (second, rest)
        isOdd.toggle()
      }
      if b == 0 { return nil }
    }

    /// Returns the limb at an index of a number shifted left by some bits.
    private static func limb(_ limbs: Span<UInt64>, at index: Int, shift: Int) -> UInt64 {
      let high = index < limbs.count ? limbs[index] : 0
      let low = index >= 1 && index - 1 < limbs.count ? limbs[index - 1] : 0
      return high << UInt64(shift) | (low >> 1) >> UInt64(63 - shift)
    }

    /// Takes the steps; the numbers have equally many limbs.
    func apply(_ x: inout [UInt64], _ y: inout [UInt64]) {
      if isOdd {
        // With an odd number of steps the signs of the cofactors are the other way round.
        Limbs.combine(&y, &x, b, a, d, c)
        swap(&x, &y)
      } else {
        Limbs.combine(&x, &y, a, b, c, d)
      }
    }
  }
}
