/// The number-theoretic transform.
extension Limbs {
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
