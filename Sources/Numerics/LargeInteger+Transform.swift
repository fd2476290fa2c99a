/// Multiplication of huge numbers by a number-theoretic transform.
extension LargeInteger {
  /// The size of the parts of a transform that are finished at once: they fit in the first-level
  /// cache, and take about 50 µs, after which the poll is asked.
  private static let transformPart = 1 << 12

  /// Writes the product of two numbers over `a.count + b.count` limbs of an array.
  ///
  /// - Complexity: O(n log n) for `n = a.count + b.count`; takes 10 to 15 times `n` limbs of memory.
  ///
  /// Algorithm: Pollard, "The fast Fourier transform in a finite field", 1971. The numbers are cut
  /// into pieces of about 22 bits, the coefficients of two polynomials, whose product is computed
  /// modulo `x^size - 1` and the prime of `TransformField`; both are so large that it is exact.
  /// The polynomials are split into halves down to single values (Fiduccia, 1972), depth first, so
  /// that all but the uppermost levels work inside the caches; since the values are then only
  /// multiplied with each other, their order does not matter and nothing is permuted.
  static func multiplyByTransform<Failure: Error>(
    _ a: Span<UInt64>, _ b: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    let transform = try Transform(limbCounts: a.count, b.count, poll: poll)
    var values = Limbs.pieces(a, bits: transform.pieceBits, count: transform.size)
    try transform.forward(&values, poll: poll)
    var others = Limbs.pieces(b, bits: transform.pieceBits, count: transform.size)
    try transform.forward(&others, poll: poll)
    Limbs.multiplyEach(&values, by: others.span)
    try transform.backward(&values, poll: poll)
    Limbs.join(
      values.span, bits: transform.pieceBits, into: &target,
      in: offset..<offset + a.count + b.count)
  }

  /// Writes the square of a number over `2 * a.count` limbs of an array.
  ///
  /// - Complexity: As the product, with two transforms instead of three.
  static func squareByTransform<Failure: Error>(
    _ a: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    let transform = try Transform(limbCounts: a.count, a.count, poll: poll)
    var values = Limbs.pieces(a, bits: transform.pieceBits, count: transform.size)
    try transform.forward(&values, poll: poll)
    Limbs.squareEach(&values)
    try transform.backward(&values, poll: poll)
    Limbs.join(
      values.span, bits: transform.pieceBits, into: &target, in: offset..<offset + 2 * a.count)
  }

  /// The size of a transform and its tables.
  private struct Transform {
    /// The number of bits of a piece.
    let pieceBits: Int

    /// The number of values, `2^k` or `3 * 2^k`.
    let size: Int

    /// The square roots with which the parts of `x^size - 1` are split; if there are three, those
    /// of its third are followed by their products with the cube root of one and with its square.
    private let roots: [[TransformField.Factor]]

    /// Chooses the size for the product of two numbers of some limbs.
    init<Failure: Error>(
      limbCounts a: Int, _ b: Int, poll: () throws(Failure) -> Void
    ) throws(Failure) {
      var bits = 32
      var count = 0
      // A coefficient of the product is a sum of as many products of two pieces as the shorter
      // number has pieces; it must stay below the prime.
      repeat {
        bits -= 1
        count = (64 * min(a, b) + bits - 1) / bits
      } while UInt64(count) > TransformField.prime >> UInt64(2 * bits)
      pieceBits = bits
      count = (64 * a + bits - 1) / bits + (64 * b + bits - 1) / bits
      var size = 8
      while size < count { size *= 2 }
      if size / 4 * 3 >= count {
        let third = try TransformField.roots(size: size / 4, poll: poll)
        let cubeRoot = TransformField.cubeRoot
        let turned = third.map { $0.times(cubeRoot) }
        try poll()
        roots = [third, turned, turned.map { $0.times(cubeRoot) }]
        self.size = size / 4 * 3
      } else {
        roots = [try TransformField.roots(size: size, poll: poll)]
        self.size = size
      }
    }

    /// Evaluates the polynomial with these coefficients at all roots of one.
    func forward<Failure: Error>(
      _ values: inout [UInt64], poll: () throws(Failure) -> Void
    ) throws(Failure) {
      try poll()
      if roots.count == 3 { Limbs.splitThirds(&values) }
      let part = size / roots.count
      for i in roots.indices {
        // A square root of a cube root w of one is w * w, a square root of that is w again: the
        // levels take turns with two tables.
        let even = roots[i == 0 ? 0 : 3 - i]
        let odd = roots[i]
        try split(
          &values, i * part..<(i + 1) * part, node: 0, roots: even.span, next: odd.span,
          poll: poll)
      }
    }

    /// Returns from the values at all roots of one to the coefficients.
    func backward<Failure: Error>(
      _ values: inout [UInt64], poll: () throws(Failure) -> Void
    ) throws(Failure) {
      let part = size / roots.count
      for i in roots.indices {
        // Of w and w * w each is the inverse of the other.
        let even = roots[i]
        let odd = roots[i == 0 ? 0 : 3 - i]
        try join(
          &values, i * part..<(i + 1) * part, node: 0, roots: even.span, next: odd.span,
          poll: poll)
      }
      if roots.count == 3 { Limbs.joinThirds(&values) }
      Limbs.multiplyEach(&values, by: TransformField.scale(size: size))
    }

    private func split<Failure: Error>(
      _ values: inout [UInt64], _ range: Range<Int>, node: Int, roots: Span<TransformField.Factor>,
      next: Span<TransformField.Factor>, poll: () throws(Failure) -> Void
    ) throws(Failure) {
      guard range.count > transformPart else {
        try poll()
        Limbs.splitCompletely(&values, in: range, node: node, roots: roots, next: next)
        return
      }
      Limbs.splitHalves(&values, in: range, root: roots[node])
      let middle = range.lowerBound + range.count / 2
      try split(
        &values, range.lowerBound..<middle, node: 2 * node, roots: next, next: roots, poll: poll)
      try split(
        &values, middle..<range.upperBound, node: 2 * node + 1, roots: next, next: roots,
        poll: poll)
    }

    private func join<Failure: Error>(
      _ values: inout [UInt64], _ range: Range<Int>, node: Int, roots: Span<TransformField.Factor>,
      next: Span<TransformField.Factor>, poll: () throws(Failure) -> Void
    ) throws(Failure) {
      guard range.count > transformPart else {
        try poll()
        Limbs.joinCompletely(&values, in: range, node: node, roots: roots, next: next)
        return
      }
      let middle = range.lowerBound + range.count / 2
      try join(
        &values, range.lowerBound..<middle, node: 2 * node, roots: next, next: roots, poll: poll)
      try join(
        &values, middle..<range.upperBound, node: 2 * node + 1, roots: next, next: roots,
        poll: poll)
      let root =
        node == 0 ? roots[0].negated : roots[TransformField.inverseIndex(node)]
      Limbs.joinHalves(&values, in: range, root: root)
    }
  }
}
